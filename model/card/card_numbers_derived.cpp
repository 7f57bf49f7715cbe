#include "model/card/card_numbers_derived.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "host/link/kind.hpp"
#include "model/access/rule/access_rule.hpp"
#include "model/cache/allocate/allocate.hpp"
#include "model/cache/cached_spaces.hpp"
#include "model/cache/write/write_policy.hpp"
#include "model/dram/spec.hpp"

namespace warpmem::model {
namespace {

std::uint64_t cycles(const CardNumbers& n, std::uint64_t picoseconds) {
  return (picoseconds * n.clock_mhz + 500'000) / 1'000'000;
}

}  // namespace

double dram_pin_sectors_per_kilocycle(const CardNumbers& n) {
  if (n.clock_mhz == 0) return 0;
  return static_cast<double>(n.dram_channels * n.dram_width_bits * n.dram_rate_mbps) * 1000 /
         (256 * static_cast<double>(n.clock_mhz));
}

double dram_refresh_share(const CardNumbers& n) {
  if (n.dram_refresh != static_cast<std::uint64_t>(DramRefresh::kAll) || n.dram_t_refi_ps == 0)
    return 0;
  return static_cast<double>(n.dram_t_rfc_ps + n.dram_t_rp_ps) /
         static_cast<double>(n.dram_t_refi_ps);
}

bool DerivedNumbers::set_by_user(std::initializer_list<std::string_view> keys) const {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return user.contains(card_field(key)); });
}

bool DerivedNumbers::follows(std::string_view key,
                             std::initializer_list<std::string_view> inputs) const {
  return !set_by_user({key}) && (!all.contains(card_field(key)) || set_by_user(inputs));
}

// A smaller L1 offers no configuration of shared memory that would leave nothing of it.
void DerivedNumbers::fit_shared() {
  const bool wants_l1 = static_cast<CachedSpaces>(n.l1_cache) != CachedSpaces::kNone;
  const auto too_large = [&](std::uint64_t c) { return c + n.l1_reserved + wants_l1 > n.l1_bytes; };
  auto& configs = n.shared_configs;
  if (set_by_user({"l1.size", "l1.reserved"}) && !set_by_user({"shared.configs"}) &&
      !configs.empty() && !too_large(configs.front()) && std::erase_if(configs, too_large) > 0)
    sources.insert_or_assign(card_field("shared.configs"),
                             "derived: the card's own that leave room to the L1");
  if (configs.empty() || set_by_user({"shared.per_cta"}) ||
      !set_by_user({"l1.size", "l1.reserved", "shared.configs", "shared.reserved"}))
    return;
  const std::uint64_t largest = *std::max_element(configs.begin(), configs.end());
  if (n.shared_reserved >= largest || n.shared_per_cta <= largest - n.shared_reserved) return;
  n.shared_per_cta = largest - n.shared_reserved;
  sources.insert_or_assign(card_field("shared.per_cta"),
                           "derived: the largest of shared.configs, less shared.reserved");
}

