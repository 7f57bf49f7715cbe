// Hits of an L1 or an L2 at many capacities. The order of accesses is that of the counts engine
// with waits that do not depend on hits (sim::ReplayOptions::flat), so that caches of all
// capacities are asked for the same, one after the other.
//
// In one pass (set_stack.hpp) where the cache is a stack algorithm: the sets are told by a rule
// that does not depend on the capacity, the line used longest ago goes, a miss brings a sector, and
// nothing else takes room. Otherwise by replays, one for each capacity, side by side.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "results/capacities.hpp"
#include "sim/engine/decoded_trace.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sweep {

struct CapacityTask {
  const trace::TraceReader* trace = nullptr;
  const sim::DecodedTrace* decoded = nullptr;
  bool l2 = false;
  std::vector<std::uint64_t> sizes;  // bytes, ascending
  bool fixed_ways = false;           // the sets change with the capacity; no: the ways do
  bool by_replay = false;            // although one pass would do
  bool shared_apart = false;         // shared memory takes no room of the L1; one pass or nothing
  std::size_t threads = 1;
  std::function<bool(std::uint64_t launch)> only;  // none: all
};

// kUsage: the card has no such cache.
Result<void> has_cache(const model::Card& card, bool l2);

// Capacities of 1 to 16 ways of the card's own sets, as far as they make a cache.
std::vector<std::uint64_t> usual_sizes(const model::Card& card, bool l2);
// Why one pass does not do on a card; empty: it does.
std::string why_not_one_pass(const CapacityTask& task, const model::Card& card);

// With `shared_apart` there are no curves where one pass does not do.
Result<CapacityResult> capacities(const CapacityTask& task, const model::Card& card);

}  // namespace warpmem::sweep
