// Rules of what may change between two results, of `diff --fail-on`: "l2_sectors>+5%",
// "cycles>20000", "dram__sectors_read.sum<-1%".
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "results/launch_metrics.hpp"

namespace warpmem::validate {

struct ChangeRule {
  std::string text;
  std::string counter;  // a metric's name, or a short one: cycles, sectors, l2_sectors, …
  bool above = true;    // fails above the bound; else below
  bool or_equal = false;
  enum class Of { kAfter, kChange, kPercent } of = Of::kPercent;  // what is held against the bound
  double bound = 0;
};

// Rules separated by commas.
Result<std::vector<ChangeRule>> read_rules(const std::string& text);

// A counter of a launch by its name, short or whole; the sum that a short name stands for.
MetricValue counter_of(const LaunchMetrics& launch, const std::string& name);
std::vector<std::string> short_counters();

// "launch 0, copy(float*): 128 -> 1,024 (+700.0 %)"; empty: the rule holds.
std::string failure_of(const ChangeRule& rule, const LaunchMetrics& before,
                       const LaunchMetrics& after);

}  // namespace warpmem::validate
