// Specs of a GPU that is like an H200, for tests of one part: numbers that no card holds, so that
// these tests do not move when a card is measured again.
#pragma once

#include "model/cache/index/l1_index.hpp"
#include "model/cache/spec.hpp"
#include "model/constant/spec.hpp"
#include "model/dram/spec.hpp"
#include "model/interconnect/spec.hpp"
#include "model/l2/spec.hpp"

namespace warpmem::model {

inline DramSpec example_dram() {
  DramSpec s;
  s.channels = 192;
  s.banks = 64;
  s.devices = 6;
  s.row_bytes = 1024;
  s.burst_ticks = 170;
  s.activate_ticks = 570;
  s.row_cycle_ticks = 5600;
  s.switch_ticks = 12800;
  s.turnaround_ticks = 1900;
  s.write_ticks = 540;
  s.write_most_ticks = 54400;
  s.interleave_lines = 2;
  return s;
}

inline MemoryPathSpec example_path() {
  MemoryPathSpec s;
  s.sms = 132;
  s.sides = 2;
  s.slices = 96;
  s.read_ticks = 48, s.read_sector_ticks = 31;
  s.write_ticks = 56, s.write_sector_ticks = 46;
  s.partial_sector_ticks = 63;
  s.atomic_pass_ticks = 74, s.atomic_part_ticks = 19;
  s.fill_sector_ticks = 8;
  s.receive_ticks = 23;
  s.send_ticks = 64;
  s.send_header_ticks = 74;
  s.near_cycles = 245, s.near_spread = 55;
  s.far_cycles = 190;
  s.dram_cycles = 255, s.dram_spread = 60, s.dram_tail = 500;
  s.host_cycles = 1500;
  s.host_sector_ticks = 80;
  s.queue_cycles = 400;
  s.dram = example_dram();
  return s;
}

// As compute capability 9.0 has it, of so many lines in so many sets.
inline L1CacheSpec example_l1(std::uint32_t lines = 1736, std::uint32_t sets = kL1Sets) {
  return {lines, sets, 4, SetRule::kXorMatrix, Replacement::kAfterHits};
}

inline L2SideSpec example_l2_side() {
  return {.bytes = 31457280, .ways = 16, .dirty_ways = 7, .partial_ways = 2};
}

inline L2Spec example_l2() {
  L2Spec s;
  s.side = example_l2_side();
  s.sides = 2;
  s.fetch_sectors = 2;
  s.merge = 4;
  s.path_cycles = 205;
  s.near_cycles = 245, s.near_spread = 55;
  s.far_cycles = 190;
  s.dram_cycles = 255, s.dram_spread = 60, s.dram_tail = 500;
  s.host_cycles = 1500;
  s.dram_sectors_per_kilocycle = 72000;
  return s;
}

inline ConstantSpec example_constants() {
  ConstantSpec s;
  s.bytes = 2048, s.line = 64, s.ways = 4;
  s.group_bytes = 65536, s.group_line = 256;
  s.group_cycles = 81, s.memory_cycles = 590;
  s.next_cycles = 11, s.address_cycles = 2;
  s.misses = 4;
  return s;
}

}  // namespace warpmem::model
