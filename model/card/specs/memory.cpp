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

// Before 7.0 nothing is known of limits to dirty lines, and reads do not wait for each other.
MemorySpec::L2 early_l2_of(const CardNumbers& n) {
  MemorySpec::L2 l2;
  l2.present = n.l2_bytes > 0;
  l2.by_channel = true;
  l2.partitions = u32(std::max<std::uint64_t>(1, n.l2_partitions));
  l2.group_of_sm.assign(n.sm_count, 0);
  if (!l2.present) return l2;
  l2.ways = l2.dirty_ways = l2.partial_ways = u32(n.l2_ways);
  l2.fetch_sectors = u32(std::min(n.l2_fetch_bytes, n.line_bytes) / 32);
  l2.replacement = static_cast<Replacement>(n.l2_replacement);
  const std::uint64_t sets = n.l2_bytes / n.line_bytes / n.l2_ways / l2.partitions;
  l2.index = SetIndex(static_cast<SetRule>(n.l2_index), u32(std::max<std::uint64_t>(1, sets)));
  l2.index.shared_by(l2.partitions,
                     u32(std::max<std::uint64_t>(1, n.dram_interleave_bytes / n.line_bytes)));
  return l2;
}

// Lines of a second cache of textures go to the partitions in turn, so that the sets of all of them
// are those of one cache.
L1Spec texture_of(std::uint64_t bytes, std::uint64_t line, std::uint64_t ways,
                  std::uint64_t asked) {
  L1Spec t;
  t.early = true;
  t.bytes = bytes;
  t.line_bytes = u32(line);
  t.asked_bytes = u32(asked);
  t.sectors = u32(line / kSectorBytes);
  t.index = {SetRule::kLowBits, 0};
  t.ways = u32(ways);
  t.tag_banks = 1;
  return t;
}

void early_caches_of(const CardNumbers& n, unsigned capability, MemorySpec& s) {
  s.constants = static_cast<ConstantRule>(n.constant_rule);
  s.reads_apart = capability >= 35;
  s.counts_by_line = s.access == AccessRule::kLinesOrSegments && capability >= 30;
  if (n.texture_bytes == 0) return;
  s.texture = texture_of(n.texture_bytes, n.texture_line, n.texture_ways, n.line_bytes);
  s.texture_sms = u32(std::max<std::uint64_t>(1, n.texture_sms));
  const std::uint64_t second = n.texture_second_line;
  if (n.texture_second_bytes > 0)
    s.texture_second = texture_of(n.texture_second_bytes, second, n.texture_second_ways, second);
}

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
  l2.merge = u32(n.lrc_merge);
  l2.path_cycles = u32(n.lrc_way_cycles);
  return l2;
}

}  // namespace

template <>
MemorySpec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  MemorySpec s;
  s.access = static_cast<AccessRule>(n.access_rule);
  s.line_bytes = u32(n.line_bytes);
  s.banks = u32(n.shared_banks);
  s.bank_bytes = u32(n.shared_bank_bytes);
  s.shared = static_cast<SharedRule>(n.shared_rule);
  s.l1 = spec_of<L1Spec>(card);
  s.l2 = s.moves_transactions() ? early_l2_of(n) : l2_of(n);
  if (s.moves_transactions()) early_caches_of(n, card.capability(), s);
  s.latency = {u32(n.latency_l2_near), u32(n.latency_l2_spread), u32(n.latency_dram),
               u32(n.latency_dram_spread), u32(n.latency_dram_tail)};
  s.far_cycles = u32(n.latency_l2_far);
  s.host_cycles = u32(n.latency_host);
  s.dram_sectors_per_kilocycle = u32(dram_bandwidth(n));
  s.dram = spec_of<MemoryPathSpec>(card).dram;
  return s;
}

}  // namespace warpmem::model
