// A timed replay over time, for a person to look at: where each CTA was, and when.
#pragma once

#include <fstream>
#include <string>

#include "base/error.hpp"
#include "sim/replay.hpp"

namespace warpmem::command {

// Opens the file before there is anything to write, so that a wrong path is told at once.
Result<std::ofstream> open_timeline(const std::string& path);

// Writes the Chrome trace format (JSON), which Perfetto and chrome://tracing open: a process an SM,
// a thread a CTA slot, an event a CTA, launches one after the other; 1 us in it is one SM cycle.
// Fails (kUsage) when there are more CTAs than anybody could look at.
Result<void> write_timeline(const sim::ReplayResult& result, std::ofstream& out,
                            const std::string& path);

}  // namespace warpmem::command
