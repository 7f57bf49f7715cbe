#include "tests/twin/spec.hpp"

#include <algorithm>
#include <bit>

#include "tests/twin/index.hpp"

namespace warpmem::twin {
namespace {

constexpr std::uint64_t kLowBits = 2;  // of the card's words for an index

std::uint32_t u32(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

std::vector<std::uint32_t> u32(const std::vector<std::uint64_t>& list) {
  return {list.begin(), list.end()};
}

TwinSpec::L1 l1_of(const model::CardNumbers& n) {
  TwinSpec::L1 l1;
  l1.bytes = n.l1_bytes;
  l1.reserved = n.l1_reserved;
  // A power of two, enough for L1 and shared memory together.
  l1.present = n.l1_cache == 0;
  l1.ways = u32(n.l1_ways);
  l1.sets = std::max(4u, u32(std::bit_ceil(n.l1_bytes / n.line_bytes / l1.ways)));
  l1.set_of = [sets = l1.sets](std::uint64_t line) { return xor_matrix_set(line, sets); };
  if (n.l1_index == kLowBits)
    l1.set_of = [sets = l1.sets](std::uint64_t line) { return line % sets; };
  l1.replacement = n.l1_replacement == 0 ? Replacement::kLru : Replacement::kYoung;
  l1.store_entries = std::clamp(u32(n.l1_store_entries), 1u, 64u);
  l1.store_cycles = u32(n.l1_store_cycles);
  l1.read_entries = u32(n.l1_read_entries);
  l1.read_cycles = u32(n.l1_read_cycles);
  return l1;
}

TwinSpec::L2 l2_of(const model::CardNumbers& n) {
  TwinSpec::L2 l2;
  l2.partitions = u32(n.l2_sides);
  l2.ways = u32(n.l2_ways);
  l2.sets = u32(n.l2_bytes / n.l2_sides / n.line_bytes / l2.ways);
  l2.set_of = [sets = l2.sets](std::uint64_t line) { return mixed_rows_set(line, sets); };
  if (n.l2_index == kLowBits)
    l2.set_of = [sets = l2.sets](std::uint64_t line) { return line % sets; };
  std::uint64_t mask = 0;
  if (n.l2_sides > 1)
    for (std::uint64_t bit : n.l2_home_bits) mask |= std::uint64_t{1} << bit;
  l2.home_of = [mask, bytes = n.line_bytes](std::uint64_t line) {
    return static_cast<std::uint64_t>(std::popcount(line * bytes & mask) % 2);
  };
  l2.dirty_ways = u32(n.l2_dirty_ways);
  l2.partial_ways = u32(n.l2_partial_ways);
  l2.side_of_sm = n.l2_sides > 1 ? u32(n.sm_side) : std::vector<std::uint32_t>(n.sm_count, 0);
  l2.dirty_before = n.launch_dirty_sectors;
  return l2;
}

TwinSpec::Latency latency_of(const model::CardNumbers& n) {
  TwinSpec::Latency l;
  l.l1 = u32(n.latency_l1);
  l.shared = u32(n.latency_shared);
  l.conflict = u32(n.latency_conflict);
  l.texture = u32(n.latency_texture);
  l.coordinates = u32(n.latency_coordinates);
  l.filter = u32(n.latency_filter);
  l.far = u32(n.latency_l2_far);
  l.host = u32(n.latency_host);
  l.least_near = u32(n.latency_l2_near);
  l.near = [least = n.latency_l2_near, spread = n.latency_l2_spread](std::uint64_t line) {
    return least + (draw(line) % 65536) * spread / 65536;
  };
  l.dram = [n](std::uint64_t line) {
    const std::uint64_t d = draw(line);
    const bool one_in_eight = d / 256 % 8 == 0;
    return n.latency_dram + d / 65536 * n.latency_dram_spread / 65536 +
           (one_in_eight ? d / 2048 % 65536 * n.latency_dram_tail / 65536 : 0);
  };
  return l;
}

}  // namespace

std::uint64_t TwinSpec::l1_lines(std::uint64_t shared_config) const {
  const std::uint64_t taken = shared_config + l1.reserved;
  return taken >= l1.bytes ? 4 : (l1.bytes - taken) / line_bytes;
}

TwinSpec spec_of(const model::Card& card) {
  const model::CardNumbers& n = card.numbers();
  TwinSpec s;
  s.line_bytes = u32(n.line_bytes);
  s.sm.banks = u32(n.shared_banks);
  s.sm.bank_bytes = u32(n.shared_bank_bytes);
  s.sm.count = u32(n.sm_count);
  s.sm.warps = u32(n.sm_warps);
  s.l1 = l1_of(n);
  s.l2 = l2_of(n);
  s.coalescer.merge = std::min(u32(n.lrc_merge), 255u);
  s.coalescer.way_cycles = u32(n.lrc_way_cycles);
  s.coalescer.entry_of = [](std::uint64_t line) { return line * 0x9e3779b97f4a7c15ull >> 54; };
  s.coalescer.group_of_sm = u32(n.sm_gpc);
  s.dram.fetch_sectors = u32(std::min(n.l2_fetch_bytes, n.line_bytes) / 32);
  s.dram.sectors_per_kilocycle = u32(n.dram_sectors_per_kilocycle);
  s.latency = latency_of(n);
  s.launch = {n.launch_l2_read_sectors, n.launch_dram_read_sectors, n.launch_fabric_sectors};
  return s;
}

}  // namespace warpmem::twin
