// The counters of a launch under the profiler's names.
#pragma once

#include <cstdint>
#include <span>

#include "model/counters/launch_counters.hpp"

namespace warpmem::sim {

// A metric that the counts engine offers.
struct MetricRow {
  const char* name;  // the profiler's
  const char* unit;
  std::uint64_t (*value)(const model::LaunchCounters&);
};
std::span<const MetricRow> metric_rows();
// Those that memory systems of GPUs before compute capability 7.0 count
// (model/counters/early_counters.hpp), by the names that formulas of their metrics use.
std::span<const MetricRow> early_rows();

}  // namespace warpmem::sim
