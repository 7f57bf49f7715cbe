// How long what is read takes on an idle GPU: from the slice of the L2 that a line is
// in, and from the DRAM behind that. Lines differ, by a fixed draw for each.
//
// Units: the user's own, cycles or ticks.
#pragma once

#include <cstdint>

namespace warpmem::model {

struct Latencies {
  std::uint32_t near_cycles, near_spread;             // of a slice
  std::uint32_t dram_cycles, dram_spread, dram_tail;  // more for DRAM; tail: one line in eight

  static constexpr std::uint64_t kFactor = 0xd1b54a32d192ed03ull;
  // Which slice, and which DRAM bank in what state.
  static std::uint32_t draw_of(std::uint64_t line) {
    return static_cast<std::uint32_t>(line * kFactor >> 32);
  }
  std::uint32_t near(std::uint32_t draw) const {
    return near_cycles +
           static_cast<std::uint32_t>(std::uint64_t{draw & 0xffff} * near_spread >> 16);
  }
  std::uint32_t dram(std::uint32_t draw) const {
    const auto spread = static_cast<std::uint32_t>(std::uint64_t{draw >> 16} * dram_spread >> 16);
    const auto tail =
        static_cast<std::uint32_t>(std::uint64_t{draw >> 11 & 0xffff} * dram_tail >> 16);
    return dram_cycles + spread + ((draw >> 8 & 7) == 0 ? tail : 0);
  }
};

}  // namespace warpmem::model
