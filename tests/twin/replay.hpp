// Replays a trace as sim::replay does with the counts engine, on the twin of everything.
#pragma once

#include <vector>

#include "tests/twin/schedule.hpp"

namespace warpmem::twin {

struct TwinLaunch {
  model::LaunchCounters counters;
  std::uint64_t forced = 0;  // barriers
};

Result<std::vector<TwinLaunch>> replay(const trace::TraceReader& reader, const model::Card& card,
                                       bool keep_caches = false);

}  // namespace warpmem::twin
