// Numbers of a card that contradict each other would give results that look right.
#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "base/units.hpp"
#include "host/link/kind.hpp"
#include "model/access/access.hpp"
#include "model/access/rule/access_rule.hpp"
#include "model/card/card.hpp"
#include "model/card/card_numbers_derived.hpp"
#include "model/card/fields/card_fields.hpp"
#include "model/general/memory_spec.hpp"
#include "model/timing/throughput.hpp"

namespace warpmem::model {
namespace {

constexpr std::uint64_t kMostWays = 64;

struct Contradiction {
  std::string message;
  std::string fix;  // what is possible
};
using Found = std::optional<Contradiction>;

std::string text(std::uint64_t v) { return std::to_string(v); }

Found outside(const char* key, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return {};
  const bool less = value < least;
  return Contradiction{
      std::string(key) + " is " + grouped(value) + ", " +
          (less ? "less than " + grouped(least)
                : "more than the " + grouped(most) + " that the model has room for"),
      "give a whole number from " + grouped(least) + " to " + grouped(most)};
}

// Nothing is rounded in silence: what the model cannot take as it is, is refused, and its
// neighbours are named.
Found uneven(const std::string& key, std::uint64_t value, std::uint64_t step,
             const std::string& why, std::string (*shown)(std::uint64_t)) {
  if (step == 0 || value % step == 0) return {};
  const std::uint64_t below = value / step * step, above = below + step;
  return Contradiction{
      key + " is " + shown(value) + ", no multiple of " + shown(step) + " (" + why + ")",
      below > 0 ? "give " + shown(below) + " or " + shown(above) : "give " + shown(above)};
}

Found zero(const CardChoices& choices) {
  const CardNumbers& n = choices.n;
  // What other numbers follow from goes first, as those would be 0 as well: the clock scales what
  // is counted in cycles, channels and pins the bandwidth.
  const std::pair<const char*, std::uint64_t> sources[] = {{"sm.clock_mhz", n.clock_mhz},
                                                           {"dram.channels", n.dram_channels},
                                                           {"dram.width_bits", n.dram_width_bits},
                                                           {"dram.rate_mbps", n.dram_rate_mbps}};
  for (const auto& [key, value] : sources)
    if (value == 0) return Contradiction{std::string(key) + " is 0", "give 1 or more"};
  for (const CardField& f : card_fields()) {
    const auto* const one = std::get_if<CardField::One>(&f.member);
    if (one && n.**one < card_number_range(f).least && !unmet_use(f, choices))
      return Contradiction{std::string(f.key) + " is 0", "give 1 or more"};
  }
  return {};
}

// What is given lies within its range; what follows from it may not.
Found too_much(const CardNumbers& n) {
  for (const CardField& f : card_fields()) {
    const auto* const one = std::get_if<CardField::One>(&f.member);
    if (!one || f.rule.words) continue;
    const std::uint64_t most = card_number_range(f).most;
    if (n.**one > most)
      return Contradiction{std::string(f.key) + " comes to " + grouped(n.**one) +
                               ", more than the " + grouped(most) + " " + f.unit +
                               " that the model goes up to",
                           "set it as well, or change what it follows from"};
  }
  return {};
}

// Time is counted in 64ths of a cycle (kTicks): what takes less would be free.
Found too_fast(const CardNumbers& n) {
  constexpr std::uint64_t kMostRate = 1000 * kTicks, kLeastCost = (1000 + kTicks - 1) / kTicks;
  for (const auto& [key, sectors] : {std::pair{"port.receive_permille", n.port_receive_permille},
                                     {"port.send_permille", n.port_send_permille},
                                     {"port.host_permille", n.host_permille}})
    if (auto f = outside(key, sectors, 1, kMostRate)) return f;
  const std::pair<const char*, std::uint64_t> costs[] = {
      {"port.send_header_permille", n.port_send_header_permille},
      {"l2.read_permille", n.l2_read_permille},
      {"l2.read_sector_permille", n.l2_read_sector_permille},
      {"l2.write_permille", n.l2_write_permille},
      {"l2.write_sector_permille", n.l2_write_sector_permille},
      {"l2.partial_sector_permille", n.l2_partial_sector_permille},
      {"l2.atomic_part_permille", n.l2_atomic_part_permille},
      {"l2.atomic_pass_permille", n.l2_atomic_pass_permille},
      {"l2.atomic_float_permille", n.l2_atomic_float_permille},
      {"l2.fill_sector_permille", n.l2_fill_sector_permille},
      {"shared.warp_start", n.shared_warp_start},
      {"shared.bulk_read", n.shared_bulk_read},
      {"shared.bulk_write", n.shared_bulk_write},
      {"shared.async_write", n.shared_async_write},
      {"remote.read", n.remote_read},
      {"remote.write", n.remote_write},
      {"dram.activate_permille", n.dram_activate_permille},
      {"dram.store_permille", n.dram_store_permille},
      {"dram.write_permille", n.dram_write_permille}};
  for (const auto& [key, cost] : costs)
    if (cost > 0 && cost < kLeastCost)
      return Contradiction{std::string(key) + " is " + text(cost) +
                               ", less than the 64th of a cycle that time is counted in",
                           "give " + text(kLeastCost) + " or more"};
  return {};
}

Found l1_wrong(const CardNumbers& n) {
  if (n.shared_configs.empty() || !std::is_sorted(n.shared_configs.begin(), n.shared_configs.end()))
    return Contradiction{"shared.configs must be an ascending list",
                         "give sizes from the smallest on, as shared.configs=8KiB,16KiB,32KiB"};
  constexpr std::uint64_t kStep = 512;
  const std::string why = "lines of 128 bytes in four banks";
  const std::uint64_t largest = n.shared_configs.back();
  const bool wants_l1 = static_cast<CachedSpaces>(n.l1_cache) != CachedSpaces::kNone;
  if (largest + n.l1_reserved + wants_l1 > n.l1_bytes)
    return Contradiction{"the shared-memory configuration of " + shown_bytes(largest) +
                             " leaves nothing for the L1: l1.size is " + shown_bytes(n.l1_bytes) +
                             ", of which l1.reserved takes " + shown_bytes(n.l1_reserved),
                         "give l1.size at least " +
                             shown_bytes((largest + n.l1_reserved + kStep) / kStep * kStep) +
                             ", or smaller shared.configs"};
  if (n.shared_per_cta + n.shared_reserved > largest)
    return Contradiction{
        "shared.per_cta (" + shown_bytes(n.shared_per_cta) + ") and shared.reserved (" +
            shown_bytes(n.shared_reserved) + ") are more than the largest of shared.configs (" +
            shown_bytes(largest) + ")",
        n.shared_reserved < largest
            ? "give shared.per_cta at most " + shown_bytes(largest - n.shared_reserved) +
                  ", or add the configuration"
            : "give a smaller shared.reserved, or add the configuration"};
  if (auto f = uneven("l1.size", n.l1_bytes, kStep, why, shown_bytes)) return f;
  if (auto f = uneven("l1.reserved", n.l1_reserved, kStep, why, shown_bytes)) return f;
  if (n.shared_default > largest)
    return Contradiction{"shared.default (" + shown_bytes(n.shared_default) +
                             ") is more than the largest of shared.configs (" +
                             shown_bytes(largest) + ")",
                         "give one of shared.configs, or 0"};
  for (std::uint64_t c : n.shared_configs)
    if (auto f = uneven("an item of shared.configs", c, kStep, "the L1 has the rest: " + why,
                        shown_bytes))
      return f;
  return {};
}

// What the rules of a memory system's components need (general/memory_spec.hpp).
Found components_wrong(const CardNumbers& n) {
  const bool sectors = static_cast<AccessRule>(n.access_rule) == AccessRule::kSectors;
  if (n.line_bytes != 64 && n.line_bytes != 128)
    return Contradiction{"l1.line is " + shown_bytes(n.line_bytes), "give 64 or 128 bytes"};
  if (!policy_of(static_cast<AccessRule>(n.access_rule)).of_any_lines && n.line_bytes != kLineBytes)
    return Contradiction{"l1.line is " + shown_bytes(n.line_bytes) + ", but access.rule \"" +
                             access_rule_names()[n.access_rule] +
                             "\" has transactions of up to 128 bytes",
                         "give 128 bytes"};
  if (n.l1_sector != 32 && n.l1_sector != 64 && n.l1_sector != n.line_bytes)
    return Contradiction{"l1.sector is " + shown_bytes(n.l1_sector) +
                             ", no part of a line (l1.line is " + shown_bytes(n.line_bytes) + ")",
                         n.line_bytes == 64 ? "give 32 or 64 bytes" : "give 32, 64 or 128 bytes"};
  if (const std::uint64_t line = n.texture_second_line;
      n.texture_second_bytes > 0 &&
      (std::popcount(line) != 1 || line < n.line_bytes || line > 8 * kSectorBytes))
    return Contradiction{"texture.second_line is " + shown_bytes(line) +
                             ", and holds no whole lines of " + shown_bytes(n.line_bytes),
                         "give 128 or 256 bytes"};
  const auto l2 = static_cast<SetRule>(n.l2_index), l1 = static_cast<SetRule>(n.l1_index);
  const auto& names = set_rule_names();
  const SetRulePolicy &of_l1 = policy_of(l1), &of_l2 = policy_of(l2);
  if (!of_l2.of_any_lines && n.line_bytes != kLineBytes)
    return Contradiction{
        "l2.index = \"" + names[n.l2_index] + "\" was measured for lines of 128 bytes",
        "write l2.index = \"low_bits\", or 128 for l1.line"};
  if (!of_l2.of_l2)
    return Contradiction{"l2.index = \"" + names[n.l2_index] + "\" is an L1's",
                         "write mixed_rows or low_bits"};
  if (!of_l1.of_l1)
    return Contradiction{"l1.index = \"" + names[n.l1_index] + "\" is an L2's",
                         "write xor_matrix or low_bits"};
  if (!std::has_single_bit(n.shared_banks) || n.shared_banks < 8)
    return Contradiction{"shared.banks is " + text(n.shared_banks), "give 8, 16, 32 or 64"};
  if (n.shared_bank_bytes != 4 && n.shared_bank_bytes != 8)
    return Contradiction{"shared.bank_bytes is " + text(n.shared_bank_bytes), "give 4 or 8"};
  if (sectors && n.l1_sets == 0 && !std::has_single_bit(n.l1_ways) && l1 != SetRule::kLowBits)
    return Contradiction{"l1.ways is " + text(n.l1_ways),
                         "give a power of two, or l1.index = \"low_bits\""};
  return {};
}

// An L2 whose partitions share the addresses among them.
Found interleaved_l2_wrong(const CardNumbers& n) {
  const std::uint64_t partitions = std::max<std::uint64_t>(1, n.l2_partitions);
  if (auto f = outside("l2.ways", n.l2_ways, 1, kMostWays)) return f;
  const std::uint64_t step = n.line_bytes * n.l2_ways * partitions;
  if (n.l2_bytes < step)
    return Contradiction{
        "l2.size is " + shown_bytes(n.l2_bytes) + ", less than a set a partition (l2.partitions)",
        "give at least " + shown_bytes(step)};
  if (auto f = uneven(
          "l2.size", n.l2_bytes, step,
          "sets of l2.ways lines of " + text(n.line_bytes) + " bytes in each of l2.partitions",
          shown_bytes))
    return f;
  if (n.l2_fetch_bytes != 32 && n.l2_fetch_bytes != 64 && n.l2_fetch_bytes != 128)
    return Contradiction{
        "l2.fetch is " + shown_bytes(n.l2_fetch_bytes) + ": it must be 32, 64 or 128 bytes",
        "give 32, 64 or 128"};
  if (n.latency_l2_near <= n.latency_l1)
    return Contradiction{"latency.l2_near (" + grouped(n.latency_l2_near) +
                             ") is not more than latency.l1 (" + grouped(n.latency_l1) + ")",
                         "give latency.l2_near at least " + grouped(n.latency_l1 + 1)};
  return {};
}

// Rules for a set's number are made for powers of two.
Found l1_sets_wrong(const CardNumbers& n) {
  const bool sectors = static_cast<AccessRule>(n.access_rule) == AccessRule::kSectors;
  if (n.l1_sets > 0 && !std::has_single_bit(n.l1_sets))
    return Contradiction{
        "l1.sets is " + grouped(n.l1_sets) + ", no power of two",
        "give " + grouped(std::bit_floor(n.l1_sets)) + " or " + grouped(std::bit_ceil(n.l1_sets))};
  if (sectors && n.l1_sets > 0 && n.l1_sets < 4)
    return Contradiction{"l1.sets is " + grouped(n.l1_sets) + ": the tags have four banks",
                         "give 4 or more"};
  if (n.l1_ways > kMostWays * (n.l1_sets > 0 ? 1024 : 1))
    return Contradiction{"l1.ways comes to " + grouped(n.l1_ways), "give more l1.sets"};
  return {};
}

Found l2_wrong(const CardNumbers& n) {
  const bool sectors = static_cast<AccessRule>(n.access_rule) == AccessRule::kSectors;
  if (n.l2_bytes == 0 && !sectors) return {};
  if (n.l2_bytes == 0)
    return Contradiction{"l2.size is 0: access.rule is sectors, whose L1s read from an L2",
                         "give l2.size, or write an access.rule of a GPU that has none"};
  if (!sectors) return interleaved_l2_wrong(n);
  if (n.l2_partitions > 0 && (n.l2_partitions > 8 || !std::has_single_bit(n.l2_partitions)))
    return Contradiction{"l2.partitions is " + grouped(n.l2_partitions) +
                             ": partitions that keep copies of each other's lines are 1, 2, 4 or 8",
                         n.l2_partitions > 8
                             ? std::string("give 8 or fewer")
                             : "give " + grouped(std::bit_floor(n.l2_partitions)) + " or " +
                                   grouped(std::bit_ceil(n.l2_partitions))};
  if (n.l2_partitions == 0 && (n.l2_sides < 1 || n.l2_sides > 2))
    return Contradiction{"l2.sides is " + grouped(n.l2_sides) + ": it must be 1 or 2",
                         "write 1 for an L2 that is not partitioned, or 2"};
  if (auto f = outside("l2.ways", n.l2_ways, 1, kMostWays)) return f;
  if (auto f = outside("l2.filled_ways", n.l2_filled_ways, 0, n.l2_ways)) {
    f->message = "l2.filled_ways (" + text(n.l2_filled_ways) + ") is more than l2.ways (" +
                 text(n.l2_ways) + ")";
    return f;
  }
  if (n.l2_dirty_ways < 1 || n.l2_dirty_ways > n.l2_ways || n.l2_partial_ways < 1 ||
      n.l2_partial_ways > n.l2_dirty_ways)
    return Contradiction{"l2.partial_ways (" + text(n.l2_partial_ways) + "), l2.dirty_ways (" +
                             text(n.l2_dirty_ways) + ") and l2.ways (" + text(n.l2_ways) +
                             ") must rise in this order, from 1",
                         "give l2.dirty_ways from 1 to " + text(n.l2_ways) +
                             ", and l2.partial_ways from 1 to that; they may be equal"};
  // A side has whole sets.
  const std::uint64_t step = n.line_bytes * n.l2_ways * n.l2_sides;
  if (n.l2_bytes < step)
    return Contradiction{
        "l2.size is " + shown_bytes(n.l2_bytes) + ", which leaves less than a set a side",
        "give at least " + shown_bytes(step)};
  if (auto f =
          uneven("l2.size", n.l2_bytes, step,
                 "a set of l2.ways lines of " + text(n.line_bytes) + " bytes on each of l2.sides",
                 shown_bytes))
    return f;
  if (n.l2_fetch_bytes != 32 && n.l2_fetch_bytes != 64 && n.l2_fetch_bytes != 128)
    return Contradiction{
        "l2.fetch is " + shown_bytes(n.l2_fetch_bytes) + ": it must be 32, 64 or 128 bytes",
        "give 32, 64 or 128"};
  if (n.launch_dirty_sectors > n.l2_bytes / 32)
    return Contradiction{
        "launch.dirty_sectors (" + grouped(n.launch_dirty_sectors) + ") is more than the L2 has",
        "give at most " + grouped(n.l2_bytes / 32) + ", or a larger l2.size"};
  if (auto f = uneven("launch.dirty_sectors", n.launch_dirty_sectors, 4, "whole lines", grouped))
    return f;
  if (auto f = uneven("l2.slices", n.l2_slices, 2 * n.l2_sides, "pairs on each side", grouped))
    return f;
  for (const auto& [key, part] :
       {std::pair{"latency.l1", n.latency_l1}, {"lrc.way_cycles", n.lrc_way_cycles}})
    if (n.latency_l2_near <= part)
      return Contradiction{
          "latency.l2_near (" + grouped(n.latency_l2_near) + ") is not more than " + key + " (" +
              grouped(part) + ")",
          "give latency.l2_near at least " + grouped(part + 1) + ", or a smaller " + key};
  return {};
}

// Which side is a line's home.
Found home_wrong(const CardNumbers& n) {
  for (std::uint64_t b : n.l2_home_bits)
    if (b < 7 || b > 63)
      return Contradiction{"l2.home_bits holds " + text(b),
                           "l2.home_bits must lie in 7 (lines of 128 bytes) to 63"};
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

// More than what stands before it can carry. Who chooses sm.count asks what fewer ports carry.
Found ports_wrong(const CardNumbers& n) {
  const std::uint64_t ports = n.port_receive_permille * n.sm_count;
  for (const auto& [key, value] :
       {std::pair{"dram.sectors_per_kilocycle", n.dram_sectors_per_kilocycle},
        {"port.host_permille", n.host_permille}})
    if (value > ports)
      return Contradiction{
          std::string(key) + " (" + grouped(value) +
              ") is more than all SMs' ports carry (port.receive_permille x "
              "sm.count)",
          "give at most " + grouped(ports) + ", or a larger port.receive_permille"};
  return {};
}

// More than the lanes can carry.
Found link_wrong(const CardNumbers& n) {
  const double wire =
      1000 * host::wire_rate(static_cast<host::LinkKind>(n.link_kind), n.link_lanes);
  const auto most = static_cast<std::uint64_t>(wire);
  for (const auto& [key, value, times] :
       {std::tuple{"link.to_device", n.link_to_device, std::uint64_t{1}},
        std::tuple{"link.to_host", n.link_to_host, std::uint64_t{1}},
        std::tuple{"link.both", n.link_both, std::uint64_t{2}}})
    if (value > most * times)
      return Contradiction{std::string(key) + " (" + grouped(value) +
                               " MB/s) is more than link.lanes of link.kind carry",
                           "give at most " + grouped(most * times) + ", or more lanes"};
  return {};
}

// More than what stands behind it can carry.
Found bandwidth_wrong(const CardNumbers& n) {
  if (n.dram_sectors_per_kilocycle < n.dram_channels)
    return Contradiction{"dram.sectors_per_kilocycle (" + grouped(n.dram_sectors_per_kilocycle) +
                             ") is less than dram.channels: a channel would take more than 1,000 "
                             "cycles for a sector",
                         "give dram.sectors_per_kilocycle at least " + grouped(n.dram_channels)};
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
        "dram.interleave is " + shown_bytes(n.dram_interleave_bytes) + ", dram.row " +
            shown_bytes(n.dram_row_bytes) +
            ": dram.interleave must be a power of two from 128 bytes on, and dram.row a multiple "
            "of it",
        "give dram.interleave as 128, 256, 512 bytes and so on, up to what divides dram.row"};
  const std::uint64_t burst = n.dram_width_bits * n.dram_burst;
  if (!std::has_single_bit(burst) || burst < 8 || burst > 1024)
    return Contradiction{
        "a burst (dram.width_bits x dram.burst) must be a power of two of at most 128 bytes, not " +
            grouped(burst) + " bits",
        "give powers of two whose product is 8 to 1,024 bits"};
  if (n.dram_t_rc_ps < n.dram_t_rcd_ps + n.dram_t_rp_ps)
    return Contradiction{"dram.t_rc_ps is less than dram.t_rcd_ps and dram.t_rp_ps together",
                         "give dram.t_rc_ps at least " + grouped(n.dram_t_rcd_ps + n.dram_t_rp_ps)};
  if (n.dram_ecc != 0 && n.dram_ecc_part < 2)
    return Contradiction{
        "dram.ecc_part is " + text(n.dram_ecc_part) + ": all of the memory would hold check bits",
        "give 2 or more"};
  if (n.dram_t_faw_ps < n.dram_t_rrd_ps)
    return Contradiction{"dram.t_faw_ps, four activations, is less than dram.t_rrd_ps, one",
                         "give dram.t_faw_ps at least " + grouped(n.dram_t_rrd_ps)};
  const std::uint64_t refresh = n.dram_t_rp_ps + std::max(n.dram_t_rfc_ps, n.dram_t_rfc_bank_ps);
  if (n.dram_refresh != static_cast<std::uint64_t>(DramRefresh::kNone) &&
      n.dram_t_refi_ps <= refresh)
    return Contradiction{
        "refreshes never end: dram.t_refi_ps is not more than dram.t_rp_ps and "
        "dram.t_rfc_ps or dram.t_rfc_bank_ps",
        "give dram.t_refi_ps at least " + grouped(refresh + 1)};
  return {};
}

// Caches of constants and of code.
Found small_caches_wrong(const CardNumbers& n) {
  const std::uint64_t set = n.constant_line * n.constant_ways;
  if (n.constant_bytes < set)
    return Contradiction{"constant.size is less than a set, constant.line x constant.ways",
                         "give constant.size at least " + shown_bytes(set)};
  if (auto f = uneven("constant.size", n.constant_bytes, set,
                      "sets of constant.line x constant.ways", shown_bytes))
    return f;
  if (auto f = uneven("constant.group_line", n.constant_group_line, n.constant_line,
                      "constant.line", shown_bytes))
    return f;
  if (n.constant_group_bytes < n.constant_group_line)
    return Contradiction{"constant.group_size is less than constant.group_line",
                         "give constant.group_size at least " + shown_bytes(n.constant_group_line)};
  if (auto f = uneven("constant.group_size", n.constant_group_bytes, n.constant_group_line,
                      "constant.group_line", shown_bytes))
    return f;
  if (n.code_bytes > n.code_group_bytes)
    return Contradiction{
        "code.size is more than code.group_size: an SM would keep code that its GPC has no room "
        "for",
        "give code.size at most " + shown_bytes(n.code_group_bytes) +
            ", or a larger code.group_size"};
  // What comes from further away takes no less time.
  struct Times {
    const char* further;
    std::uint64_t cycles;
    const char* nearer;
    std::uint64_t least;
    const char* why;
  };
  const Times times[] = {
      {"constant.memory_cycles", n.constant_memory_cycles, "constant.group_cycles",
       n.constant_group_cycles, "which asks nobody else"},
      {"code.group_again_cycles", n.code_group_again_cycles, "code.again_cycles",
       n.code_again_cycles, "although the code comes from behind the GPC"},
      {"code.group_again_jump_cycles", n.code_group_again_jump_cycles, "code.group_again_cycles",
       n.code_group_again_cycles, "which is for code that was asked for ahead"},
      {"code.far_jump_cycles", n.code_far_jump_cycles, "code.far_cycles", n.code_far_cycles,
       "which is for code that was asked for ahead"}};
  for (const Times& t : times)
    if (t.cycles < t.least)
      return Contradiction{std::string(t.further) + " is less than " + t.nearer + ", " + t.why,
                           std::string("give ") + t.further + " at least " + grouped(t.least) +
                               ", or a smaller " + t.nearer};
  return {};
}

// An SM that could hold no warp, or no CTA.
Found residency_wrong(const CardNumbers& n) {
  if (n.sm_threads < 32)
    return Contradiction{"sm.threads is " + text(n.sm_threads) + ", less than a warp's",
                         "give sm.threads at least 32"};
  if (n.sm_registers / n.sm_schedulers < n.register_unit)
    return Contradiction{
        "a scheduler has " + grouped(n.sm_registers / n.sm_schedulers) +
            " registers (sm.registers / sm.schedulers), less than sm.register_unit (" +
            grouped(n.register_unit) + "): no warp could have any",
        "give sm.registers at least " + grouped(n.register_unit * n.sm_schedulers)};
  if (const std::uint64_t least = std::max(n.shared_unit, n.shared_reserved);
      least > n.shared_configs.back())
    return Contradiction{"shared.unit (" + shown_bytes(n.shared_unit) +
                             ") is more than the largest of shared.configs (" +
                             shown_bytes(n.shared_configs.back()) + ")",
                         "give shared.unit at most " + shown_bytes(n.shared_configs.back())};
  return {};
}

Found schedulers_wrong(const CardNumbers& n) {
  if (n.sm_schedulers == 1 || n.sm_schedulers == 2 || n.sm_schedulers == 4)
    return residency_wrong(n);
  return Contradiction{
      "sm.schedulers is " + grouped(n.sm_schedulers) + ": an SM has one, two or four of them",
      "give sm.schedulers=1, 2 or 4"};
}

// Lists that say something of each SM, or of some.
Found sms_wrong(const CardNumbers& n) {
  const auto numbers_of = [&](const char* key, const std::vector<std::uint64_t>& v,
                              std::uint64_t most, const char* what) -> Found {
    for (std::uint64_t x : v)
      if (x > most)
        return Contradiction{std::string(key) + " holds " + text(x) + ", more than " + text(most),
                             std::string("give ") + what + " from 0 to " + text(most)};
    return {};
  };
  const auto per_sm = [&](const char* key, const std::vector<std::uint64_t>& v, std::uint64_t most,
                          const char* what) -> Found {
    if (v.size() != n.sm_count)
      return Contradiction{
          std::string(key) + " lists " + text(v.size()) + " SMs, sm.count says " + text(n.sm_count),
          "list " + text(n.sm_count) + " numbers, or give sm.count=" + text(v.size())};
    return numbers_of(key, v, most, what);
  };
  if (auto f = per_sm("topology.sm_side", n.sm_side, n.l2_sides - 1, "sides of the L2 (l2.sides)"))
    return f;
  for (const auto& [key, v] : {std::pair{"driver.malloc", &n.driver_malloc},
                               {"driver.free", &n.driver_free},
                               {"driver.print", &n.driver_print}})
    if (!v->empty() && v->size() != 5)
      return Contradiction{std::string(key) + " has " + text(v->size()) + " numbers",
                           "give five: of a caller, its further lanes, of the GPU a call and a "
                           "lane, of an SM's first call"};
  if (auto f = per_sm("topology.sm_gpc", n.sm_gpc, 255, "GPCs")) return f;
  if (auto f = per_sm("topology.cta_order", n.cta_order, n.sm_count - 1, "SMs")) return f;
  std::vector<std::uint64_t> order = n.cta_order;
  std::sort(order.begin(), order.end());
  if (std::adjacent_find(order.begin(), order.end()) != order.end())
    return Contradiction{"topology.cta_order names an SM twice", "list every SM once"};
  if (auto f = numbers_of("topology.lone_sms", n.lone_sms, n.sm_count - 1, "SMs")) return f;
  for (std::uint64_t side = 0; side < n.l2_sides && n.sm_count >= n.l2_sides; ++side)
    if (std::find(n.sm_side.begin(), n.sm_side.end(), side) == n.sm_side.end())
      return Contradiction{"topology.sm_side has no SM on side " + text(side) + " of the L2",
                           "put one there, or write 1 for l2.sides"};
  std::uint64_t in_turns = 0;
  for (std::uint64_t t : n.cta_turns) in_turns += t;
  if (in_turns != n.sm_count)
    return Contradiction{
        "topology.cta_turns add up to " + text(in_turns) + ", sm.count says " + text(n.sm_count),
        "give turns of " + text(n.sm_count) + " SMs in all"};
  if (n.cta_small_groups >= n.cta_turns.size())
    return Contradiction{"topology.cta_small_groups is " + text(n.cta_small_groups) +
                             ", but there are " + text(n.cta_turns.size()) + " topology.cta_turns",
                         "give a whole number from 0 to " + text(n.cta_turns.size() - 1)};
  return {};
}

}  // namespace

Result<void> Card::validate(const std::string& place) const {
  const auto refused = [&](const Contradiction& found) {
    return card_error(place, found.message, found.fix);
  };
  if (const Found found = zero({numbers_, capability()})) return refused(*found);
  for (const auto& check :
       {too_much, too_fast, components_wrong, l1_wrong, l1_sets_wrong, l2_wrong, home_wrong})
    if (const Found found = check(numbers_)) return refused(*found);
  if (!user_.contains(card_field("sm.count")))
    if (const Found found = ports_wrong(numbers_)) return refused(*found);
  for (const auto& check :
       {bandwidth_wrong, link_wrong, dram_wrong, small_caches_wrong, schedulers_wrong, sms_wrong})
    if (const Found found = check(numbers_)) return refused(*found);
  return {};
}

}  // namespace warpmem::model
