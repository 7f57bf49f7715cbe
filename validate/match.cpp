#include "validate/match.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>

#include "validate/kernel_name.hpp"

namespace warpmem::validate {
namespace {

using Keys = std::vector<std::string>;
// Aligning n against m launches fills a table of n*m bytes; beyond this, order within equal keys
// decides alone.
constexpr std::size_t kAlignLimit = std::size_t{64} << 20;

std::string shape(const LaunchMetrics& l) {
  return fmt::format("|{},{},{}|{},{},{}", l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1],
                     l.block[2]);
}

class Matcher {
 public:
  Matcher(std::size_t predicted, std::size_t measured)
      : to_(predicted, kNone), taken_(measured, false) {}

  // Longest common subsequence of the launches that are still free.
  void align(const Keys& a, const Keys& b) {
    std::vector<std::size_t> ia, ib;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (to_[i] == kNone && !a[i].empty()) ia.push_back(i);
    for (std::size_t j = 0; j < b.size(); ++j)
      if (!taken_[j] && !b[j].empty()) ib.push_back(j);
    const std::size_t n = ia.size(), m = ib.size();
    if (n == 0 || m == 0 || n > kAlignLimit / m) return;
    enum : std::uint8_t { kDown, kRight, kBoth };
    std::vector<std::uint8_t> step(n * m);
    std::vector<std::uint32_t> below(m + 1, 0), here(m + 1, 0);
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = m; j-- > 0;) {
        if (a[ia[i]] == b[ib[j]]) {
          here[j] = below[j + 1] + 1;
          step[i * m + j] = kBoth;
        } else {
          here[j] = std::max(below[j], here[j + 1]);
          step[i * m + j] = below[j] >= here[j + 1] ? kDown : kRight;
        }
      }
      std::swap(here, below);
    }
    for (std::size_t i = 0, j = 0; i < n && j < m;) {
      const auto s = step[i * m + j];
      if (s == kBoth) pair(ia[i], ib[j]);
      if (s != kRight) ++i;
      if (s != kDown) ++j;
    }
  }

  // What is left, in order within equal keys.
  void by_occurrence(const Keys& a, const Keys& b) {
    std::map<std::string, std::deque<std::size_t>> free;
    for (std::size_t j = 0; j < b.size(); ++j)
      if (!taken_[j] && !b[j].empty()) free[b[j]].push_back(j);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto it = free.find(a[i]);
      if (to_[i] != kNone || a[i].empty() || it == free.end() || it->second.empty()) continue;
      pair(i, it->second.front());
      it->second.pop_front();
    }
  }

  Matching result() const {
    Matching out;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (to_[i] == kNone) out.unmatched_predicted.push_back(i);
      else out.pairs.emplace_back(i, to_[i]);
    }
    for (std::size_t j = 0; j < taken_.size(); ++j)
      if (!taken_[j]) out.unmatched_measured.push_back(j);
    return out;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  void pair(std::size_t i, std::size_t j) {
    to_[i] = j;
    taken_[j] = true;
  }
  std::vector<std::size_t> to_;
  std::vector<bool> taken_;
};

// One measured row stands for all launches of its kernel and shape.
Matching match_summary(const Keys& predicted, const Keys& measured) {
  std::map<std::string, std::size_t> rows;
  for (std::size_t j = 0; j < measured.size(); ++j) rows.emplace(measured[j], j);
  Matching out;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (const auto it = rows.find(predicted[i]); it != rows.end()) {
      out.pairs.emplace_back(i, it->second);
      used.insert(it->second);
    } else {
      out.unmatched_predicted.push_back(i);
    }
  }
  for (std::size_t j = 0; j < measured.size(); ++j)
    if (!used.contains(j)) out.unmatched_measured.push_back(j);
  return out;
}

template <class List, class Name>
std::string some_names(const List& list, Name name) {
  std::set<std::string> names;
  for (const auto& item : list) names.insert(name(item));
  std::string out;
  std::size_t shown = 0;
  for (const auto& n : names) {
    if (shown++ == 3) return out + fmt::format(" and {} more", names.size() - 3);
    out += (out.empty() ? "" : ", ") + n;
  }
  return out.empty() ? "none" : out;
}

}  // namespace

Matching match_launches(const std::vector<LaunchMetrics>& predicted, const NcuImport& measured) {
  const bool all_shapes = std::all_of(measured.launches.begin(), measured.launches.end(),
                                      [](const NcuLaunch& l) { return l.has_shape; });
  const auto keys = [&](bool full, bool with_shape) {
    std::pair<Keys, Keys> out;
    const auto key = [&](const LaunchMetrics& l) {
      return (full ? kernel_signature(l.kernel) : kernel_base_name(l.kernel)) +
             (with_shape ? shape(l) : "");
    };
    for (const auto& l : predicted) out.first.push_back(key(l));
    for (const auto& l : measured.launches) out.second.push_back(key(l.counted));
    return out;
  };
  const auto [a, b] = keys(true, all_shapes);
  if (measured.shape == NcuShape::kSummary) {
    Matching full = match_summary(a, b);
    if (!full.pairs.empty()) return full;
    const auto [c, d] = keys(false, all_shapes);
    return match_summary(c, d);
  }
  Matcher matcher(predicted.size(), measured.launches.size());
  matcher.align(a, b);
  matcher.by_occurrence(a, b);
  // Names without their template arguments: tools do not agree on how to print those.
  const auto [c, d] = keys(false, all_shapes);
  matcher.align(c, d);
  matcher.by_occurrence(c, d);
  return matcher.result();
}

Result<void> check_matched(const Matching& matching, const std::vector<LaunchMetrics>& predicted,
                           const NcuImport& measured, const std::string& place) {
  if (!matching.pairs.empty()) return {};
  if (predicted.empty())
    return Error{ErrorKind::kUsage, "the trace has no complete launch to compare", place,
                 "record again without --launches, --ctas and --max-records"};
  const auto with_shape = [](const LaunchMetrics& l) {
    return fmt::format("{} ({},{},{})x({},{},{})", kernel_signature(l.kernel), l.grid[0], l.grid[1],
                       l.grid[2], l.block[0], l.block[1], l.block[2]);
  };
  return Error{ErrorKind::kUsage,
               fmt::format("no launch of the trace is in it: the trace has {}; the file has {}",
                           some_names(predicted, with_shape),
                           some_names(measured.launches,
                                      [&](const NcuLaunch& l) { return with_shape(l.counted); })),
               place, "profile the program that was recorded, with the same arguments"};
}

}  // namespace warpmem::validate
