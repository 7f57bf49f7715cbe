#include "model/card.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <variant>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "model/embedded_cards.hpp"

namespace warpmem::model {
namespace {

using One = std::uint64_t CardNumbers::*;
using Many = std::vector<std::uint64_t> CardNumbers::*;

struct Field {
  const char* key;
  const char* unit;
  std::variant<One, Many> member;
  const char* meaning;
};

// Every number a card must have: a new one is a row here and a line in each card.
const Field kFields[] = {
    {"sm.count", "SMs", &CardNumbers::sm_count, "streaming multiprocessors"},
    {"sm.warps", "warps", &CardNumbers::sm_warps, "resident warps an SM"},
    {"sm.ctas", "CTAs", &CardNumbers::sm_ctas, "resident CTAs an SM"},
    {"sm.threads", "threads", &CardNumbers::sm_threads, "resident threads an SM"},
    {"sm.registers", "registers", &CardNumbers::sm_registers, "32-bit registers an SM"},
    {"sm.register_unit", "registers", &CardNumbers::register_unit, "a warp's registers come in multiples of this"},
    {"shared.per_cta", "bytes", &CardNumbers::shared_per_cta, "most shared memory a CTA may ask for"},
    {"shared.reserved", "bytes", &CardNumbers::shared_reserved, "the driver's own share of each CTA's"},
    {"shared.unit", "bytes", &CardNumbers::shared_unit, "shared memory comes in multiples of this"},
    {"shared.generous", "bytes", &CardNumbers::shared_generous, "largest configuration the driver picks beyond need"},
    {"shared.configs", "bytes", &CardNumbers::shared_configs, "selectable shared-memory configurations"},
    {"l1.size", "bytes", &CardNumbers::l1_bytes, "L1 data cache and shared memory together"},
    {"l1.reserved", "bytes", &CardNumbers::l1_reserved, "part of the L1 that never holds data"},
    {"l1.ages", "ages", &CardNumbers::l1_ages, "ages a line goes through before it may be replaced"},
    {"l2.size", "bytes", &CardNumbers::l2_bytes, "L2, all sides"},
    {"l2.sides", "sides", &CardNumbers::l2_sides, "partitions of the L2 that keep copies of each other's lines"},
    {"l2.ways", "ways", &CardNumbers::l2_ways, "associativity"},
    {"l2.dirty_ways", "ways", &CardNumbers::l2_dirty_ways, "ways of a set that may be dirty"},
    {"l2.partial_ways", "ways", &CardNumbers::l2_partial_ways, "ways of a set that may hold partly written sectors"},
    {"l2.home_bits", "address bits", &CardNumbers::l2_home_bits, "their parity is a line's home side"},
    {"l2.fetch", "bytes", &CardNumbers::l2_fetch_bytes, "what a read miss moves from DRAM at least"},
    {"lrc.merge", "SMs", &CardNumbers::lrc_merge, "readers of one line that share a request to the L2"},
    {"lrc.join_cycles", "cycles", &CardNumbers::lrc_join_cycles, "an SM's misses on sectors of one line travel together when this close"},
    {"l1.merge_cycles", "cycles", &CardNumbers::l1_merge_cycles, "stores of different warps on one line travel together when this close"},
    {"latency.l1", "cycles", &CardNumbers::latency_l1, "L1 hit"},
    {"latency.shared", "cycles", &CardNumbers::latency_shared, "shared memory without a conflict"},
    {"latency.l2_near", "cycles", &CardNumbers::latency_l2_near, "hit on the SM's side of the L2"},
    {"latency.l2_spread", "cycles", &CardNumbers::latency_l2_spread, "by how much slices of the L2 differ"},
    {"latency.dram_spread", "cycles", &CardNumbers::latency_dram_spread, "by how much L2 misses differ"},
    {"latency.dram_tail", "cycles", &CardNumbers::latency_dram_tail, "one L2 miss in eight takes up to this much more"},
    {"latency.l2_far", "cycles", &CardNumbers::latency_l2_far, "more, when the line's home is the other side"},
    {"latency.dram", "cycles", &CardNumbers::latency_dram, "more, when the L2 misses"},
    {"dram.sectors_per_kilocycle", "sectors", &CardNumbers::dram_sectors_per_kilocycle, "DRAM bandwidth in 1,000 SM cycles"},
    {"topology.sm_side", "side by SM", &CardNumbers::sm_side, "which side of the L2 each SM is on"},
    {"topology.sm_gpc", "GPC by SM", &CardNumbers::sm_gpc, "which GPC each SM is in"},
    {"topology.cta_order", "SMs", &CardNumbers::cta_order, "order in which SMs get their CTAs"},
    {"launch.dram_read_sectors", "sectors", &CardNumbers::launch_dram_read_sectors, "read from DRAM by any launch, for code and parameters"},
    {"launch.l2_read_sectors", "sectors", &CardNumbers::launch_l2_read_sectors, "read from L2 by any launch, all sources"},
    {"launch.skew_cycles", "cycles", &CardNumbers::launch_skew_cycles, "by how much the SMs' first instructions start apart"},
    {"launch.dirty_sectors", "sectors", &CardNumbers::launch_dirty_sectors, "dirty in the L2 when a launch starts with flushed caches"},
    {"l2.slices", "slices", &CardNumbers::l2_slices, "slices of the L2, all sides"},
    {"l2.clock_permille", "per mille", &CardNumbers::l2_clock_permille, "the slices' clock, of the SM clock"},
    {"l2.read_permille", "per mille", &CardNumbers::l2_read_permille, "slice cycles for a read"},
    {"l2.read_sector_permille", "per mille", &CardNumbers::l2_read_sector_permille, "slice cycles for each sector read"},
    {"l2.write_permille", "per mille", &CardNumbers::l2_write_permille, "slice cycles for a write"},
    {"l2.write_sector_permille", "per mille", &CardNumbers::l2_write_sector_permille, "slice cycles for each sector written whole"},
    {"l2.partial_sector_permille", "per mille", &CardNumbers::l2_partial_sector_permille, "slice cycles for each sector written in part"},
    {"l2.atomic_permille", "per mille", &CardNumbers::l2_atomic_permille, "slice cycles for an atomic"},
    {"l2.atomic_pass_permille", "per mille", &CardNumbers::l2_atomic_pass_permille, "slice cycles for each pass of an atomic over a sector"},
    {"l2.fill_sector_permille", "per mille", &CardNumbers::l2_fill_sector_permille, "slice cycles for each sector that DRAM or the other side brings"},
    {"l2.queue_cycles", "cycles", &CardNumbers::l2_queue_cycles, "work waiting in front of the L2 before the SM is held up"},
    {"port.receive_permille", "sectors", &CardNumbers::port_receive_permille, "an SM gets from the L2 in 1,000 cycles"},
    {"port.host_permille", "sectors", &CardNumbers::host_permille, "pass the host link in 1,000 cycles"},
    {"latency.remote", "cycles", &CardNumbers::latency_remote, "a load from another SM's shared memory"},
    {"bulk.cycles", "cycles", &CardNumbers::bulk_cycles, "an SM's copy engine takes for 128 bytes"},
    {"bulk.reduce_cycles", "cycles", &CardNumbers::bulk_reduce_cycles, "… of a bulk reduction"},
    {"latency.host", "cycles", &CardNumbers::latency_host, "an access to host memory"},
    {"port.send_permille", "sectors", &CardNumbers::port_send_permille, "an SM sends to the L2 in 1,000 cycles"},
    {"dram.channels", "channels", &CardNumbers::dram_channels, "DRAM channels with a data bus each"},
    {"dram.banks", "banks", &CardNumbers::dram_banks, "banks a channel"},
    {"dram.row", "bytes", &CardNumbers::dram_row_bytes, "row of a bank"},
    {"dram.activate_permille", "millicycles", &CardNumbers::dram_activate_permille, "between two rows opened in a channel"},
    {"dram.row_cycles", "cycles", &CardNumbers::dram_row_cycles, "between two rows opened in a bank"},
    {"dram.turnaround_cycles", "cycles", &CardNumbers::dram_turnaround_cycles, "a channel's bus loses when it turns to write and back"},
    {"dram.write_batch", "sectors", &CardNumbers::dram_write_batch, "written between two turnarounds"},
    {"time.launch_cycles", "cycles", &CardNumbers::time_launch_cycles, "of a launch before its first CTA and after its last"},
    {"time.drain_cycles", "cycles", &CardNumbers::time_drain_cycles, "more at the end of a launch that reached memory"},
    {"time.cta_millicycles", "millicycles", &CardNumbers::time_cta_millicycles, "between two CTAs given out"},
    {"time.cta_cycles", "cycles", &CardNumbers::time_cta_cycles, "from a CTA's being given out to its first instruction"},
    {"time.first_cycles", "cycles", &CardNumbers::time_first_cycles, "more for an SM's first CTA, whose code comes in"},
    {"time.translate_cycles", "cycles", &CardNumbers::time_translate_cycles, "an SM's first access beyond its L1 takes longer"},
    {"time.queue_cycles", "cycles", &CardNumbers::time_queue_cycles, "work waiting in front of the load/store unit before a warp is held up"},
    {"time.read_cycles", "cycles", &CardNumbers::time_read_cycles, "until an access has read its registers"},
    {"time.barrier_cycles", "cycles", &CardNumbers::time_barrier_cycles, "from the last arrival at a barrier to going on"},
    {"time.cluster_barrier_cycles", "cycles", &CardNumbers::time_cluster_barrier_cycles,
     "a cluster's barrier when nobody is late"},
    {"time.barrier_warp_cycles", "cycles", &CardNumbers::time_barrier_warp_cycles, "between the arrivals of two warps"},
    {"topology.cta_turns", "SMs", &CardNumbers::cta_turns, "how many SMs of cta_order get a CTA each in one turn"},
    {"topology.cta_small_groups", "turns", &CardNumbers::cta_small_groups, "turns at the front that come round more often"},
    {"topology.cta_small_first", "turns", &CardNumbers::cta_small_first, "other turns before they come round first"},
    {"topology.cta_small_every", "turns", &CardNumbers::cta_small_every, "other turns before each later time"},
};

const Field* field(std::string_view key) {
  for (const Field& f : kFields)
    if (f.key == key) return &f;
  return nullptr;
}

std::string shown(const Field& f, const CardNumbers& n) {
  const bool bytes = std::string_view(f.unit) == "bytes";
  auto one = [&](std::uint64_t v) { return bytes ? byte_size(v) : grouped(v); };
  if (const One* m = std::get_if<One>(&f.member)) return one(n.**m);
  std::string out;
  for (std::uint64_t v : n.*std::get<Many>(f.member)) out += (out.empty() ? "" : " ") + one(v);
  return out;
}

Error bad(const std::string& place, const std::string& message, const std::string& fix) {
  return {ErrorKind::kUsage, message, place, fix};
}

std::string at(const std::string& name, const toml::source_region& r) {
  return name + ".toml, line " + std::to_string(r.begin.line);
}

}  // namespace

Result<Card> Card::parse(std::string_view text, const std::string& name) {
  Card card;
  card.name_ = name;
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& e) {
    return bad(at(name, e.source()), std::string("not valid TOML: ") + std::string(e.description()), "correct the line");
  }
  std::vector<std::string> seen;
  for (auto& [group, node] : root) {
    if (group == "name") { card.full_name_ = node.value_or(std::string()); continue; }
    if (group == "compute_capability") { card.compute_capability_ = node.value_or(std::string()); continue; }
    toml::table* table = node.as_table();
    if (!table) return bad(at(name, node.source()), "unknown key '" + std::string(group.str()) + "'", "put numbers into a group, as [l1] size = …");
    for (auto& [key, entry] : *table) {
      const std::string full = std::string(group.str()) + "." + std::string(key.str());
      const Field* f = field(full);
      if (!f) {
        std::vector<std::string> known;
        for (const Field& k : kFields) known.emplace_back(k.key);
        const std::string near = nearest(full, known);
        return bad(at(name, entry.source()), "unknown key '" + full + "'", near.empty() ? "remove it" : "did you mean '" + near + "'?");
      }
      toml::table* e = entry.as_table();
      if (!e || !e->contains("value") || !e->contains("source"))
        return bad(at(name, entry.source()), "'" + full + "' needs a value and a source", "write " + full + " = { value = …, source = \"measured: …\" }");
      auto number = [&](toml::node& v) -> std::optional<std::uint64_t> {
        if (auto i = v.value<std::int64_t>(); i && *i >= 0) return static_cast<std::uint64_t>(*i);
        if (auto s = v.value<std::string>()) return parse_bytes(*s);
        return std::nullopt;
      };
      toml::node& value = *e->get("value");
      if (const One* m = std::get_if<One>(&f->member)) {
        const auto v = number(value);
        if (!v) return bad(at(name, value.source()), "'" + full + "' is not a number of " + f->unit, "write a whole number, or a size as \"64KiB\"");
        card.numbers_.**m = *v;
      } else {
        toml::array* list = value.as_array();
        if (!list) return bad(at(name, value.source()), "'" + full + "' is not a list", "write [a, b, …]");
        for (toml::node& item : *list) {
          const auto v = number(item);
          if (!v) return bad(at(name, item.source()), "'" + full + "' holds something that is not a number", "write whole numbers");
          (card.numbers_.*std::get<Many>(f->member)).push_back(*v);
        }
      }
      CardEntry out{full, shown(*f, card.numbers_), f->unit, e->get("source")->value_or(std::string()), f->meaning, false};
      card.entries_.push_back(out);
      seen.push_back(full);
    }
  }
  for (const Field& f : kFields)
    if (std::find(seen.begin(), seen.end(), f.key) == seen.end())
      return bad(name + ".toml", std::string("'") + f.key + "' is missing (" + f.meaning + ")", "add it with its source");
  std::sort(card.entries_.begin(), card.entries_.end(), [](const CardEntry& a, const CardEntry& b) { return a.key < b.key; });
  if (auto ok = card.validate(); !ok) return ok.error();
  return card;
}

