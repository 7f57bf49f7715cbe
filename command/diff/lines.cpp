#include "command/diff/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.hpp"
#include "sim/explain/explain.hpp"
#include "views/explanation.hpp"

namespace warpmem::command {
namespace {

// What accesses of one kind at one line moved.
struct LineCounts {
  std::string place;
  std::uint64_t sectors = 0, wavefronts = 0;
};
// By kind, "global load", in the order of the program.
using Counts = std::map<std::string, std::vector<LineCounts>>;
using LinePair = std::pair<const LineCounts*, const LineCounts*>;

Result<std::vector<LaunchExplanation>> explained(const std::string& path, const model::Card& card) {
  const auto reader = trace::TraceReader::open(path);
  if (!reader) return reader.error();
  sim::ExplainOptions options;
  options.gains = false, options.time = false;
  std::vector<LaunchExplanation> out;
  for (std::uint32_t i = 0; i < reader->launches().size(); ++i) {
    auto one = sim::explain(*reader, i, card, options);
    if (!one) return one.error();
    out.push_back(std::move(*one));
  }
  return out;
}

Counts counts_of(const LaunchExplanation& launch) {
  std::vector<const SiteTraffic*> sites;
  for (const SiteTraffic& t : launch.sites) sites.push_back(&t);
  std::ranges::stable_sort(sites, {}, &SiteTraffic::pc);
  Counts out;
  for (const SiteTraffic* t : sites) {
    std::vector<LineCounts>& lines = out[t->space + " " + t->op];
    const std::string place = views::place_of(*t);
    auto at = std::ranges::find(lines, place, &LineCounts::place);
    if (at == lines.end()) at = lines.insert(at, {place});
    at->sectors += t->sectors, at->wavefronts += t->wavefronts;
  }
  return out;
}

std::vector<LinePair> paired(const std::vector<LineCounts>& before,
                             const std::vector<LineCounts>& after) {
  std::vector<const LineCounts*> left, right;
  for (const LineCounts& l : before) left.push_back(&l);
  for (const LineCounts& l : after) right.push_back(&l);
  std::vector<LinePair> out;
  if (left.size() != right.size())
    std::erase_if(left, [&](const LineCounts* l) {
      const auto same = std::ranges::find(right, l->place, &LineCounts::place);
      if (same == right.end()) return false;
      out.emplace_back(l, *same);
      right.erase(same);
      return true;
    });
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i)
    out.emplace_back(i < left.size() ? left[i] : nullptr, i < right.size() ? right[i] : nullptr);
  return out;
}

std::string place_of(const LinePair& pair, const std::string& kind) {
  const auto& [a, b] = pair;
  if (!a || !b || a->place == b->place) return fmt::format("{} {}", (a ? a : b)->place, kind);
  return fmt::format("{} -> {} {}", a->place, b->place, kind);
}

void add_differences(const LaunchExplanation& before, const LaunchExplanation& after,
                     std::vector<LineDifference>& out) {
  const Counts old = counts_of(before), now = counts_of(after);
  Counts kinds = old;
  kinds.insert(now.begin(), now.end());
  static const std::vector<LineCounts> kNone;
  const auto of = [](const Counts& all, const std::string& kind) -> const std::vector<LineCounts>& {
    const auto at = all.find(kind);
    return at == all.end() ? kNone : at->second;
  };
  for (const auto& [kind, any] : kinds)
    for (const LinePair& pair : paired(of(old, kind), of(now, kind))) {
      const LineCounts none{}, &a = pair.first ? *pair.first : none,
                               &b = pair.second ? *pair.second : none;
      const auto add = [&](const char* counter, std::uint64_t was, std::uint64_t is) {
        if (was != is)
          out.push_back({before.kernel, after.kernel, place_of(pair, kind), counter, was, is});
      };
      add("sectors", a.sectors, b.sectors), add("wavefronts", a.wavefronts, b.wavefronts);
    }
}

}  // namespace

Result<std::vector<LineDifference>> line_differences(const std::string& before,
                                                     const model::Card& card_before,
                                                     const std::string& after,
                                                     const model::Card& card_after) {
  const auto a = explained(before, card_before), b = explained(after, card_after);
  if (!a) return a.error();
  if (!b) return b.error();
  std::vector<LineDifference> out;
  for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i)
    add_differences((*a)[i], (*b)[i], out);
  const auto size = [](const LineDifference& d) {
    return d.before > d.after ? d.before - d.after : d.after - d.before;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto& x, const auto& y) { return size(x) > size(y); });
  return out;
}

}  // namespace warpmem::command
