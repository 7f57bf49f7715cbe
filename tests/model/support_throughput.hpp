// What a Throughput has given away, seen from outside: asking a copy of it for nothing at the start
// of a span says where the span's free part begins.
#pragma once

#include <vector>

#include "model/timing/throughput.hpp"

namespace warpmem::testing {

constexpr std::uint64_t kSpanTicks = 32 * model::kTicks;

// Ticks given away of each span from `first` on, `count` spans of those that are remembered.
inline std::vector<std::uint64_t> given_away(const model::Throughput& t, std::uint64_t first,
                                             std::size_t count) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t s = first; s < first + count; ++s) {
    model::Throughput copy = t;
    const std::uint64_t free = copy.reserve(s * kSpanTicks, 0);
    out.push_back(std::min(free - s * kSpanTicks, kSpanTicks));
  }
  return out;
}

}  // namespace warpmem::testing