Result<void> Card::set(const std::string& key, const std::string& value) {
  const Field* f = field(key);
  if (!f) {
    std::vector<std::string> known;
    for (const Field& k : kFields) known.emplace_back(k.key);
    const std::string near = nearest(key, known);
    return bad("--set " + key, "card '" + name_ + "' has no such number",
               near.empty() ? "see the keys with: warpmem gpus " + name_ : "did you mean '" + near + "'?");
  }
  CardNumbers changed = numbers_;
  std::vector<std::uint64_t> list;
  std::stringstream parts(value);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto v = parse_bytes(part);
    if (!v) return bad("--set " + key, "'" + part + "' is not a number of " + f->unit, "write a whole number, or a size as 64KiB");
    list.push_back(*v);
  }
  if (const One* m = std::get_if<One>(&f->member)) {
    if (list.size() != 1) return bad("--set " + key, "takes one number", "write --set " + key + "=N");
    changed.**m = list[0];
  } else {
    changed.*std::get<Many>(f->member) = list;
  }
  std::swap(changed, numbers_);
  if (auto ok = validate(); !ok) {
    std::swap(changed, numbers_);
    Error e = ok.error();
    e.place = "--set " + key;
    return e;
  }
  for (CardEntry& e : entries_)
    if (e.key == key) {
      e.value = shown(*f, numbers_);
      e.source = "set by the user";
      e.overridden = true;
    }
  return {};
}

