// One launch on the counts engine, on one thread: its CTAs come to SMs and go, step by step of the
// rough clock (docs/design/replay-order.md).
#pragma once

#include "sim/engine/barrier_waits.hpp"
#include "sim/engine/launch_run.hpp"

namespace warpmem::sim {

// Runs the launch's records; the barriers that had to be opened.
Result<ForcedBarriers> count_launch(const LaunchRun& run, const Tick& tick);

}  // namespace warpmem::sim
