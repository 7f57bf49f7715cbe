#include "model/early/early_spec.hpp"

#include <algorithm>

#include "model/card/card.hpp"
#include "model/card/ecc.hpp"
#include "model/card/spec_of.hpp"
#include "model/card/specs/u32.hpp"
#include "model/interconnect/spec.hpp"

namespace warpmem::model {
namespace {

void l1_of(const CardNumbers& n, EarlySpec& s) {
  s.cached = static_cast<CachedSpaces>(n.l1_cache);
  s.l1_bytes = n.l1_bytes;
  s.l1_reserved = n.l1_reserved;
  s.l1_sets = u32(n.l1_sets);
  s.l1_ways = u32(n.l1_ways);
  s.l1.line_bytes = s.l1.asked_bytes = s.line_bytes;
  s.l1.sector_bytes = u32(n.l1_sector);
  s.l1.rule = static_cast<SetRule>(n.l1_index);
  s.l1.replacement = static_cast<Replacement>(n.l1_replacement);
  s.allocate = static_cast<Allocate>(n.l1_allocate);
  s.write = static_cast<WritePolicy>(n.l1_write);
  s.local_write = static_cast<LocalWrite>(n.l1_local_write);
}

void texture_of(const CardNumbers& n, EarlySpec& s) {
  s.has_texture_cache = n.texture_bytes > 0;
  if (!s.has_texture_cache) return;
  s.texture.line_bytes = u32(n.texture_line);
  s.texture.asked_bytes = s.line_bytes;
  s.texture.sector_bytes = 32;
  s.texture.rule = SetRule::kLowBits;
  s.texture.replacement = Replacement::kLru;
  shape_sets(n.texture_bytes / n.texture_line, 0, u32(n.texture_ways), s.texture);
  s.texture_sms = u32(std::max<std::uint64_t>(1, n.texture_sms));
  if (n.texture_second_bytes == 0) return;
  // Lines go to the partitions in turn, so that the sets of all of them are those of one cache.
  s.texture_second = s.texture;
  s.texture_second.line_bytes = s.texture_second.asked_bytes = u32(n.texture_second_line);
  shape_sets(n.texture_second_bytes / n.texture_second_line, 0, u32(n.texture_second_ways),
             s.texture_second);
}

void l2_of(const CardNumbers& n, EarlySpec& s) {
  s.has_l2 = n.l2_bytes > 0;
  s.l2_partitions = u32(std::max<std::uint64_t>(1, n.l2_partitions));
  if (!s.has_l2) return;
  s.l2.partitions = s.l2_partitions;
  s.l2.ways = u32(n.l2_ways);
  // Nothing is known of limits to dirty lines.
  s.l2.dirty_ways = s.l2.partial_ways = s.l2.ways;
  s.l2.fetch_sectors = u32(std::min(n.l2_fetch_bytes, n.line_bytes) / 32);
  s.l2.replacement = static_cast<Replacement>(n.l2_replacement);
  const std::uint64_t sets = n.l2_bytes / n.line_bytes / n.l2_ways / s.l2_partitions;
  s.l2.index = SetIndex(static_cast<SetRule>(n.l2_index), u32(std::max<std::uint64_t>(1, sets)));
  s.l2.index.shared_by(s.l2_partitions,
                       u32(std::max<std::uint64_t>(1, n.dram_interleave_bytes / n.line_bytes)));
}

}  // namespace

template <>
EarlySpec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  EarlySpec s;
  s.sms = u32(n.sm_count);
  s.warps = u32(n.sm_warps);
  s.launch_l2_read = n.launch_l2_read_sectors;
  s.launch_dram_read = n.launch_dram_read_sectors;
  s.access = static_cast<AccessRule>(n.access_rule);
  s.line_bytes = u32(n.line_bytes);
  s.shared = static_cast<SharedRule>(n.shared_rule);
  s.banks = {u32(n.shared_banks), u32(n.shared_bank_bytes)};
  s.constant = static_cast<ConstantRule>(n.constant_rule);
  s.capability = card.capability();
  s.reads_past_l1 = s.capability >= 35;
  l1_of(n, s);
  texture_of(n, s);
  l2_of(n, s);
  s.dram = spec_of<MemoryPathSpec>(card).dram;
  s.latency = {u32(n.latency_l2_near), u32(n.latency_l2_spread), u32(n.latency_dram),
               u32(n.latency_dram_spread), u32(n.latency_dram_tail)};
  s.latency_l1 = u32(n.latency_l1);
  s.latency_shared = u32(n.latency_shared);
  s.latency_conflict = u32(n.latency_conflict);
  s.latency_texture = u32(n.latency_texture);
  s.latency_texture_miss =
      u32(n.latency_texture_miss > 0 ? n.latency_texture_miss : n.latency_texture);
  s.latency_host = u32(n.latency_host);
  s.dram_sectors_per_kilocycle = u32(dram_bandwidth(n));
  return s;
}

}  // namespace warpmem::model
