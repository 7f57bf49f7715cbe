// Rows of sets that are shuffled as one: what an L2 that knows the rule mixed_rows shares with it.
#pragma once

#include <cstdint>

namespace warpmem::model {

// How many sets a row has: the most that divide their number, up to as many as were measured; fewer
// sets than that are one row.
inline constexpr std::uint32_t kMostRows = 1024;
constexpr std::uint32_t rows_of_sets(std::uint32_t sets) {
  if (sets < kMostRows) return sets;
  const std::uint32_t divides = sets & (~sets + 1);  // a power of two
  return divides < kMostRows ? divides : kMostRows;
}

}  // namespace warpmem::model
