// Which loads a warp waits for before its next access, by the rough clock: those whose values the
// instructions before it read (sim/engine/dependence.hpp).
//
// `later` gives the later of two cycles, either of which may not be known yet in an engine whose
// reads are answered later.
#pragma once

#include <cstdint>

#include "sim/engine/dependence.hpp"
#include "sim/engine/sites.hpp"
#include "sim/engine/warp_state.hpp"

namespace warpmem::sim {

inline void forget_oldest_load(WarpState& warp) {
  --warp.loads;
  warp.done[0] = warp.done[warp.loads];
  warp.load_site[0] = warp.load_site[warp.loads];
}
// A load of this site is out until `done`.
inline void add_load(WarpState& warp, std::uint32_t site, std::uint64_t done) {
  warp.done[warp.loads] = done;
  warp.load_site[warp.loads] = static_cast<std::uint16_t>(site);
  ++warp.loads;
}

// The cycle from which the next access has all it needs.
template <class Later>
std::uint64_t wait_for_loads(WarpState& warp, std::uint32_t site, const AccessPlan& plan,
                             Dependence& dependence, Later&& later) {
  std::uint64_t until = warp.ready;
  const bool all = plan.action == Action::kEnd;
  for (std::uint32_t i = 0; i < warp.loads;) {
    const std::uint64_t done = warp.done[i];
    const bool needs = all || dependence.waits(warp.load_site[i], warp.last_site, site);
    if (needs) until = later(until, done);
    if (needs || done <= warp.ready) {
      --warp.loads;
      warp.done[i] = warp.done[warp.loads];
      warp.load_site[i] = warp.load_site[warp.loads];
    } else {
      ++i;
    }
  }
  return until;
}

// … of one load that is out, as mostly there is.
template <class Later>
inline std::uint64_t wait_for_load(WarpState& warp, std::uint32_t site, const AccessPlan& plan,
                                   Dependence& dependence, Later&& later) {
  const std::uint64_t done = warp.done[0];
  const bool needs =
      plan.action == Action::kEnd || dependence.waits(warp.load_site[0], warp.last_site, site);
  if (needs || done <= warp.ready) warp.loads = 0;
  return needs ? later(warp.ready, done) : warp.ready;
}

}  // namespace warpmem::sim
