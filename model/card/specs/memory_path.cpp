#include "model/interconnect/spec.hpp"

#include <algorithm>

#include "model/access/rule/access_rule.hpp"
#include "model/card/card.hpp"
#include "model/card/card_numbers_derived.hpp"
#include "model/card/ecc.hpp"
#include "model/card/spec_of.hpp"
#include "model/card/specs/u32.hpp"
#include "model/timing/throughput.hpp"

namespace warpmem::model {
template <>
MemoryPathSpec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  MemoryPathSpec s;
  s.sms = u32(n.sm_count);
  s.line_bytes = u32(n.line_bytes);
  s.sides = u32(n.l2_sides);
  s.slices = u32(n.l2_slices);
  if (static_cast<AccessRule>(n.access_rule) != AccessRule::kSectors) {
    // A partition of memory has its share of the L2, or none, and a channel.
    s.slices = u32(n.l2_bytes == 0 || n.l2_partitions == 0 ? n.dram_channels : n.l2_partitions);
    s.by_partition = true;
  }
  const std::uint64_t clock = std::max<std::uint64_t>(1, n.l2_clock_permille);
  const auto slice = [&](std::uint64_t permille) {
    return u32((kTicks * permille + clock / 2) / clock);
  };
  s.read_ticks = slice(n.l2_read_permille);
  s.read_sector_ticks = slice(n.l2_read_sector_permille);
  s.write_ticks = slice(n.l2_write_permille);
  s.write_sector_ticks = slice(n.l2_write_sector_permille);
  s.partial_sector_ticks = slice(n.l2_partial_sector_permille);
  if (n.l2_bytes == 0)
    s.write_sector_ticks = s.partial_sector_ticks = u32(kTicks * n.dram_store_permille / 1000);
  s.atomic_part_ticks = slice(n.l2_atomic_part_permille);
  s.atomic_pass_ticks = slice(n.l2_atomic_pass_permille);
  s.atomic_float_ticks = slice(n.l2_atomic_float_permille);
  s.fill_sector_ticks = slice(n.l2_fill_sector_permille);
  s.receive_ticks = u32(kTicks * 1000 / n.port_receive_permille);
  s.send_ticks = u32(kTicks * 1000 / n.port_send_permille);
  s.send_header_ticks = u32(kTicks * n.port_send_header_permille / 1000);
  s.near_cycles = u32(n.latency_l2_near);
  s.near_spread = u32(n.latency_l2_spread);
  s.far_cycles = u32(n.latency_l2_far);
  s.dram_cycles = u32(n.latency_dram);
  s.dram_spread = u32(n.latency_dram_spread);
  s.dram_tail = u32(n.latency_dram_tail);
  s.host_cycles = u32(n.latency_host);
  s.host_sector_ticks = u32(kTicks * 1000 / n.host_permille);
  s.queue_cycles = u32(n.l2_queue_cycles);
  for (std::uint64_t v : n.sm_side) s.sm_side.push_back(static_cast<std::uint8_t>(v));
  s.dram.channels = u32(n.dram_channels);
  s.dram.banks = u32(n.dram_banks);
  if (n.l2_ways > 0)
    s.dram.completed_most = u32(n.l2_bytes / 128 / n.l2_ways * n.l2_filled_ways / n.dram_channels);
  s.dram.devices = u32(n.dram_devices);
  s.dram.row_bytes = u32(n.dram_row_bytes);
  // The rate on the card is what is left beside refreshes; those that take the bus in the model are
  // not taken from it again.
  const double unrefreshed = 1 - dram_refresh_share(n);
  s.dram.burst_ticks =
      unrefreshed == 1
          ? u32(kTicks * 1000 * n.dram_channels / dram_bandwidth(n))
          : u32(static_cast<std::uint64_t>(static_cast<double>(kTicks * 1000 * n.dram_channels) *
                                           unrefreshed / static_cast<double>(dram_bandwidth(n))));
  // Before 7.0 a channel is slow, and what is left of a tick counts.
  if (static_cast<AccessRule>(n.access_rule) != AccessRule::kSectors)
    s.dram.burst_millionths = u32(
        static_cast<std::uint64_t>(1e6 * (static_cast<double>(kTicks * 1000 * n.dram_channels) *
                                              unrefreshed / static_cast<double>(dram_bandwidth(n)) -
                                          s.dram.burst_ticks)));
  s.dram.activate_ticks = u32(kTicks * n.dram_activate_permille / 1000);
  s.dram.row_cycle_ticks = u32(kTicks * n.dram_row_cycles);
  s.dram.turnaround_ticks = u32(kTicks * n.dram_turnaround_cycles);
  s.dram.switch_ticks = u32(kTicks * n.dram_switch_cycles);
  s.dram.write_most_ticks = u32(s.dram.burst_ticks * n.dram_write_batch);
  s.dram.write_ticks = u32(kTicks * n.dram_write_permille / 1000);
  s.dram.burst_sectors = std::max(1u, u32(n.dram_width_bits * n.dram_burst / 256));
  s.dram.interleave_lines = u32(n.dram_interleave_bytes / 128);
  s.dram.map = static_cast<DramMap>(n.dram_map);
  s.dram.refresh = static_cast<DramRefresh>(n.dram_refresh);
  const auto ticks = [&](std::uint64_t ps) { return kTicks * ps * n.clock_mhz / 1'000'000; };
  s.dram.refresh_interval_ticks = ticks(n.dram_t_refi_ps);
  s.dram.refresh_ticks =
      u32(ticks(n.dram_t_rp_ps +
                (s.dram.refresh == DramRefresh::kAll ? n.dram_t_rfc_ps : n.dram_t_rfc_bank_ps)));
  return s;
}

}  // namespace warpmem::model
