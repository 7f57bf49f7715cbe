// How many CTAs of a launch fit an SM at once, and which shared-memory configuration the driver
// picks for it.
#pragma once

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::sim {

struct Occupancy {
  std::uint32_t ctas = 0;  // resident CTAs an SM
  std::uint32_t warps_per_cta = 0;
  std::uint64_t shared_config = 0;  // bytes of the unified L1 given to shared memory
};

// Fails when a CTA does not fit at all, naming the limit.
Result<Occupancy> occupancy(const model::Card& card, const trace::Launch& launch);

}  // namespace warpmem::sim
