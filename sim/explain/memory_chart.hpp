// The first screen's figures of a replayed launch.
#pragma once

#include "results/memory_chart.hpp"
#include "sim/replay.hpp"

namespace warpmem::sim {

// The worst lines are from the addresses of a part of the records at most.
Result<MemoryChart> memory_chart(const trace::TraceReader& reader, std::uint32_t launch,
                                 const model::Card& card, const ReplayedLaunch& replayed);

}  // namespace warpmem::sim
