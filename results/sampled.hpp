// What a replay of a part of a trace says of the whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dim3.hpp"

namespace warpmem {

struct SampledMetric {
  std::string name, unit;
  double estimate = 0;
  double half_width = 0;  // of the confidence interval; 0: nothing was left to chance
};

// Launches that are alike: one kernel, one shape, one mix of instructions.
struct SampledGroup {
  std::string kernel;
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::uint64_t launches = 0, replayed = 0;
  std::uint64_t records = 0, records_replayed = 0;
  std::uint64_t windows = 0;  // of CTAs, where its launches were not replayed whole
  double cycles = 0;          // estimated, all of its launches; 0: no time was kept
};

struct SampleResult {
  double confidence = 0.95;
  std::uint64_t seed = 1;
  std::uint64_t launches = 0, launches_replayed = 0;
  std::uint64_t records = 0, records_replayed = 0;
  std::vector<SampledMetric> metrics;
  std::vector<SampledGroup> groups;  // most records first
  std::vector<std::string> notes;
};

}  // namespace warpmem
