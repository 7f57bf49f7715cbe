// What many replays found: a point for each combination of what was varied.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/launch_metrics.hpp"

namespace warpmem {

struct SweepAxis {
  std::string key;                  // "l1.size", "gpu"
  std::vector<std::string> values;  // in order
};

struct SweepPoint {
  std::uint64_t number = 0;         // in the space: the last axis changes first
  std::vector<std::string> values;  // by axis
  std::string left_out;             // why there is no such GPU; empty: it was replayed
  // By trace, then metric: of all launches that were replayed, one after the other.
  std::vector<std::vector<MetricValue>> metrics;
};

struct SweepMetric {
  std::string name, unit;
};

struct SweepResult {
  std::vector<SweepAxis> axes;
  std::vector<std::string> traces;  // file names
  std::vector<SweepMetric> metrics;
  std::vector<SweepPoint> points;  // by number
};

}  // namespace warpmem