// Numbers that contradict each other would give results that look right.
Result<void> Card::validate() const {
  const CardNumbers& n = numbers_;
  const std::string place = name_ + ".toml";
  auto per_sm = [&](const char* key, const std::vector<std::uint64_t>& v, std::uint64_t below) -> Result<void> {
    if (v.size() != n.sm_count)
      return bad(place, std::string(key) + " lists " + std::to_string(v.size()) + " SMs, sm.count says " + std::to_string(n.sm_count), "list every SM once");
    for (std::uint64_t x : v)
      if (x >= below) return bad(place, std::string(key) + " holds " + std::to_string(x) + ", which must be below " + std::to_string(below), "correct it");
    return {};
  };
  for (const auto& [key, v] : {std::pair<const char*, std::uint64_t>{"sm.count", n.sm_count}, {"sm.warps", n.sm_warps},
                               {"sm.ctas", n.sm_ctas}, {"sm.threads", n.sm_threads}, {"sm.registers", n.sm_registers},
                               {"sm.register_unit", n.register_unit}, {"l1.ages", n.l1_ages},
                               {"lrc.merge", n.lrc_merge}, {"dram.sectors_per_kilocycle", n.dram_sectors_per_kilocycle}, {"latency.l1", n.latency_l1},
                               {"latency.l2_near", n.latency_l2_near}, {"shared.unit", n.shared_unit},
                               {"l2.slices", n.l2_slices}, {"l2.clock_permille", n.l2_clock_permille},
                               {"port.receive_permille", n.port_receive_permille}, {"port.send_permille", n.port_send_permille}, {"port.host_permille", n.host_permille},
                               {"dram.channels", n.dram_channels}, {"dram.banks", n.dram_banks}, {"dram.write_batch", n.dram_write_batch}})
    if (v == 0) return bad(place, std::string(key) + " is 0", "give a positive number");
  if (n.l2_sides < 1 || n.l2_sides > 2) return bad(place, "l2.sides must be 1 or 2", "write 1 for an L2 that is not partitioned");
  if (n.l2_ways < 1 || n.l2_ways > 16) return bad(place, "l2.ways must be 1 to 16", "correct it");
  if (n.l2_dirty_ways < 1 || n.l2_dirty_ways > n.l2_ways || n.l2_partial_ways < 1 || n.l2_partial_ways > n.l2_dirty_ways)
    return bad(place, "l2.partial_ways, l2.dirty_ways and l2.ways must rise in this order, from 1", "correct them");
  if (n.l2_bytes / n.l2_sides < 128 * 1024 * n.l2_ways)
    return bad(place, "l2.size leaves less than 1,024 sets a side", "give at least " + byte_size(128 * 1024 * n.l2_ways * n.l2_sides));
  if (n.l2_fetch_bytes != 32 && n.l2_fetch_bytes != 64 && n.l2_fetch_bytes != 128)
    return bad(place, "l2.fetch must be 32, 64 or 128 bytes", "correct it");
  if (n.shared_configs.empty() || !std::is_sorted(n.shared_configs.begin(), n.shared_configs.end()))
    return bad(place, "shared.configs must be an ascending list", "correct it");
  if (n.shared_configs.back() + n.l1_reserved >= n.l1_bytes)
    return bad(place, "the largest shared-memory configuration leaves nothing for the L1", "raise l1.size or drop the configuration");
  if (n.l2_slices % (2 * n.l2_sides) != 0)
    return bad(place, "l2.slices must be an even number a side", "correct l2.slices or l2.sides");
  if (n.dram_sectors_per_kilocycle > n.port_receive_permille * n.sm_count)
    return bad(place, "dram.sectors_per_kilocycle is more than all SMs' ports carry (port.receive_permille x sm.count)", "correct one of them");
  if (n.host_permille > n.port_receive_permille * n.sm_count)
    return bad(place, "port.host_permille is more than all SMs' ports carry (port.receive_permille x sm.count)", "correct one of them");
  for (const auto& [key, v] : {std::pair<const char*, std::uint64_t>{"latency.shared", n.latency_shared},
                               {"latency.dram", n.latency_dram},
                               {"dram.row", n.dram_row_bytes}, {"bulk.cycles", n.bulk_cycles}})
    if (v == 0) return bad(place, std::string(key) + " is 0", "give a positive number");
  if (n.time_cluster_barrier_cycles > 65535)
    return bad(place, "time.cluster_barrier_cycles is more than 65,535", "correct it");
  constexpr std::uint64_t kMostL1 = 4 << 20, kMostL2 = std::uint64_t{4} << 30;
  if (n.l1_bytes > kMostL1) return bad(place, "l1.size is more than the " + byte_size(kMostL1) + " that the model has room for", "correct it");
  if (n.l2_bytes > kMostL2) return bad(place, "l2.size is more than the " + byte_size(kMostL2) + " that the model has room for", "correct it");
  for (std::uint64_t b : n.l2_home_bits)
    if (b < 7 || b > 63) return bad(place, "l2.home_bits must lie in 7 … 63", "correct it");
  if (auto ok = per_sm("topology.sm_side", n.sm_side, n.l2_sides); !ok) return ok;
  if (auto ok = per_sm("topology.sm_gpc", n.sm_gpc, 256); !ok) return ok;
  if (auto ok = per_sm("topology.cta_order", n.cta_order, n.sm_count); !ok) return ok;
  std::vector<std::uint64_t> order = n.cta_order;
  std::sort(order.begin(), order.end());
  if (std::adjacent_find(order.begin(), order.end()) != order.end())
    return bad(place, "topology.cta_order names an SM twice", "list every SM once");
  std::uint64_t in_turns = 0;
  for (std::uint64_t t : n.cta_turns) in_turns += t;
  if (in_turns != n.sm_count || n.cta_small_groups >= n.cta_turns.size())
    return bad(place, "topology.cta_turns must add up to sm.count and hold more turns than topology.cta_small_groups", "correct it");
  if (n.cta_small_groups > 0 && (n.cta_small_first == 0 || n.cta_small_every == 0))
    return bad(place, "topology.cta_small_first and cta_small_every must be positive", "correct them");
  return {};
}

