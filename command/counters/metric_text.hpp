// What is said of a metric beside its number.
#pragma once

#include <string>
#include <string_view>

#include "validate/metric_map.hpp"

namespace warpmem::command {

// What validation accepts of it: "equal", "within 5 %".
std::string accepted(const validate::MetricRule& rule);

// A replay, as far as its accuracy depends on it.
struct ReplayedAs {
  std::string gpu, level, engine;
  std::string unlike;  // why it is unlike what was validated; empty: it is like that
};
// "median 0.3 %, 90th percentile 4.5 %", or "not measured" and why. Empty for what is no counter of
// the profiler's.
std::string accuracy(const ReplayedAs& replay, std::string_view metric);

}  // namespace warpmem::command
