// What happens on a GPU before compute capability 7.0, by name, in the senses of its profilers: the
// only place that adds to EarlyCounters. Part of Counting (counting.hpp).
#pragma once

#include <vector>

#include "model/access/rule/access_rule.hpp"
#include "model/counters/early_counters.hpp"
#include "model/counters/l2_counters.hpp"

namespace warpmem::model {

// An access of global memory as its counters have it.
struct MovedAccess {
  const std::vector<Transaction>& moves;
  AccessRule rule;
  std::uint32_t lines = 0;  // of each group of lanes, added up
  std::uint64_t bytes = 0;  // that lanes ask for
  bool by_line = false;     // a load past the L1 that counts in lines
};

void count_loads(const MovedAccess& access, EarlyCounters& c);
void count_stores(const MovedAccess& access, EarlyCounters& c);

// What its L2 counted, in 32 bytes.
void count_l2(const L2Counters& l2, EarlyCounters& c);

enum class EarlyCache : std::uint8_t { kNone, kLoads, kLocalLoads, kLocalStores, kTextures };
// Sectors of a line have been looked for in a cache, and so many are not there.
void count_look_up(EarlyCache cache, std::uint64_t asked, std::uint64_t missed, EarlyCounters& c);

}  // namespace warpmem::model