// Another number of SMs: lists that say something of each SM become shorter, or go on as they
// began; SMs that are more get their CTAs in turns of their own.
void DerivedNumbers::fit_sms() {
  if (!set_by_user({"sm.count"})) return;
  const std::uint64_t count = n.sm_count;
  const auto came = [&](std::string_view key) {
    sources.insert_or_assign(card_field(key), "derived: the card's own list, for sm.count SMs");
  };
  const auto fits = [&](std::string_view key, std::vector<std::uint64_t>& of_sm) {
    const std::size_t before = of_sm.size();
    if (set_by_user({key}) || before == 0 || before == count) return;
    of_sm.resize(count);
    for (std::size_t sm = before; sm < count; ++sm) of_sm[sm] = of_sm[sm % before];
    came(key);
  };
  fits("topology.sm_gpc", n.sm_gpc);
  fits("topology.sm_side", n.sm_side);
  // Few SMs may all have been on one side.
  if (n.l2_sides == 2 && count >= 2 && !set_by_user({"topology.sm_side"}) &&
      std::adjacent_find(n.sm_side.begin(), n.sm_side.end(), std::not_equal_to<>()) ==
          n.sm_side.end())
    for (std::size_t sm = 0; sm < count; ++sm) n.sm_side[sm] = sm % 2;
  if (!set_by_user({"topology.lone_sms"}) &&
      std::erase_if(n.lone_sms, [count](std::uint64_t sm) { return sm >= count; }) > 0)
    came("topology.lone_sms");
  if (set_by_user({"topology.cta_order"}) || set_by_user({"topology.cta_turns"}) ||
      n.cta_order.size() == count)
    return;
  std::vector<std::uint64_t> order, turns;
  std::size_t at = 0;
  for (std::size_t turn = 0; turn < n.cta_turns.size(); ++turn) {
    const std::size_t before = order.size();
    for (std::uint64_t k = 0; k < n.cta_turns[turn] && at < n.cta_order.size(); ++k, ++at)
      if (n.cta_order[at] < count) order.push_back(n.cta_order[at]);
    if (order.size() > before) turns.push_back(order.size() - before);
    else if (turn < n.cta_small_groups) --n.cta_small_groups;
  }
  constexpr std::size_t kTurn = 16;
  for (std::uint64_t sm = n.cta_order.size(), first = sm; sm < count; ++sm) {
    if ((sm - first) % kTurn == 0) turns.push_back(0);
    ++turns.back();
    order.push_back(sm);
  }
  n.cta_small_groups =
      std::min<std::uint64_t>(n.cta_small_groups, turns.empty() ? 0 : turns.size() - 1);
  n.cta_order = std::move(order);
  n.cta_turns = std::move(turns);
  came("topology.cta_order");
  came("topology.cta_turns");
}

// Sets and ways of an L1 go together: who gives one takes the other as it comes.
void DerivedNumbers::fit_l1_sets() {
  if (set_by_user({"l1.ways"})) n.l1_sets = 0;
  const bool sectors = static_cast<AccessRule>(n.access_rule) == AccessRule::kSectors;
  if (!sectors || n.l1_sets == 0 || n.line_bytes == 0) return;
  n.l1_ways = std::max<std::uint64_t>(1, std::bit_ceil(n.l1_bytes / n.line_bytes) / n.l1_sets);
  sources.insert_or_assign(card_field("l1.ways"),
                           "derived: L1 and shared memory together, over l1.sets");
}

// An L2 of other ways: of those that may be dirty or written in part the same share.
void DerivedNumbers::fit_l2_ways() {
  if (!set_by_user({"l2.ways"}) || base.l2_ways == 0) return;
  const auto share = [&](std::string_view key, std::uint64_t& ways, std::uint64_t was,
                         std::uint64_t least) {
    if (set_by_user({key})) return;
    ways = std::max(least, (was * n.l2_ways + base.l2_ways / 2) / base.l2_ways);
    sources.insert_or_assign(card_field(key), "derived: the card's own share of l2.ways");
  };
  share("l2.dirty_ways", n.l2_dirty_ways, base.l2_dirty_ways, 1);
  share("l2.partial_ways", n.l2_partial_ways, base.l2_partial_ways, 1);
  share("l2.filled_ways", n.l2_filled_ways, base.l2_filled_ways, 0);
}

// Where the L2's partitions keep copies, l2.partitions is another name for l2.sides; SMs go to
// partitions by turns, as groups of SMs (GPCs) do.
void DerivedNumbers::fit_partitions() {
  const bool sectors = static_cast<AccessRule>(n.access_rule) == AccessRule::kSectors;
  if (set_by_user({"l2.sides"})) n.l2_partitions = 0;
  if (!sectors || n.l2_partitions == 0) return;
  n.l2_sides = n.l2_partitions;
  sources.insert_or_assign(card_field("l2.sides"), "derived: l2.partitions");
  if (n.l2_sides < 2 || set_by_user({"topology.sm_side"})) return;
  const auto most = n.sm_side.empty() ? 0 : *std::max_element(n.sm_side.begin(), n.sm_side.end());
  if (n.sm_side.size() == n.sm_count && most + 1 == n.l2_sides) return;
  n.sm_side.assign(n.sm_count, 0);
  for (std::size_t sm = 0; sm < n.sm_count; ++sm)
    n.sm_side[sm] = (sm < n.sm_gpc.size() ? n.sm_gpc[sm] : sm) % n.l2_sides;
  sources.insert_or_assign(card_field("topology.sm_side"),
                           "derived: by GPC, l2.partitions in turn");
}

