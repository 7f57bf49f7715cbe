// What to record. The launcher passes it to the recorder library in environment variables, so that
// the library also works without the launcher: CUDA_INJECTION64_PATH=… WARPMEM_RECORD_OUTPUT=t.wmt.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace warpmem::record {

struct RecordOptions {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  std::string output = "trace.wmt";
  bool force = false;              // outputs that are there already may be replaced
  std::string kernel;              // regular expression on the demangled name; empty: all
  std::uint64_t first_launch = 0;  // launches [first, last) of the process, from 0
  std::uint64_t last_launch = kNoLimit;
  double ctas = 1;                         // fraction of each launch's CTAs, (0, 1]
  std::uint64_t max_records = kNoLimit;    // stop recording after that many
  std::string times;                       // CSV file to write; empty: none
  bool strict = false;                     // a failure of the recorder ends the program
  bool wait = true;                        // a launch returns when its records are read
  std::uint64_t buffer_bytes = 64u << 20;  // pinned memory between GPU and host
  unsigned threads = 0;                    // that read and compress; 0: by the number of cores
  std::vector<std::string> command;        // program and arguments
};

// (name, value) pairs, one per option that differs from its default, and back.
std::vector<std::pair<std::string, std::string>> to_environment(const RecordOptions& options);
// Reads this process's environment.
Result<RecordOptions> from_environment();

}  // namespace warpmem::record
