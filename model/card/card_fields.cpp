#include "model/card/card_fields.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "model/cache/store_queue.hpp"

namespace warpmem::model {
namespace {

// Every number a card must have: a new one is a row here and a line in each card.
// clang-format off: a row a number
const CardField kFields[] = {
    {"sm.count", "SMs", &CardNumbers::sm_count, "streaming multiprocessors"},
    {"sm.warps", "warps", &CardNumbers::sm_warps, "resident warps an SM"},
    {"sm.ctas", "CTAs", &CardNumbers::sm_ctas, "resident CTAs an SM"},
    {"sm.threads", "threads", &CardNumbers::sm_threads, "resident threads an SM"},
    {"sm.registers", "registers", &CardNumbers::sm_registers, "32-bit registers an SM"},
    {"sm.register_unit", "registers", &CardNumbers::register_unit,
     "a warp's registers come in multiples of this"},
    {"shared.per_cta", "bytes", &CardNumbers::shared_per_cta,
     "most shared memory a CTA may ask for"},
    {"shared.reserved", "bytes", &CardNumbers::shared_reserved,
     "the driver's own share of each CTA's"},
    {"shared.unit", "bytes", &CardNumbers::shared_unit, "shared memory comes in multiples of this"},
    {"shared.generous", "bytes", &CardNumbers::shared_generous,
     "largest configuration the driver picks beyond need"},
    {"shared.warp_start", "millicycles", &CardNumbers::shared_warp_start,
     "of the banks' way to the registers, which shared loads use: a warp that starts"},
    {"shared.bulk_read", "millicycles", &CardNumbers::shared_bulk_read, "… a sector that a bulk copy stores"},
    {"shared.bulk_write", "millicycles", &CardNumbers::shared_bulk_write,
     "of the way into the banks, which shared stores use: a sector that a bulk copy loads"},
    {"shared.async_write", "millicycles", &CardNumbers::shared_async_write, "… a sector of an asynchronous copy past the L1"},
    {"shared.configs", "bytes", &CardNumbers::shared_configs,
     "selectable shared-memory configurations"},
    {"l1.size", "bytes", &CardNumbers::l1_bytes, "L1 data cache and shared memory together"},
    {"l1.reserved", "bytes", &CardNumbers::l1_reserved, "part of the L1 that never holds data"},
    {"l2.size", "bytes", &CardNumbers::l2_bytes, "L2, all sides"},
    {"l2.sides", "sides", &CardNumbers::l2_sides,
     "partitions of the L2 that keep copies of each other's lines"},
    {"l2.ways", "ways", &CardNumbers::l2_ways, "associativity"},
    {"l2.dirty_ways", "ways", &CardNumbers::l2_dirty_ways, "ways of a set that may be dirty"},
    {"l2.partial_ways", "ways", &CardNumbers::l2_partial_ways,
     "ways of a set that may hold partly written sectors"},
    {"l2.filled_ways", "ways", &CardNumbers::l2_filled_ways,
     "ways of a set that wait to be written back when such sectors have been filled"},
    {"l2.home_bits", "address bits", &CardNumbers::l2_home_bits,
     "their parity is a line's home side"},
    {"l2.fetch", "bytes", &CardNumbers::l2_fetch_bytes,
     "what a read miss moves from DRAM at least"},
    {"lrc.merge", "SMs", &CardNumbers::lrc_merge,
     "readers of one line that share a request to the L2"},
    {"lrc.way_cycles", "cycles", &CardNumbers::lrc_way_cycles,
     "of an L2 read's latency: from the SM to the coalescer and back"},
    {"l1.read_entries", "lines", &CardNumbers::l1_read_entries,
     "lines of misses that wait to leave an SM; further misses on them join"},
    {"l1.read_cycles", "cycles", &CardNumbers::l1_read_cycles,
     "that a line of misses waits after the latest miss on it"},
    {"l1.store_entries", "lines", &CardNumbers::l1_store_entries,
     "lines of stores that wait to leave an SM; further stores to them join"},
    {"l1.store_cycles", "cycles", &CardNumbers::l1_store_cycles,
     "that a line of stores waits after its data has passed the data stage"},
    {"latency.l1", "cycles", &CardNumbers::latency_l1, "L1 hit"},
    {"latency.texture", "cycles", &CardNumbers::latency_texture,
     "texel of a texture or surface by its number, L1 hit"},
    {"latency.coordinates", "cycles", &CardNumbers::latency_coordinates,
     "more for a texture fetch by coordinates"},
    {"latency.filter", "cycles", &CardNumbers::latency_filter, "more for one that mixes texels"},
    {"latency.shared", "cycles", &CardNumbers::latency_shared, "shared memory without a conflict"},
    {"latency.conflict", "cycles", &CardNumbers::latency_conflict,
     "from one wavefront of an access to its next, in shared memory and the L1"},
    {"latency.l2_near", "cycles", &CardNumbers::latency_l2_near, "hit on the SM's side of the L2"},
    {"latency.l2_spread", "cycles", &CardNumbers::latency_l2_spread,
     "by how much slices of the L2 differ"},
    {"latency.dram_spread", "cycles", &CardNumbers::latency_dram_spread,
     "by how much L2 misses differ"},
    {"latency.dram_tail", "cycles", &CardNumbers::latency_dram_tail,
     "one L2 miss in eight takes up to this much more"},
    {"latency.l2_far", "cycles", &CardNumbers::latency_l2_far,
     "more, when the line's home is the other side"},
    {"latency.dram", "cycles", &CardNumbers::latency_dram, "more, when the L2 misses"},
    {"dram.sectors_per_kilocycle", "sectors", &CardNumbers::dram_sectors_per_kilocycle,
     "DRAM bandwidth in 1,000 SM cycles", nullptr, true},
    {"driver.malloc", "cycles", &CardNumbers::driver_malloc,
     "a kernel's call of malloc, more for each further lane; of the GPU a call, a lane; more for "
     "an SM's first"},
    {"driver.free", "cycles", &CardNumbers::driver_free, "… of free"},
    {"driver.print", "cycles", &CardNumbers::driver_print, "… of printf"},
    {"topology.sm_side", "side by SM", &CardNumbers::sm_side, "which side of the L2 each SM is on"},
    {"topology.cpc_tpcs", "TPCs", &CardNumbers::cpc_tpcs,
     "TPCs of a CPC; a GPC starts CTAs on its CPCs by turns"},
    {"topology.sm_gpc", "GPC by SM", &CardNumbers::sm_gpc, "which GPC each SM is in"},
    {"topology.lone_sms", "SMs", &CardNumbers::lone_sms,
     "SMs that take part in no cluster of more than two CTAs"},
    {"topology.cta_order", "SMs", &CardNumbers::cta_order, "order in which SMs get their CTAs"},
    {"launch.dram_read_sectors", "sectors", &CardNumbers::launch_dram_read_sectors,
     "read from DRAM by any launch, code apart"},
    {"launch.l2_read_sectors", "sectors", &CardNumbers::launch_l2_read_sectors,
     "read from L2 by any launch, all sources, code apart"},
    {"launch.fabric_sectors", "sectors", &CardNumbers::launch_fabric_sectors,
     "between the sides of the L2 by any launch, code apart"},
    {"launch.stagger_cycles", "cycles", &CardNumbers::launch_stagger_cycles,
     "by which an SM's schedulers come to their first instructions one after the other"},
    {"launch.share_millicycles", "cycles/1000", &CardNumbers::launch_share_millicycles,
     "for each CTA of a grid that finds room whole, before the first one starts"},
    {"launch.sm_millicycles", "cycles/1000", &CardNumbers::launch_sm_millicycles,
     "from one SM's first CTA to the next one's in its GPC, of one warp"},
    {"launch.sm_warp_millicycles", "cycles/1000", &CardNumbers::launch_sm_warp_millicycles,
     "more for each further warp"},
    {"launch.sm_most_millicycles", "cycles/1000", &CardNumbers::launch_sm_most_millicycles,
     "at most, however many warps"},
    {"launch.gpc_millicycles", "cycles/1000", &CardNumbers::launch_gpc_millicycles,
     "between CTAs that a GPC starts once each SM has one, at least"},
    {"launch.gpc_warp_millicycles", "cycles/1000", &CardNumbers::launch_gpc_warp_millicycles,
     "… for each warp"},
    {"launch.dirty_sectors", "sectors", &CardNumbers::launch_dirty_sectors,
     "dirty in the L2 when a launch starts with flushed caches"},
    {"l2.slices", "slices", &CardNumbers::l2_slices, "slices of the L2, all sides"},
    {"l2.clock_permille", "per mille", &CardNumbers::l2_clock_permille,
     "the slices' clock, of the SM clock"},
    {"l2.read_permille", "per mille", &CardNumbers::l2_read_permille, "slice cycles for a read"},
    {"l2.read_sector_permille", "per mille", &CardNumbers::l2_read_sector_permille,
     "slice cycles for each sector read"},
    {"l2.write_permille", "per mille", &CardNumbers::l2_write_permille, "slice cycles for a write"},
    {"l2.write_sector_permille", "per mille", &CardNumbers::l2_write_sector_permille,
     "slice cycles for each sector written whole"},
    {"l2.partial_sector_permille", "per mille", &CardNumbers::l2_partial_sector_permille,
     "slice cycles for each sector written in part"},
    {"l2.atomic_pass_permille", "per mille", &CardNumbers::l2_atomic_pass_permille,
     "slice cycles for each pass of an atomic over a sector"},
    {"l2.atomic_part_permille", "per mille", &CardNumbers::l2_atomic_part_permille,
     "slice cycles more for a pass of an atomic over a part of a sector"},
    {"l2.fill_sector_permille", "per mille", &CardNumbers::l2_fill_sector_permille,
     "slice cycles for each sector that DRAM or the other side brings"},
    {"l2.queue_cycles", "cycles", &CardNumbers::l2_queue_cycles,
     "work waiting in front of the L2 before the SM is held up"},
    {"port.receive_permille", "sectors", &CardNumbers::port_receive_permille,
     "an SM gets from the L2 in 1,000 cycles"},
    {"port.host_permille", "sectors", &CardNumbers::host_permille,
     "pass the host link in 1,000 cycles"},
    {"latency.remote", "cycles", &CardNumbers::latency_remote,
     "a load from another SM's shared memory"},
    {"remote.read", "millicycles", &CardNumbers::remote_read,
     "a sector read from another SM's shared memory"},
    {"remote.write", "millicycles", &CardNumbers::remote_write,
     "a sector written to another SM's shared memory"},
    {"constant.size", "bytes", &CardNumbers::constant_bytes, "an SM's cache of constants"},
    {"constant.line", "bytes", &CardNumbers::constant_line, "its lines"},
    {"constant.ways", "ways", &CardNumbers::constant_ways, "its associativity"},
    {"constant.group_size", "bytes", &CardNumbers::constant_group_bytes,
     "a GPC's cache of constants"},
    {"constant.group_line", "bytes", &CardNumbers::constant_group_line,
     "what it brings from memory at a time"},
    {"constant.group_cycles", "cycles", &CardNumbers::constant_group_cycles,
     "more than a hit, when the GPC's cache has it"},
    {"constant.memory_cycles", "cycles", &CardNumbers::constant_memory_cycles,
     "more than a hit, when no cache has it"},
    {"constant.operand_cycles", "cycles", &CardNumbers::constant_operand_cycles,
     "more for an instruction whose operand is in a line of parameters that is new to the SM"},
    {"constant.load_cycles", "cycles", &CardNumbers::constant_load_cycles,
     "more for a load of a parameter in a line that is new to the SM"},
    {"constant.next_cycles", "cycles", &CardNumbers::constant_next_cycles,
     "from one address of a warp to its next"},
    {"constant.address_cycles", "cycles", &CardNumbers::constant_address_cycles,
     "an address keeps the SM's lookup"},
    {"constant.misses", "misses", &CardNumbers::constant_misses,
     "that an SM has under way at most"},
    {"bulk.cycles", "cycles", &CardNumbers::bulk_cycles, "an SM's copy engine takes for 128 bytes"},
    {"latency.host", "cycles", &CardNumbers::latency_host, "an access to host memory"},
    {"port.send_permille", "sectors", &CardNumbers::port_send_permille,
     "an SM sends to the L2 in 1,000 cycles"},
    {"port.send_header_permille", "millicycles", &CardNumbers::port_send_header_permille,
     "more for a request of less than a whole line that an SM sends"},
    {"dram.channels", "channels", &CardNumbers::dram_channels,
     "DRAM channels with a data bus each"},
    {"dram.devices", "devices", &CardNumbers::dram_devices,
     "chips or stacks of DRAM, each with its own clock of refreshes"},
    {"dram.banks", "banks", &CardNumbers::dram_banks, "banks a channel", nullptr, true},
    {"dram.row", "bytes", &CardNumbers::dram_row_bytes, "row of a bank", nullptr, true},
    {"dram.activate_permille", "millicycles", &CardNumbers::dram_activate_permille,
     "between two rows opened in a channel", nullptr, true},
    {"dram.row_cycles", "cycles", &CardNumbers::dram_row_cycles,
     "between two rows opened in a bank", nullptr, true},
    {"dram.turnaround_cycles", "cycles", &CardNumbers::dram_turnaround_cycles,
     "a channel's bus loses when it turns from writing to reading", nullptr, true},
    {"dram.switch_cycles", "cycles", &CardNumbers::dram_switch_cycles,
     "a channel loses when it stops reading to write"},
    {"dram.write_batch", "sectors", &CardNumbers::dram_write_batch,
     "that wait in a channel at most to be written, while others are read"},
    {"dram.write_permille", "millicycles", &CardNumbers::dram_write_permille,
     "of a channel's bus that the writes of a line take at least"},
    {"time.launch_cycles", "cycles", &CardNumbers::time_launch_cycles,
     "of a launch before its first CTA and after its last"},
    {"time.drain_cycles", "cycles", &CardNumbers::time_drain_cycles,
     "more at the end of a launch that reached memory"},
    {"time.fence_cycles", "cycles", &CardNumbers::time_fence_cycles,
     "after a launch's last CTA in which its stores still arrive for nothing"},
    {"time.cta_millicycles", "millicycles", &CardNumbers::time_cta_millicycles,
     "between two CTAs given out"},
    {"time.cta_cycles", "cycles", &CardNumbers::time_cta_cycles,
     "from a CTA's being given out to its first instruction"},
    {"time.turn_cycles", "cycles", &CardNumbers::time_turn_cycles,
     "from a CTA's last instruction to the first one of the CTA in its place"},
    {"time.warp_cycles", "cycles", &CardNumbers::time_warp_cycles,
     "between the first instructions of two warps of a CTA"},
    {"time.first_cycles", "cycles", &CardNumbers::time_first_cycles,
     "more for an SM's first CTA, whose code comes in"},
    {"time.translate_cycles", "cycles", &CardNumbers::time_translate_cycles,
     "an SM's first access beyond its L1 takes longer"},
    {"time.queue_cycles", "cycles", &CardNumbers::time_queue_cycles,
     "by which tags may be looked up ahead of the data"},
    {"time.queue_loads", "accesses", &CardNumbers::time_queue_loads,
     "of a scheduler that wait before one of its warps is held up: loads, shared memory"},
    {"time.queue_stores", "accesses", &CardNumbers::time_queue_stores,
     "of a scheduler that wait before one of its warps is held up: stores and atomics"},
    {"time.queue_moved", "accesses", &CardNumbers::time_queue_moved,
     "of those that wait, how many have read their registers already"},
    {"time.read_cycles", "cycles", &CardNumbers::time_read_cycles,
     "until an access has read its registers"},
    {"time.read_global_cycles", "cycles", &CardNumbers::time_read_global_cycles,
     "until a store to global or local memory has read its registers"},
    {"time.read_register_cycles", "cycles", &CardNumbers::time_read_register_cycles,
     "more for each further register that a lane stores"},
    {"time.barrier_cycles", "cycles", &CardNumbers::time_barrier_cycles,
     "from the last arrival at a barrier to going on"},
    {"time.cluster_millicycles", "millicycles", &CardNumbers::time_cluster_millicycles,
     "more to give out a cluster than its CTAs alone"},
    {"time.cluster_barrier_cycles", "cycles", &CardNumbers::time_cluster_barrier_cycles,
     "a cluster's barrier when nobody is late"},
    {"time.code_cycles", "cycles", &CardNumbers::time_code_cycles,
     "from running a piece of code first (384 bytes) to having the next one"},
    {"code.size", "bytes", &CardNumbers::code_bytes, "of code that an SM keeps"},
    {"code.group_size", "bytes", &CardNumbers::code_group_bytes, "of code that a GPC keeps"},
    {"code.again_cycles", "cycles", &CardNumbers::code_again_cycles,
     "from running a piece of code to having the next one again, when the GPC has it"},
    {"code.group_again_cycles", "cycles", &CardNumbers::code_group_again_cycles,
     "from running a piece of code to having the next one again, when the L2 has it"},
    {"code.far_cycles", "cycles", &CardNumbers::code_far_cycles,
     "from running a piece of code first to having the next one, beyond code.brought"},
    {"code.group_again_jump_cycles", "cycles", &CardNumbers::code_group_again_jump_cycles,
     "from a jump to having its piece of code again, when the L2 has it"},
    {"code.far_jump_cycles", "cycles", &CardNumbers::code_far_jump_cycles,
     "from a jump to having its piece of code for the first time, beyond code.brought"},
    {"code.brought", "bytes", &CardNumbers::code_brought_bytes,
     "of a launch's code that its GPCs have when it starts"},
    {"time.barrier_lead_cycles", "cycles", &CardNumbers::time_barrier_lead_cycles,
     "by which a warp's arrival may be ahead of its last wavefront in shared memory"},
    {"time.barrier_warp_cycles", "cycles", &CardNumbers::time_barrier_warp_cycles,
     "between the arrivals of two warps"},
    {"topology.cta_turns", "SMs", &CardNumbers::cta_turns,
     "how many SMs of cta_order get a CTA each in one turn"},
    {"topology.cta_small_groups", "turns", &CardNumbers::cta_small_groups,
     "turns at the front that come round more often"},
    {"topology.cta_small_first", "turns", &CardNumbers::cta_small_first,
     "other turns before they come round first"},
    {"topology.cta_small_every", "turns", &CardNumbers::cta_small_every,
     "other turns before each later time"},
    {"sm.clock_mhz", "MHz", &CardNumbers::clock_mhz,
     "SM clock, which turns times of the DRAM's type into cycles"},
    {"dram.type", "type", &CardNumbers::dram_type,
     "of which the numbers are that this card does not give (model/dram)", dram_type_names},
    {"dram.map", "kind", &CardNumbers::dram_map, "how addresses spread over channels and banks",
     dram_map_names},
    {"dram.interleave", "bytes", &CardNumbers::dram_interleave_bytes,
     "side by side in one channel"},
    {"dram.refresh", "kind", &CardNumbers::dram_refresh,
     "what a refresh blocks: no bank (it is part of the bandwidth), one, all", dram_refresh_names,
     true},
    {"dram.rate_mbps", "Mbit/s", &CardNumbers::dram_rate_mbps, "on each pin of a channel", nullptr,
     true},
    {"dram.width_bits", "bits", &CardNumbers::dram_width_bits, "of a channel's data bus", nullptr,
     true},
    {"dram.burst", "transfers", &CardNumbers::dram_burst, "on each pin for a column command",
     nullptr, true},
    {"dram.t_cl_ps", "ps", &CardNumbers::dram_t_cl_ps, "tCL: from a read command to its data",
     nullptr, true},
    {"dram.t_wl_ps", "ps", &CardNumbers::dram_t_wl_ps, "tWL: from a write command to its data",
     nullptr, true},
    {"dram.t_rcd_ps", "ps", &CardNumbers::dram_t_rcd_ps,
     "tRCD: from opening a row to its first command", nullptr, true},
    {"dram.t_rp_ps", "ps", &CardNumbers::dram_t_rp_ps, "tRP: closing a row", nullptr, true},
    {"dram.t_rc_ps", "ps", &CardNumbers::dram_t_rc_ps, "tRC: between two rows opened in a bank",
     nullptr, true},
    {"dram.t_rrd_ps", "ps", &CardNumbers::dram_t_rrd_ps,
     "tRRD: between two rows opened in a channel", nullptr, true},
    {"dram.t_faw_ps", "ps", &CardNumbers::dram_t_faw_ps,
     "tFAW: in which four rows may be opened in a channel", nullptr, true},
    {"dram.t_rtw_ps", "ps", &CardNumbers::dram_t_rtw_ps,
     "tRTW: from a read command to a write command", nullptr, true},
    {"dram.t_wtr_ps", "ps", &CardNumbers::dram_t_wtr_ps,
     "tWTR: from a write's data to a read command", nullptr, true},
    {"dram.t_refi_ps", "ps", &CardNumbers::dram_t_refi_ps, "tREFI: between two refreshes of a bank",
     nullptr, true},
    {"dram.t_rfc_ps", "ps", &CardNumbers::dram_t_rfc_ps, "tRFC: a refresh of all banks", nullptr,
     true},
    {"dram.t_rfc_bank_ps", "ps", &CardNumbers::dram_t_rfc_bank_ps, "tRFCpb: a refresh of one bank",
     nullptr, true},
};
// clang-format on

}  // namespace

std::span<const CardField> card_fields() { return kFields; }

std::optional<std::size_t> find_card_field(std::string_view key) {
  for (std::size_t i = 0; i < std::size(kFields); ++i)
    if (kFields[i].key == key) return i;
  return std::nullopt;
}

std::size_t card_field(std::string_view key) { return *find_card_field(key); }

std::string nearest_card_field(const std::string& key, const std::string& otherwise) {
  std::vector<std::string> known;
  for (const CardField& k : kFields) known.emplace_back(k.key);
  const std::string near = nearest(key, known);
  return near.empty() ? otherwise : "did you mean '" + near + "'?";
}

const std::vector<std::string>& dram_map_names() {
  static const std::vector<std::string> kNames = {"hashed", "plain"};
  return kNames;
}

const std::vector<std::string>& dram_refresh_names() {
  static const std::vector<std::string> kNames = {"none", "bank", "all"};
  return kNames;
}

namespace {

bool in_bytes(const CardField& f) { return std::string_view(f.unit) == "bytes"; }

// The most of a unit that a number may say, far beyond what any GPU has: half a millisecond to wait,
// and half a microsecond of a place for one request, as what is taken of a place is noted span by
// span (throughput.hpp).
std::uint64_t most_of(const CardField& f) {
  constexpr std::uint64_t kWait = 1'000'000, kTaken = 1'000;  // cycles
  const std::string_view unit = f.unit;
  if (in_bytes(f)) return std::uint64_t{4} << 30;
  if (unit == "cycles") return kWait;
  if (unit == "millicycles" || unit == "cycles/1000" || unit == "per mille") return 1000 * kTaken;
  if (unit == "ps") return 1000 * kWait;
  return 0xffffffff;
}

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
    // Those whose zero has a message of its own (card_check.cpp).
    "l2.sides", "l2.dirty_ways", "l2.partial_ways"};

// What the model has room for, where that is less than the unit's most.
struct Limit {
  std::string_view key;
  std::uint64_t most;
};
constexpr Limit kLimits[] = {
    {"l1.size", 4 << 20}, {"constant.size", 4 << 20}, {"constant.group_size", 4 << 20},
    {"sm.warps", 64},
    {"sm.count", 4096},
    {"l1.store_entries", StoreQueue::kMost},
    {"l2.slices", 4096},
    {"dram.channels", 4096},
    {"dram.banks", 1024},
    {"dram.write_batch", 65536},
    {"bulk.cycles", 1000},
    {"constant.address_cycles", 1000},
    {"constant.line", 1024},
    {"constant.ways", 64},
    {"constant.misses", 1024},
    {"time.cluster_barrier_cycles", 65535},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::string shown_bytes(std::uint64_t bytes) {
  return bytes % 1024 == 0 && byte_size(bytes).find('.') == std::string::npos
             ? byte_size(bytes)
             : grouped(bytes) + " B";
}

std::string shown_card_field(const CardField& f, const CardNumbers& n) {
  if (const auto* m = std::get_if<CardField::One>(&f.member))
    return f.words ? f.words()[n.** m] : in_bytes(f) ? shown_bytes(n.** m) : grouped(n.** m);
  std::string out;
  for (std::uint64_t v : n.*std::get<CardField::Many>(f.member))
    out += (out.empty() ? "" : ", ") + (in_bytes(f) ? shown_bytes(v) : std::to_string(v));
  return "[" + out + "]";
}

WholeRange card_number_range(const CardField& f) {
  const bool one = std::holds_alternative<CardField::One>(f.member) && !f.words;
  const bool zero =
      !one || std::find(std::begin(kMayBeZero), std::end(kMayBeZero), f.key) != std::end(kMayBeZero);
  std::uint64_t most = most_of(f);
  for (const Limit& limit : kLimits)
    if (limit.key == f.key) most = limit.most;
  return {zero ? 0u : 1u, most, f.unit, in_bytes(f)};
}

Result<std::uint64_t> read_card_number(const CardField& f, std::string_view text,
                                       const std::string& place) {
  if (!f.words) return read_whole(trimmed(text), card_number_range(f), place);
  const auto& words = f.words();
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::uint64_t>(found - words.begin());
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return card_error(place, "'" + std::string(text) + "' is no " + f.unit + " there is",
                    "choose one of: " + all);
}

std::vector<std::string> card_list_items(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']'))
    text = trimmed(text.substr(1, text.size() - 2));
  const bool commas = text.find(',') != text.npos;
  const std::string_view between = commas ? "," : " ";
  std::vector<std::string> items;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    std::string_view item = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (item.size() > 1 && item.front() == '"' && item.back() == '"')
      item = item.substr(1, item.size() - 2);
    if (!commas && item.empty()) continue;
    if (!commas && !items.empty() && is_letter(item.front())) items.back() += item;  // "8 KiB"
    else items.emplace_back(item);
  }
  return items;
}

Error card_error(const std::string& place, const std::string& message, const std::string& fix) {
  return {ErrorKind::kUsage, message, place, fix};
}

}  // namespace warpmem::model
