// A timed replay over time, for a person to look at: where each CTA was, and when.
#pragma once

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "results/program_timeline.hpp"
#include "sim/replay.hpp"

namespace warpmem::command {

// Writes the Chrome trace format (JSON), which Perfetto and chrome://tracing open: a process an SM,
// a thread a CTA slot, an event a CTA, launches one after the other; 1 us in it is one SM cycle.
// Behind them, where the trace says what the program asked for, its steps: a process an engine, a
// thread a stream, in microseconds.
// Gives the file its name. Fails (kUsage) when there are more CTAs than anybody could look at.
Result<void> write_timeline(const sim::ReplayResult& result, const ProgramTimeline& program,
                            OutputFile& out);

}  // namespace warpmem::command
