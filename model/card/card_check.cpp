// Numbers of a card that contradict each other would give results that look right.
#include <algorithm>
#include <bit>
#include <optional>

#include "base/units.hpp"
#include "model/card/card.hpp"
#include "model/card/card_fields.hpp"
#include "model/card/card_numbers_derived.hpp"
#include "model/cache/store_queue.hpp"

namespace warpmem::model {
namespace {

struct Contradiction {
  std::string message, fix = "correct it";
};
using Found = std::optional<Contradiction>;

std::string text(std::uint64_t v) { return std::to_string(v); }

// What a card may do without: costs beyond another one, and what not every GPU has. All other
// numbers are positive: no latency is zero, no place is passed for nothing, no cache is empty.
constexpr std::string_view kMayBeZero[] = {
    "shared.reserved", "shared.generous", "l1.reserved", "l1.read_cycles", "l1.store_cycles",
    "lrc.way_cycles", "latency.coordinates", "latency.filter", "latency.l2_spread",
    "l2.filled_ways", "latency.l2_far",  // where the L2 has one side
    "latency.dram_spread", "latency.dram_tail", "l2.queue_cycles", "port.send_header_permille",
    "constant.group_cycles", "constant.operand_cycles", "constant.load_cycles",
    "constant.next_cycles", "code.again_cycles", "code.group_again_jump_cycles", "code.far_jump_cycles", "code.brought",
    "code.group_again_cycles", "code.far_cycles", "launch.dram_read_sectors",
    "launch.l2_read_sectors", "launch.fabric_sectors", "launch.stagger_cycles",
    "launch.share_millicycles", "launch.sm_millicycles", "launch.sm_warp_millicycles",
    "launch.sm_most_millicycles", "launch.gpc_millicycles", "launch.gpc_warp_millicycles",
    "launch.dirty_sectors", "dram.turnaround_cycles", "dram.switch_cycles", "dram.write_permille", "time.launch_cycles", "time.drain_cycles",
    "time.fence_cycles", "time.cta_cycles", "time.turn_cycles", "time.warp_cycles",
    "time.first_cycles", "time.translate_cycles", "time.queue_cycles", "time.queue_loads",
    "time.queue_stores", "time.queue_moved", "time.read_cycles", "time.read_global_cycles",
    "time.read_register_cycles", "time.barrier_cycles", "time.barrier_lead_cycles",
    "time.barrier_warp_cycles", "time.cluster_millicycles", "time.cluster_barrier_cycles",
    "time.code_cycles", "topology.cta_small_groups", "topology.cta_small_first",
    "topology.cta_small_every",
    // Those whose zero has a message of its own below.
    "l2.sides", "l2.dirty_ways", "l2.partial_ways"};

Found zero(const CardNumbers& n) {
  // What other numbers follow from goes first, as those would be 0 as well: the clock scales what is
  // counted in cycles, channels and pins the bandwidth.
  const std::pair<const char*, std::uint64_t> sources[] = {{"sm.clock_mhz", n.clock_mhz},
                                                           {"dram.channels", n.dram_channels},
                                                           {"dram.width_bits", n.dram_width_bits},
                                                           {"dram.rate_mbps", n.dram_rate_mbps}};
  for (const auto& [key, value] : sources)
    if (value == 0) return Contradiction{std::string(key) + " is 0", "give a positive number"};
  for (const CardField& f : card_fields()) {
    const auto* const one = std::get_if<CardField::One>(&f.member);
    if (!one || n.**one != 0 || f.words) continue;
    if (std::find(std::begin(kMayBeZero), std::end(kMayBeZero), f.key) == std::end(kMayBeZero))
      return Contradiction{std::string(f.key) + " is 0", "give a positive number"};
  }
  if (n.l2_sides == 2 && n.latency_l2_far == 0)
    return Contradiction{"latency.l2_far is 0 although the L2 has two sides",
                         "give a positive number, or write 1 for l2.sides"};
  return {};
}

// The most of a unit that a number may say, far beyond what any GPU has: half a millisecond to wait,
// and half a microsecond of a place for one request, as what is taken of a place is noted span by
// span (throughput.hpp).
std::optional<std::uint64_t> most_of(std::string_view unit) {
  constexpr std::uint64_t kWait = 1'000'000, kTaken = 1'000;  // cycles
  if (unit == "cycles") return kWait;
  if (unit == "millicycles" || unit == "cycles/1000" || unit == "per mille") return 1000 * kTaken;
  if (unit == "ps") return 1000 * kWait;
  return std::nullopt;
}

// What the model has room for.
Found too_much(const CardNumbers& n) {
  constexpr std::uint64_t kMostL1 = 4 << 20, kMostL2 = std::uint64_t{4} << 30;
  const std::pair<const char*, std::pair<std::uint64_t, std::uint64_t>> limits[] = {
      {"sm.warps", {n.sm_warps, 64}},
      {"sm.count", {n.sm_count, 4096}},
      {"l1.store_entries", {n.l1_store_entries, StoreQueue::kMost}},
      {"l2.slices", {n.l2_slices, 4096}},
      {"dram.channels", {n.dram_channels, 4096}},
      {"dram.banks", {n.dram_banks, 1024}},
      {"dram.write_batch", {n.dram_write_batch, 65536}},
      {"bulk.cycles", {n.bulk_cycles, 1000}},
      {"constant.address_cycles", {n.constant_address_cycles, 1000}},
      {"constant.line", {n.constant_line, 1024}},
      {"constant.ways", {n.constant_ways, 64}},
      {"constant.misses", {n.constant_misses, 1024}},
      {"time.cluster_barrier_cycles", {n.time_cluster_barrier_cycles, 65535}}};
  for (const auto& [key, v] : limits)
    if (v.first > v.second)
      return Contradiction{std::string(key) + " is more than the " + grouped(v.second) +
                           " that the model has room for"};
  if (n.l1_bytes > kMostL1)
    return Contradiction{"l1.size is more than the " + byte_size(kMostL1) +
                         " that the model has room for"};
  if (n.constant_bytes > kMostL1 || n.constant_group_bytes > kMostL1)
    return Contradiction{"constant.size and constant.group_size are at most the " +
                         byte_size(kMostL1) + " that the model has room for"};
  if (n.l2_bytes > kMostL2)
    return Contradiction{"l2.size is more than the " + byte_size(kMostL2) +
                         " that the model has room for"};
  for (const CardField& f : card_fields()) {
    const auto* const one = std::get_if<CardField::One>(&f.member);
    if (!one || std::string_view(f.unit) == "bytes") continue;
    const std::uint64_t most = most_of(f.unit).value_or(0xffffffff);
    if (n.**one > most)
      return Contradiction{std::string(f.key) + " is more than the " + grouped(most) + " " + f.unit +
                           " that the model goes up to"};
  }
  return {};
}

Found l1_wrong(const CardNumbers& n) {
  if (n.shared_configs.empty() || !std::is_sorted(n.shared_configs.begin(), n.shared_configs.end()))
    return Contradiction{"shared.configs must be an ascending list"};
  if (n.shared_configs.back() + n.l1_reserved >= n.l1_bytes)
    return Contradiction{"the largest shared-memory configuration leaves nothing for the L1",
                         "raise l1.size or drop the configuration"};
  if (n.shared_per_cta + n.shared_reserved > n.shared_configs.back())
    return Contradiction{
        "shared.per_cta and shared.reserved are more than the largest of "
        "shared.configs",
        "lower shared.per_cta or add the configuration"};
  if (n.l1_bytes % 128 || n.l1_reserved % 128)
    return Contradiction{"l1.size and l1.reserved must be whole lines of 128 bytes"};
  return {};
}

Found l2_wrong(const CardNumbers& n) {
  if (n.l2_sides < 1 || n.l2_sides > 2)
    return Contradiction{"l2.sides must be 1 or 2", "write 1 for an L2 that is not partitioned"};
  if (n.l2_ways < 1 || n.l2_ways > 16) return Contradiction{"l2.ways must be 1 to 16"};
  if (n.l2_filled_ways > n.l2_ways)
    return Contradiction{"l2.filled_ways is more than l2.ways", "correct one of them"};
  if (n.l2_dirty_ways < 1 || n.l2_dirty_ways > n.l2_ways || n.l2_partial_ways < 1 ||
      n.l2_partial_ways > n.l2_dirty_ways)
    return Contradiction{
        "l2.partial_ways, l2.dirty_ways and l2.ways must rise in this order, from 1",
        "correct them"};
  const std::uint64_t row = 128 * n.l2_ways * n.l2_sides;
  if (n.l2_bytes < 1024 * row)
    return Contradiction{"l2.size leaves less than 1,024 sets a side",
                         "give at least " + byte_size(1024 * row)};
  if (n.l2_bytes % row)
    return Contradiction{
        "l2.size is no whole number of sets: lines of 128 bytes x l2.ways x "
        "l2.sides are " +
            byte_size(row),
        "give " + text(n.l2_bytes / row * row) + " bytes"};
  if (n.l2_fetch_bytes != 32 && n.l2_fetch_bytes != 64 && n.l2_fetch_bytes != 128)
    return Contradiction{"l2.fetch must be 32, 64 or 128 bytes"};
  if (n.launch_dirty_sectors > n.l2_bytes / 32)
    return Contradiction{"launch.dirty_sectors is more than the L2 has", "correct it or l2.size"};
  if (n.l2_slices % (2 * n.l2_sides) != 0)
    return Contradiction{"l2.slices must be an even number a side",
                         "correct l2.slices or l2.sides"};
  if (n.latency_l2_near <= n.latency_l1)
    return Contradiction{"latency.l2_near is not more than latency.l1", "correct one of them"};
  if (n.latency_l2_near <= n.lrc_way_cycles)
    return Contradiction{"latency.l2_near is not more than lrc.way_cycles, which is a part of it",
                         "correct one of them"};
  return {};
}

// Which side is a line's home.
Found home_wrong(const CardNumbers& n) {
  for (std::uint64_t b : n.l2_home_bits)
    if (b < 7 || b > 63) return Contradiction{"l2.home_bits must lie in 7 … 63"};
  std::vector<std::uint64_t> bits = n.l2_home_bits;
  std::sort(bits.begin(), bits.end());
  if (std::adjacent_find(bits.begin(), bits.end()) != bits.end())
    return Contradiction{"l2.home_bits names a bit twice, which takes it out of the parity",
                         "name every bit once"};
  if (bits.empty() && n.l2_sides > 1)
    return Contradiction{
        "l2.home_bits is empty: every line's home is side 0 and the slices of side "
        "1 have none",
        "name address bits, or write 1 for l2.sides"};
  // A piece of memory that fits the L2 would fill one side of it and none of the other.
  if (!bits.empty() && n.l2_sides > 1 && std::uint64_t{1} << bits.front() >= n.l2_bytes)
    return Contradiction{"l2.home_bits starts at bit " + text(bits.front()) + ": " +
                             byte_size(std::uint64_t{1} << bits.front()) +
                             " at a time, more than l2.size, have their home on one side",
                         "name lower address bits, or write 1 for l2.sides"};
  return {};
}

// More than what stands before or behind it can carry.
Found bandwidth_wrong(const CardNumbers& n) {
  if (n.dram_sectors_per_kilocycle > n.port_receive_permille * n.sm_count)
    return Contradiction{
        "dram.sectors_per_kilocycle is more than all SMs' ports carry "
        "(port.receive_permille x sm.count)",
        "correct one of them"};
  if (n.host_permille > n.port_receive_permille * n.sm_count)
    return Contradiction{
        "port.host_permille is more than all SMs' ports carry "
        "(port.receive_permille x sm.count)",
        "correct one of them"};
  if (n.dram_sectors_per_kilocycle < n.dram_channels)
    return Contradiction{
        "dram.sectors_per_kilocycle is less than dram.channels: a channel would take more than 1,000 "
        "cycles for a sector",
        "correct one of them"};
  const double pins = dram_pin_sectors_per_kilocycle(n);
  const double share = dram_refresh_share(n);
  if (static_cast<double>(n.dram_sectors_per_kilocycle) > pins * (1 - share) * 1.001 + 1)
    return Contradiction{
        "dram.sectors_per_kilocycle is " + grouped(n.dram_sectors_per_kilocycle) +
            ", but its channels carry " + grouped(static_cast<std::uint64_t>(pins * (1 - share))) +
            " (dram.channels x dram.width_bits x dram.rate_mbps at sm.clock_mhz" +
            (share > 0 ? ", less refreshes)" : ")"),
        share > 0 ? "lower it, or set dram.refresh=bank or none"
                  : "raise dram.rate_mbps or dram.channels, which raise it as well, or lower it"};
  return {};
}

Found dram_wrong(const CardNumbers& n) {
  if (n.dram_interleave_bytes < 128 || !std::has_single_bit(n.dram_interleave_bytes) ||
      n.dram_row_bytes % n.dram_interleave_bytes)
    return Contradiction{
        "dram.interleave must be a power of two from 128 bytes on, and dram.row a "
        "multiple of it"};
  const std::uint64_t burst = n.dram_width_bits * n.dram_burst;
  if (!std::has_single_bit(burst) || burst < 8 || burst > 1024)
    return Contradiction{
        "a burst (dram.width_bits x dram.burst) must be a power of two of at most "
        "128 bytes"};
  if (n.dram_t_rc_ps < n.dram_t_rcd_ps + n.dram_t_rp_ps)
    return Contradiction{"dram.t_rc_ps is less than dram.t_rcd_ps and dram.t_rp_ps together",
                         "correct them"};
  if (n.dram_t_faw_ps < n.dram_t_rrd_ps)
    return Contradiction{"dram.t_faw_ps, four activations, is less than dram.t_rrd_ps, one",
                         "correct one of them"};
  const std::uint64_t refresh = n.dram_t_rp_ps + std::max(n.dram_t_rfc_ps, n.dram_t_rfc_bank_ps);
  if (n.dram_t_refi_ps <= refresh)
    return Contradiction{
        "refreshes never end: dram.t_refi_ps is not more than dram.t_rp_ps and "
        "dram.t_rfc_ps or dram.t_rfc_bank_ps",
        "correct them"};
  return {};
}

// Caches of constants and of code.
Found small_caches_wrong(const CardNumbers& n) {
  if (n.constant_bytes < n.constant_line * n.constant_ways)
    return Contradiction{"constant.size is less than a set, constant.line x constant.ways"};
  if (n.constant_group_line % n.constant_line)
    return Contradiction{"constant.group_line is no multiple of constant.line"};
  if (n.constant_group_bytes < n.constant_group_line)
    return Contradiction{"constant.group_size is less than constant.group_line"};
  if (n.constant_memory_cycles < n.constant_group_cycles)
    return Contradiction{
        "constant.memory_cycles is less than constant.group_cycles, which asks nobody else",
        "correct one of them"};
  if (n.code_bytes > n.code_group_bytes)
    return Contradiction{
        "code.size is more than code.group_size: an SM would keep code that its GPC has no room for",
        "correct one of them"};
  if (n.code_group_again_cycles < n.code_again_cycles)
    return Contradiction{
        "code.group_again_cycles is less than code.again_cycles, although the code comes from "
        "behind the GPC",
        "correct one of them"};
  if (n.code_group_again_jump_cycles < n.code_group_again_cycles)
    return Contradiction{
        "code.group_again_jump_cycles is less than code.group_again_cycles, which is for code that was "
        "asked for ahead",
        "correct one of them"};
  if (n.code_far_jump_cycles < n.code_far_cycles)
    return Contradiction{
        "code.far_jump_cycles is less than code.far_cycles, which is for code that was asked for ahead",
        "correct one of them"};
  return {};
}

Found sms_wrong(const CardNumbers& n) {
  const auto per_sm = [&](const char* key, const std::vector<std::uint64_t>& v,
                          std::uint64_t below) -> Found {
    if (v.size() != n.sm_count)
      return Contradiction{
          std::string(key) + " lists " + text(v.size()) + " SMs, sm.count says " + text(n.sm_count),
          "list every SM once"};
    for (std::uint64_t x : v)
      if (x >= below)
        return Contradiction{std::string(key) + " holds " + text(x) + ", which must be below " +
                             text(below)};
    return {};
  };
  if (auto f = per_sm("topology.sm_side", n.sm_side, n.l2_sides)) return f;
  const auto call = [](const char* key, const std::vector<std::uint64_t>& v) -> Found {
    if (v.empty() || v.size() == 5) return {};
    return Contradiction{std::string(key) + " has " + text(v.size()) + " numbers",
                         "give five: of a caller, its further lanes, of the GPU a call and a lane, "
                         "of an SM's first call"};
  };
  if (auto f = call("driver.malloc", n.driver_malloc)) return f;
  if (auto f = call("driver.free", n.driver_free)) return f;
  if (auto f = call("driver.print", n.driver_print)) return f;
  if (auto f = per_sm("topology.sm_gpc", n.sm_gpc, 256)) return f;
  if (auto f = per_sm("topology.cta_order", n.cta_order, n.sm_count)) return f;
  std::vector<std::uint64_t> order = n.cta_order;
  std::sort(order.begin(), order.end());
  if (std::adjacent_find(order.begin(), order.end()) != order.end())
    return Contradiction{"topology.cta_order names an SM twice", "list every SM once"};
  for (std::uint64_t sm : n.lone_sms)
    if (sm >= n.sm_count)
      return Contradiction{"topology.lone_sms holds " + text(sm) + ", sm.count says " +
                           text(n.sm_count)};
  for (std::uint64_t side = 0; side < n.l2_sides; ++side)
    if (std::find(n.sm_side.begin(), n.sm_side.end(), side) == n.sm_side.end())
      return Contradiction{"topology.sm_side has no SM on side " + text(side) + " of the L2",
                           "correct it, or write 1 for l2.sides"};
  std::uint64_t in_turns = 0;
  for (std::uint64_t t : n.cta_turns) in_turns += t;
  if (in_turns != n.sm_count || n.cta_small_groups >= n.cta_turns.size())
    return Contradiction{
        "topology.cta_turns must add up to sm.count and hold more turns than "
        "topology.cta_small_groups"};
  if (n.cta_small_groups > 0 && (n.cta_small_first == 0 || n.cta_small_every == 0))
    return Contradiction{"topology.cta_small_first and cta_small_every must be positive",
                         "correct them"};
  return {};
}

}  // namespace

Result<void> Card::validate(const std::string& place) const {
  for (const auto& check :
       {zero, too_much, l1_wrong, l2_wrong, home_wrong, bandwidth_wrong, dram_wrong,
        small_caches_wrong, sms_wrong})
    if (const Found found = check(numbers_)) return card_error(place, found->message, found->fix);
  // A setting that nothing looks at would be taken for one without effect.
  const auto unused = [&](const char* key, bool used) {
    return !used && user_.contains(card_field(key));
  };
  const auto refresh = static_cast<DramRefresh>(numbers_.dram_refresh);
  if (unused("dram.t_refi_ps", refresh != DramRefresh::kNone) ||
      unused("dram.t_rfc_ps", refresh == DramRefresh::kAll) ||
      unused("dram.t_rfc_bank_ps", refresh == DramRefresh::kBank) ||
      unused("dram.t_rp_ps", refresh != DramRefresh::kNone))
    return card_error(
        place,
        "nothing looks at it: dram.refresh is " + dram_refresh_names()[numbers_.dram_refresh],
        "set dram.refresh as well: all for dram.t_rfc_ps, bank for dram.t_rfc_bank_ps");
  return {};
}

}  // namespace warpmem::model
