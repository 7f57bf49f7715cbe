// The numbers of an L2, in the order of its parts. Bytes, counts, sectors, and cycles of the SM
// clock, as the names say.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/set_index.hpp"

namespace warpmem::model {

struct L2SideSpec {
  std::uint64_t bytes = 0;  // capacity of this side
  std::uint32_t ways = 0;
  std::uint32_t dirty_ways = 0;
  std::uint32_t partial_ways = 0;
  SetRule index = SetRule::kMixedRows;
  std::uint32_t line_bytes = 128;
};

struct L2Spec {
  L2SideSpec side;
  int sides = 1;                    // 1: not partitioned
  std::uint64_t home_mask = 0;      // parity of these address bits: the home side
  std::uint32_t fetch_sectors = 1;  // DRAM read granularity, sectors
  std::uint32_t merge = 1;          // SMs that one coalesced request serves; 1: no coalescer
  std::uint32_t path_cycles = 0;    // from an SM to the coalescer and back
  std::uint32_t read_cycles = 0;    // an SM's miss waits so long for others on its line
  std::uint32_t read_entries = 1;   // … and so many lines at most wait
  std::uint32_t near_cycles = 0;    // latency of a hit on the reader's side
  std::uint32_t near_spread = 0;    // by which slices differ
  std::uint32_t far_cycles = 0;     // more for a crossing
  std::uint32_t dram_cycles = 0;    // more for a miss
  std::uint32_t host_cycles = 0;    // over the host link
  std::uint32_t dram_spread = 0;    // by which misses differ
  std::uint32_t dram_tail = 0;      // one miss in eight takes up to this much more
  std::uint32_t dram_sectors_per_kilocycle = 1;  // bandwidth: sectors in 1,000 cycles
  std::vector<std::uint8_t> sm_side;             // by SM
  std::vector<std::uint8_t> sm_group;            // by SM: its GPC
};

}  // namespace warpmem::model
