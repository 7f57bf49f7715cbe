// Traces that other tools wrote, as traces of ours.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::imports {

struct ImportRequest {
  std::string path;    // a .traceg, kernelslist.g, or what NVBit's mem_trace printed
  std::string output;  // the trace
  std::string tool;    // "warpmem 0.1.0 import"
  std::string command;
  bool overwrite = false;
  // Records so far; false stops.
  std::function<bool(std::uint64_t records)> progress;
};

struct ImportReport {
  std::string format;  // "Accel-Sim, tracer version 5"
  std::uint64_t launches = 0, ctas = 0, records = 0, instructions = 0;
  std::vector<std::string> missing;  // what the trace lacks
};

// kMalformed with file and line where the input is not what it says it is; then there is no trace.
Result<ImportReport> import_trace(const ImportRequest& request);

}  // namespace warpmem::imports
