// What a sweep is, before any of its points is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/sweep.hpp"

namespace warpmem::sweep {

// What makes two sweeps the same: "version", "gpu", "trace 1", … each with its value.
using Identity = std::vector<std::pair<std::string, std::string>>;

struct Plan {
  Identity identity;
  SweepResult empty;         // axes, traces, metrics
  std::uint64_t points = 0;  // how many there are when all are there
  // Points may be fewer than the space has (a search): what says that all are there is the caller.
  std::string part;  // "3/16" of a sweep that is shared out; empty: it is whole
};

// Whether a plan can be one, and whether a point is one of its points: that of its number's values,
// left out with a reason or with a value for each trace and metric.
bool sound(const Plan& plan);
bool fits(const Plan& plan, const SweepPoint& point);
// How many points of a space of `points` belong to a part ("3/16"; empty: all). Nothing: it is no
// part.
std::optional<std::uint64_t> points_of_part(const std::string& part, std::uint64_t points);

}  // namespace warpmem::sweep
