// Where the counts engine and its twin differ on a trace, in words.
#pragma once

#include <string>

#include "sim/metric_rows.hpp"
#include "sim/replay.hpp"
#include "tests/twin/replay.hpp"

namespace warpmem::twin {

// Every metric of a launch, and what the metrics are sums of: "name: engine 5, twin 6".
std::string differences(const model::LaunchCounters& engine, const model::LaunchCounters& twin);
// The same of all launches of a trace; empty: there are none.
std::string differences(const trace::TraceReader& reader, const model::Card& card,
                        const sim::ReplayOptions& options = {});

}  // namespace warpmem::twin
