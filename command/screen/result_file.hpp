// Reads back what `replay --format json` wrote.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "results/launch_metrics.hpp"

namespace warpmem::command {

struct ResultFile {
  std::string path;
  std::string gpu;
  std::string engine;  // "time", "counts"; empty: written before results named it
  std::string level;   // of the trace
  bool keep_caches = false;
  std::map<std::string, std::string> card;  // by key, as shown
  std::vector<LaunchMetrics> launches;
};

// kUsage when it cannot be read, kMalformed when it is no replay result.
Result<ResultFile> read_result(const std::string& path);

}  // namespace warpmem::command