std::uint32_t Card::l1_lines(std::uint64_t shared_config) const {
  const std::uint64_t taken = shared_config + numbers_.l1_reserved;
  return taken >= numbers_.l1_bytes ? 4 : static_cast<std::uint32_t>((numbers_.l1_bytes - taken) / 128);
}

L2Cache::Spec Card::l2() const {
  L2Cache::Spec s;
  s.side.bytes = numbers_.l2_bytes / numbers_.l2_sides;
  s.side.ways = static_cast<std::uint32_t>(numbers_.l2_ways);
  s.side.dirty_ways = static_cast<std::uint32_t>(numbers_.l2_dirty_ways);
  s.side.partial_ways = static_cast<std::uint32_t>(numbers_.l2_partial_ways);
  s.sides = static_cast<int>(numbers_.l2_sides);
  for (std::uint64_t b : numbers_.l2_home_bits) s.home_mask |= std::uint64_t{1} << b;
  s.fetch_sectors = static_cast<std::uint32_t>(numbers_.l2_fetch_bytes / 32);
  s.merge = static_cast<int>(numbers_.lrc_merge);
  s.join_cycles = static_cast<std::uint32_t>(numbers_.lrc_join_cycles);
  s.near_cycles = static_cast<std::uint32_t>(numbers_.latency_l2_near);
  s.near_spread = static_cast<std::uint32_t>(numbers_.latency_l2_spread);
  s.host_cycles = static_cast<std::uint32_t>(numbers_.latency_host);
  s.dram_spread = static_cast<std::uint32_t>(numbers_.latency_dram_spread);
  s.dram_tail = static_cast<std::uint32_t>(numbers_.latency_dram_tail);
  s.far_cycles = static_cast<std::uint32_t>(numbers_.latency_l2_far);
  s.dram_cycles = static_cast<std::uint32_t>(numbers_.latency_dram);
  s.dram_sectors_per_kilocycle = static_cast<std::uint32_t>(numbers_.dram_sectors_per_kilocycle);
  for (std::uint64_t v : numbers_.sm_side) s.sm_side.push_back(static_cast<std::uint8_t>(v));
  for (std::uint64_t v : numbers_.sm_gpc) s.sm_group.push_back(static_cast<std::uint8_t>(v));
  return s;
}

