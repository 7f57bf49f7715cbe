// Changes of a launch as a whole, which leave the code that accesses alone: how the L1 is used, and
// how large blocks are.
#pragma once

#include <cstdint>
#include <vector>

#include "results/explanation.hpp"
#include "sim/engine/rewrite.hpp"
#include "sim/replay.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

struct LaunchCandidate {
  Change change;
  Rewrite rewrite;
  std::uint32_t parts = 1;  // into which each CTA is taken apart
};

// Those that could help, by what the launch did. `traffic`: of its sites; `plans`: by site.
std::vector<LaunchCandidate> launch_changes(const trace::TraceReader& reader, std::uint32_t launch,
                                            const ReplayedLaunch& replayed,
                                            const std::vector<SiteTraffic>& traffic,
                                            const std::vector<model::AccessPlan>& plans);

}  // namespace warpmem::sim
