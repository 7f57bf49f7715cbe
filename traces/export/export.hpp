// Traces as other simulators read them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::exports {

struct ExportReport {
  std::vector<std::string> files;
  std::uint64_t launches = 0, records = 0, instructions = 0;
  std::vector<std::string> missing;  // what the files lack, each a sentence's beginning
};

struct ExportRequest {
  std::string output;  // the list of launches: kernelslist.g; kernel-N.traceg come beside it
  bool replace = false;
  std::function<bool(std::uint64_t launch)> only;       // ids; none: all
  std::function<bool(std::uint64_t records)> progress;  // false stops
};

// For Accel-Sim: the text form of its tracer's version 5, with every instruction that warps ran.
// Addresses and the lanes of memory instructions are those of the trace. What lies in between is
// found in the machine code (sim/code/code_paths.hpp), and runs with the lanes of the accesses
// around it. kUsage where a launch has no machine code.
Result<ExportReport> export_accel_sim(const trace::TraceReader& reader,
                                      const ExportRequest& request);

}  // namespace warpmem::exports
