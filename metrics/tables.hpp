// The metrics of each vocabulary, a file each.
#pragma once

#include <span>

#include "metrics/metric.hpp"

namespace warpmem::metrics {

std::span<const Metric> ncu_metrics();  // counters, then what is worked out from them
std::span<const Metric> ncu_counters();
std::span<const Metric> ncu_ratios();
std::span<const Metric> nvprof_metrics();
std::span<const Metric> visual_profiler_metrics();

}  // namespace warpmem::metrics
