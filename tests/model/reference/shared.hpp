// Slow and obvious: shared-memory passes, written down from the rules in
// model/shared/shared_banks.hpp with sets of words and no short cuts.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "model/shared/shared_banks.hpp"

namespace warpmem::reference {

using Lanes = std::vector<int>;

// Passes for the lanes served together: the most distinct words in one bank.
inline int passes(const model::WarpAccess& a, const Lanes& lanes) {
  std::map<std::uint64_t, std::set<std::uint64_t>> words_in_bank;
  for (int lane : lanes)
    if (a.mask >> lane & 1)
      for (std::uint64_t byte = 0; byte < a.bytes; ++byte) {
        const std::uint64_t word = (a.address[static_cast<std::size_t>(lane)] + byte) / 4;
        words_in_bank[word % 32].insert(word);
      }
  std::size_t most = 0;
  for (const auto& [bank, words] : words_in_bank) most = std::max(most, words.size());
  return static_cast<int>(most);
}

// Passes when no two lanes of a bank share one.
inline int lanes_in_fullest_bank(const model::WarpAccess& a, const Lanes& lanes) {
  std::map<std::uint64_t, int> n;
  int most = 0;
  for (int lane : lanes)
    if (a.mask >> lane & 1)
      most = std::max(most, ++n[a.address[static_cast<std::size_t>(lane)] / 4 % 32]);
  return most;
}

inline bool active(const model::WarpAccess& a, int lane) { return a.mask >> lane & 1; }

inline std::uint64_t address(const model::WarpAccess& a, int lane) {
  return a.address[static_cast<std::size_t>(lane)];
}

inline bool partners_agree(const model::WarpAccess& a, const Lanes& lanes, int distance,
                           bool alone_agrees = true) {
  for (int lane : lanes) {
    const int partner = lane ^ distance;
    if (!active(a, lane)) continue;
    if (!active(a, partner) ? !alone_agrees : address(a, lane) != address(a, partner)) return false;
  }
  return true;
}

inline Lanes range(int first, int count) {
  Lanes out;
  for (int i = 0; i < count; ++i) out.push_back(first + i);
  return out;
}

inline model::SharedPasses by_groups(const model::WarpAccess& a, int lanes) {
  model::SharedPasses out;
  for (int first = 0; first < 32; first += lanes) {
    const int n = passes(a, range(first, lanes));
    out.taken += n;
    out.groups += n > 0 ? 1 : 0;
  }
  out.reported = out.taken;
  return out;
}

// The profiler's count of a wide load.
inline int reported(const model::WarpAccess& a, int group) {
  std::set<std::uint64_t> words;
  int lanes = 0;
  for (int lane : range(0, 32))
    if (active(a, lane)) words.insert(address(a, lane)), ++lanes;
  if (group == 8 && words.size() == 1) return lanes > 16 ? 2 : 1;
  int total = 0;
  for (int first = 0; first < 32; first += 2 * group) {
    const Lanes both = range(first, 2 * group);
    const bool first_half = group == 8 && first == 0;
    bool joins = partners_agree(a, both, 1, !first_half) || partners_agree(a, both, 2, !first_half);
    if (first_half && !active(a, 31)) joins = true;
    if (passes(a, both) > 1) joins = false;
    total += joins ? passes(a, both)
                   : passes(a, range(first, group)) + passes(a, range(first + group, group));
  }
  return total;
}

inline model::SharedPasses shared_passes(const model::WarpAccess& a, model::SharedKind kind) {
  using model::SharedKind;
  const int group = a.bytes <= 4 ? 32 : a.bytes == 8 ? 16 : 8;
  if (kind == SharedKind::kAtomic || kind == SharedKind::kCompareAndSwap ||
      kind == SharedKind::kAttempt) {
    const int each = kind == SharedKind::kAtomic ? 1 : 2;
    int n = lanes_in_fullest_bank(a, range(0, 32));
    if (kind == SharedKind::kAttempt) {
      n = 0;
      for (int first = 0; first < 32; first += group)
        n += passes(a, range(first, group)) > 0 ? 1 : 0;
    }
    n *= each;
    int lanes = 0;
    for (int lane : range(0, 32)) lanes += active(a, lane) ? 1 : 0;
    return {n, n, std::min(n, each * ((lanes + group - 1) / group))};
  }
  if (kind != SharedKind::kLoad || group == 32) return by_groups(a, group);
  const bool joined = partners_agree(a, range(0, 32), 1) || partners_agree(a, range(0, 32), 2);
  model::SharedPasses out = by_groups(a, joined ? 2 * group : group);
  out.reported = reported(a, group);
  return out;
}

}  // namespace warpmem::reference