// Other lanes, of the same kind or another: copies reach the same share of what they carry.
void DerivedNumbers::fit_link() {
  if (!set_by_user({"link.kind", "link.lanes"})) return;
  const auto wire = [](const CardNumbers& of) {
    return host::wire_rate(static_cast<host::LinkKind>(of.link_kind), of.link_lanes);
  };
  const double times = wire(base) > 0 ? wire(n) / wire(base) : 1;
  for (const auto& [key, rate] :
       {std::pair{"link.to_device", &n.link_to_device}, std::pair{"link.to_host", &n.link_to_host},
        std::pair{"link.both", &n.link_both}}) {
    if (set_by_user({key})) continue;
    *rate = static_cast<std::uint64_t>(static_cast<double>(*rate) * times);
    sources.insert_or_assign(card_field(key), "derived: the same share of what the lanes carry");
  }
}

void DerivedNumbers::work_out(bool another) {
  fit_link();
  fit_shared();
  fit_l1_sets();
  fit_l2_ways();
  fit_partitions();
  fit_sms();
  if (n.l2_sides == 1) n.sm_side.assign(n.sm_count, 0);
  const auto came = [&](std::string_view key, std::string how) {
    sources.insert_or_assign(card_field(key), "derived: " + std::move(how));
  };
  if (follows("dram.row_cycles", {"dram.t_rc_ps"})) {
    n.dram_row_cycles = cycles(n, n.dram_t_rc_ps);
    came("dram.row_cycles", "tRC at the SM clock");
  }
  if (follows("dram.activate_permille", {"dram.t_rrd_ps", "dram.t_faw_ps"})) {
    n.dram_activate_permille =
        cycles(n, 1000 * std::max(n.dram_t_rrd_ps, (n.dram_t_faw_ps + 3) / 4));
    came("dram.activate_permille", "tRRD or a quarter of tFAW, the longer, at the SM clock");
  }
  if (follows("dram.turnaround_cycles", {"dram.t_rtw_ps", "dram.t_wtr_ps", "dram.t_cl_ps",
                                         "dram.t_wl_ps", "dram.burst", "dram.rate_mbps"})) {
    // How long the bus is idle: from the last read's data to the first write's, and back.
    const std::uint64_t burst = n.dram_rate_mbps ? n.dram_burst * 1'000'000 / n.dram_rate_mbps : 0;
    const std::uint64_t to_write = n.dram_t_rtw_ps + n.dram_t_wl_ps, read = n.dram_t_cl_ps + burst;
    n.dram_turnaround_cycles =
        cycles(n, (to_write > read ? to_write - read : 0) + n.dram_t_wtr_ps + n.dram_t_cl_ps);
    came("dram.turnaround_cycles", "tRTW + tWL - tCL - burst, and tWTR + tCL, at the SM clock");
  }
  constexpr std::string_view kRate = "dram.sectors_per_kilocycle";
  if (const double pins = dram_pin_sectors_per_kilocycle(n),
      were = dram_pin_sectors_per_kilocycle(base);
      !all.contains(card_field(kRate)) && pins > 0) {
    n.dram_sectors_per_kilocycle =
        static_cast<std::uint64_t>(pins * std::max(0.0, 1 - dram_refresh_share(n)));
    came(kRate, "channels x width x rate, less refreshes of all banks");
  } else if (follows(kRate,
                     {"dram.channels", "dram.width_bits", "dram.rate_mbps", "sm.clock_mhz"}) &&
             were > 0) {
    n.dram_sectors_per_kilocycle = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(base.dram_sectors_per_kilocycle) * pins / were));
    came(kRate, "the card's own, scaled by channels x width x rate");
  }
  // What the card says of its own DRAM's latency holds its array's; another array is so much
  // slower.
  if ((another || set_by_user({"dram.t_rcd_ps", "dram.t_cl_ps"})) &&
      !set_by_user({"latency.dram"})) {
    const std::uint64_t now = cycles(n, n.dram_t_rcd_ps + n.dram_t_cl_ps),
                        was = cycles(base, base.dram_t_rcd_ps + base.dram_t_cl_ps);
    n.latency_dram = std::max(base.latency_dram + now, was + 1) - was;
    came("latency.dram", "the card's own, with tRCD and tCL of this DRAM in place of its own");
  }
}

}  // namespace warpmem::model
