// The numbers of the path between the SMs and DRAM. Cycles of the SM clock; ticks:
// model/timing/throughput.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "model/dram/spec.hpp"

namespace warpmem::model {

struct MemoryPathSpec {
  std::uint32_t sms = 0;
  std::uint32_t line_bytes = 128;  // of the lines that callers speak of
  std::uint32_t sides = 1;
  std::uint32_t slices = 0;  // all sides
  // A line's slice goes with its DRAM channel (dram/partition_map.hpp); otherwise pairs of slices
  // are drawn.
  bool by_partition = false;
  // Ticks that a request keeps a slice: so many, and so many more for each sector.
  std::uint32_t read_ticks = 0, read_sector_ticks = 0;
  std::uint32_t write_ticks = 0, write_sector_ticks = 0;
  std::uint32_t partial_sector_ticks = 0;  // written in part
  // A pass of an atomic over a sector; more over a part of one.
  std::uint32_t atomic_pass_ticks = 0, atomic_part_ticks = 0;
  std::uint32_t atomic_float_ticks = 0;  // from one sum of floats in a sector to the next
  std::uint32_t fill_sector_ticks = 0;   // that DRAM or the other side brings
  std::uint32_t receive_ticks = 0;       // of an SM's port, for a sector it gets
  std::uint32_t send_ticks = 0;          // … that it sends
  std::uint32_t send_header_ticks = 0;   // … more for a request of less than a whole line
  std::uint32_t near_cycles = 0;         // from an L1 miss to its answer, near side
  std::uint32_t near_spread = 0;
  std::uint32_t far_cycles = 0;   // more for a crossing
  std::uint32_t dram_cycles = 0;  // more for DRAM
  std::uint32_t dram_spread = 0;
  std::uint32_t dram_tail = 0;
  std::uint32_t host_cycles = 0;        // over the host link and back
  std::uint32_t host_sector_ticks = 0;  // of the link, for a sector
  std::uint32_t queue_cycles = 0;       // of work that may wait before a slice or channel
  std::vector<std::uint8_t> sm_side;
  DramSpec dram;
};

}  // namespace warpmem::model
