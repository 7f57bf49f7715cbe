#include "model/l2/spec.hpp"

#include "model/card/card.hpp"
#include "model/card/ecc.hpp"
#include "model/card/spec_of.hpp"
#include "model/card/specs/u32.hpp"

namespace warpmem::model {
template <>
L2Spec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  L2Spec s;
  s.side.line_bytes = u32(n.line_bytes);
  s.side.bytes = n.l2_bytes / n.l2_sides;
  s.side.ways = u32(n.l2_ways);
  s.side.dirty_ways = u32(n.l2_dirty_ways);
  s.side.partial_ways = u32(n.l2_partial_ways);
  s.side.index = static_cast<SetRule>(n.l2_index);
  s.sides = static_cast<int>(n.l2_sides);
  for (std::uint64_t b : n.l2_home_bits) s.home_mask |= std::uint64_t{1} << b;
  s.fetch_sectors = u32(n.l2_fetch_bytes / 32);
  s.merge = u32(n.lrc_merge);
  s.path_cycles = u32(n.lrc_way_cycles);
  s.read_entries = u32(n.l1_read_entries);
  s.read_cycles = u32(n.l1_read_cycles);
  s.near_cycles = u32(n.latency_l2_near);
  s.near_spread = u32(n.latency_l2_spread);
  s.host_cycles = u32(n.latency_host);
  s.dram_spread = u32(n.latency_dram_spread);
  s.dram_tail = u32(n.latency_dram_tail);
  s.far_cycles = u32(n.latency_l2_far);
  s.dram_cycles = u32(n.latency_dram);
  s.dram_sectors_per_kilocycle = u32(dram_bandwidth(n));
  for (std::uint64_t v : n.sm_side) s.sm_side.push_back(static_cast<std::uint8_t>(v));
  for (std::uint64_t v : n.sm_gpc) s.sm_group.push_back(static_cast<std::uint8_t>(v));
  return s;
}

}  // namespace warpmem::model
