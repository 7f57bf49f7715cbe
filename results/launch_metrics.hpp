// What one kernel launch counted, under the profiler's own metric names. The simulator predicts
// it, the profiler import measures it, and validation compares the two.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/dim3.hpp"

namespace warpmem {

// A metric's value, or why there is none. Never a blank or a zero where the truth is "not known".
struct MetricValue {
  double value = 0;
  std::string missing;  // empty when `value` holds; otherwise the reason, shown as "n/a (reason)"
  bool known() const { return missing.empty(); }
};

struct LaunchMetrics {
  std::uint64_t launch = 0;                    // position among the launches of its program, from 0
  std::string kernel;                          // demangled name with its template arguments
  Dim3 grid{1, 1, 1};                          // CTAs
  Dim3 block{1, 1, 1};                         // threads
  std::map<std::string, MetricValue> metrics;  // full profiler name -> value, in base units
};

}  // namespace warpmem
