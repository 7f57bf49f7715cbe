// One launch on several threads: workers run CTAs ahead, the launch's own thread takes what they
// leave, in order. What CTAs learn of each other is watched (speculation.hpp): the result is that
// of one thread.
#pragma once

#include "emulate/executor/recorder.hpp"

namespace warpmem::emulate {

bool worth_running_ahead(const Running& run);
// Runs groups from `first` on; returns the first one that has to run in order (all done: the end).
Result<std::uint64_t> run_ahead(Running& run, Recorder& recorder, std::uint64_t first);

}  // namespace warpmem::emulate
