#include "model/general/memory_spec.hpp"

#include <algorithm>

#include "model/access/access.hpp"
#include "model/card/card.hpp"
#include "model/card/ecc.hpp"
#include "model/card/spec_of.hpp"
#include "model/card/specs/u32.hpp"
#include "model/interconnect/spec.hpp"

namespace warpmem::model {
namespace {

MemorySpec::L2 l2_of(const CardNumbers& n) {
  MemorySpec::L2 l2;
  l2.partitions = u32(n.l2_sides);
  if (n.l2_sides > 1)
    for (const std::uint64_t bit : n.l2_home_bits) l2.home_mask |= std::uint64_t{1} << bit;
  l2.ways = u32(n.l2_ways);
  l2.replacement = static_cast<Replacement>(n.l2_replacement);
  const auto rule = static_cast<SetRule>(n.l2_index);
  const std::uint64_t sets = n.l2_bytes / n.l2_sides / n.line_bytes / n.l2_ways;
  l2.index = {rule, u32(sets)};
  l2.dirty_ways = u32(n.l2_dirty_ways);
  l2.partial_ways = u32(n.l2_partial_ways);
  l2.fetch_sectors = u32(std::min(n.l2_fetch_bytes, n.line_bytes) / 32);
  l2.of_sm.assign(n.sm_count, 0);
  l2.group_of_sm.assign(n.sm_count, 0);
  for (std::size_t sm = 0; sm < n.sm_count; ++sm) {
    if (n.l2_sides > 1 && sm < n.sm_side.size()) l2.of_sm[sm] = u32(n.sm_side[sm]);
    if (sm < n.sm_gpc.size()) l2.group_of_sm[sm] = u32(n.sm_gpc[sm]);
  }
  l2.merge = std::min(u32(n.lrc_merge), 255u);
  l2.way_cycles = u32(n.lrc_way_cycles);
  return l2;
}

}  // namespace

template <>
MemorySpec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  MemorySpec s;
  s.line_bytes = u32(n.line_bytes);
  s.banks = u32(n.shared_banks);
  s.bank_bytes = u32(n.shared_bank_bytes);
  s.shared = static_cast<SharedRule>(n.shared_rule);
  s.l1 = spec_of<L1Spec>(card);
  s.l2 = l2_of(n);
  s.latency = {u32(n.latency_l2_near), u32(n.latency_l2_spread), u32(n.latency_dram),
               u32(n.latency_dram_spread), u32(n.latency_dram_tail)};
  s.far_cycles = u32(n.latency_l2_far);
  s.host_cycles = u32(n.latency_host);
  s.dram_sectors_per_kilocycle = u32(dram_bandwidth(n));
  s.dram = spec_of<MemoryPathSpec>(card).dram;
  return s;
}

}  // namespace warpmem::model
