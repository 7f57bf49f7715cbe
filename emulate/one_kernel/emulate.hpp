// One kernel from a PTX file, launched as a launch.toml says, traced. The command's way in.
#pragma once

#include <functional>
#include <string>

#include "emulate/executor/executor.hpp"
#include "emulate/one_kernel/launch_file.hpp"
#include "emulate/toolkit/code_level.hpp"

namespace warpmem::emulate {

struct EmulateRequest {
  std::string ptx;         // path
  std::string launch;      // path
  std::string output;      // trace; empty: none
  std::string tool;        // "warpmem 0.1.0 emulate"
  std::string command;     // command line, for the trace's origin
  bool overwrite = false;  // files that are there already: the trace, what buffers are written to
  CodeLevel level = CodeLevel::kBest;
  DeviceLimits limits;
  RunOptions run;
  std::function<void(const std::string&)> note;  // what the user should know of where files go
};

struct EmulateReport {
  std::string kernel;  // demangled
  RunStatistics statistics;
  double seconds = 0;   // of execution
  std::string why_ptx;  // its PTX ran, though nobody asked for that: the reason
  bool traced = false;  // the trace is whole, and has its name
  std::string kept;     // the incomplete trace that a failed run has left; empty: none
};

// When the kernel fails or is interrupted, what was traced is in OUTPUT.partial, and an OUTPUT of
// before stays what it is; `report` is filled then too.
Result<void> emulate_file(const EmulateRequest& request, EmulateReport& report);

}  // namespace warpmem::emulate
