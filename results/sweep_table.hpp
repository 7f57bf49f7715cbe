// What of a sweep is shown: some figures of each of its points.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "results/sweep.hpp"

namespace warpmem {

struct SweepSeries {
  std::string trace;   // empty: the sweep has one trace alone
  std::string metric;  // "cycles", "dram_sectors / cycles"
  std::string unit;
  std::vector<MetricValue> values;  // by point
};

// Where a curve along the last axis bends.
struct SweepKnee {
  std::size_t series = 0, point = 0;
};

struct SweepTable {
  std::vector<SweepAxis> axes;
  struct Point {
    std::uint64_t number = 0;
    std::vector<std::string> values;  // by axis
    std::string left_out;
  };
  std::vector<Point> points;
  std::vector<SweepSeries> series;
  std::vector<SweepKnee> knees;
  std::optional<std::size_t> best;  // a search: the point with the least of the first series
  std::vector<std::string> notes;
};

}  // namespace warpmem
