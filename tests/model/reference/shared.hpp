// Slow and obvious: shared-memory wavefronts, written down from the rules in model/shared_banks.hpp
// with sets of words and no short cuts.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "model/shared_banks.hpp"

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
    if (a.mask >> lane & 1) most = std::max(most, ++n[a.address[static_cast<std::size_t>(lane)] / 4 % 32]);
  return most;
}

inline bool partners_agree(const model::WarpAccess& a, const Lanes& lanes, int distance) {
  for (int lane : lanes) {
    const int partner = lane ^ distance;
    const bool both = (a.mask >> lane & 1) && (a.mask >> partner & 1);
    if (both && a.address[static_cast<std::size_t>(lane)] != a.address[static_cast<std::size_t>(partner)]) return false;
  }
  return true;
}

inline Lanes range(int first, int count) {
  Lanes out;
  for (int i = 0; i < count; ++i) out.push_back(first + i);
  return out;
}

inline int shared_wavefronts(const model::WarpAccess& a, model::SharedKind kind) {
  using model::SharedKind;
  if (kind == SharedKind::kAtomic) return lanes_in_fullest_bank(a, range(0, 32));
  if (kind == SharedKind::kCompareAndSwap) return 2 * lanes_in_fullest_bank(a, range(0, 32));
  if (kind == SharedKind::kAttempt) {
    int groups = 0;
    for (int first = 0; first < 32; first += a.bytes == 8 ? 16 : 32)
      for (int lane : range(first, a.bytes == 8 ? 16 : 32))
        if (a.mask >> lane & 1) {
          ++groups;
          break;
        }
    return 2 * groups;
  }
  if (a.bytes <= 4) return passes(a, range(0, 32));
  const int group = a.bytes == 8 ? 16 : 8;
  int total = 0;
  for (int first = 0; first < 32; first += 2 * group) {
    const Lanes both = range(first, 2 * group);
    const bool joined = kind == SharedKind::kLoad && (partners_agree(a, both, 1) || partners_agree(a, both, 2)) &&
                        passes(a, both) <= 1;
    total += joined ? passes(a, both) : passes(a, range(first, group)) + passes(a, range(first + group, group));
  }
  return total;
}

}  // namespace warpmem::reference