MemoryPath::Spec Card::path() const {
  const CardNumbers& n = numbers_;
  const auto u32 = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  MemoryPath::Spec s;
  s.sms = u32(n.sm_count);
  s.sides = u32(n.l2_sides);
  s.slices = u32(n.l2_slices);
  const auto slice = [&](std::uint64_t permille) { return u32((kTicks * permille + n.l2_clock_permille / 2) / n.l2_clock_permille); };
  s.read_ticks = slice(n.l2_read_permille);
  s.read_sector_ticks = slice(n.l2_read_sector_permille);
  s.write_ticks = slice(n.l2_write_permille);
  s.write_sector_ticks = slice(n.l2_write_sector_permille);
  s.partial_sector_ticks = slice(n.l2_partial_sector_permille);
  s.atomic_ticks = slice(n.l2_atomic_permille);
  s.atomic_pass_ticks = slice(n.l2_atomic_pass_permille);
  s.fill_sector_ticks = slice(n.l2_fill_sector_permille);
  s.receive_ticks = u32(kTicks * 1000 / n.port_receive_permille);
  s.send_ticks = u32(kTicks * 1000 / n.port_send_permille);
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
  s.dram.row_bytes = u32(n.dram_row_bytes);
  s.dram.burst_ticks = u32(kTicks * 1000 * n.dram_channels / n.dram_sectors_per_kilocycle);
  s.dram.activate_ticks = u32(kTicks * n.dram_activate_permille / 1000);
  s.dram.row_cycle_ticks = u32(kTicks * n.dram_row_cycles);
  s.dram.turnaround_ticks = u32(kTicks * n.dram_turnaround_cycles);
  s.dram.write_batch = u32(n.dram_write_batch);
  return s;
}

std::vector<std::string> card_names() {
  std::vector<std::string> names;
  for (const EmbeddedCard& c : kEmbeddedCards) names.emplace_back(c.name);
  return names;
}

Result<Card> load_card(const std::string& name) {
  std::vector<std::string> known;
  for (const EmbeddedCard& c : kEmbeddedCards) {
    if (name == c.name) return Card::parse(c.text, name);
    known.emplace_back(c.name);
  }
  const std::string near = nearest(name, known);
  std::string all;
  for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
  return bad("--gpu " + name, "there is no such card", near.empty() ? "known cards: " + all : "did you mean '" + near + "'? known cards: " + all);
}

}  // namespace warpmem::model
