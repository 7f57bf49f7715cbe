// Local memory, bulk copies, textures and surfaces.
#include <algorithm>
#include <bit>

#include "model/system/general_memory.hpp"
#include "model/system/local_line.hpp"

namespace warpmem::model {

// A request for each word of the lanes. One word of all lanes is 128 bytes side by side.
void GeneralMemory::local_access(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  const WarpAccess a = expand(w, plan.bytes);
  const bool stores = plan.action == Action::kLocalStore;
  OpCounters& c = stores ? counters_.local_st : counters_.local_ld;
  const std::uint64_t area = local_.area(static_cast<std::uint64_t>(t.sm), t.warp_slot);
  const std::uint32_t words = std::max(1u, plan.bytes / 4);
  const bool cached = caches_local(spec_.l1.cached) || !spec_.l1.present;
  t.passes = words;
  t.done = t.now + sm_.latency_l1;
  for (std::uint32_t k = 0; k < words; ++k) {
    touched_.clear();
    for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t word = (area + local_.word(a.address[l], k)) * kWarpLanes + l;
      touched_.add(kLocalLine * spec_.line_bytes + word * 4 + a.address[l] % 4,
                   std::min(4u, plan.bytes));
    }
    ++c.requests;
    c.sectors += touched_.sectors();
    counters_.theoretical_local += touched_.sectors();
    for (const LineTouch& line : touched_.lines()) {
      if (stores) {
        if (cached && l1(t).store(line)) c.hits += sectors_in(line.sectors);
        write(t, line, t.tags + k, t.now + k + 1);
        continue;
      }
      const std::uint32_t asked = touched_words(line);
      const std::uint8_t missing = !cached         ? line.sectors
                                   : plan.last_use ? l1(t).load_last(line, asked)
                                                   : l1(t).load(line, asked, true).missing;
      c.hits +=
          sectors_in(line.sectors) - sectors_in(static_cast<std::uint8_t>(missing & line.sectors));
      if (missing) t.done = std::max(t.done, read(t, t.now, line.line, missing, 0));
    }
  }
}

void GeneralMemory::bulk_reduce(const LineTouch& line, AccessTiming& t) {
  ++l2_.counters.reduction_requests;
  counters_.global_bulk_red += sectors_in(line.sectors);
  counters_.l1_write_sectors += sectors_in(line.sectors);
  L2Cache::AtomicWork work;
  work.headed = 1;  // one header a line
  for (std::uint32_t s = 0; s < kSectorsPerLine; ++s) {
    if (!(line.sectors >> s & 1)) continue;
    work.partly = line.full >> s & 1 ? 0 : 1;
    t.stored = std::max(t.stored, l2_.atomic(t.sm, line.line, s, 1, false, t.now, work,
                                             of_write(stay(line.line, Stay::kUnsaid))));
    work.headed = 0;
  }
}

// Past the L1, a line's length at a time from the start of the copy.
void GeneralMemory::bulk(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  std::uint64_t address = w.first_address();
  for (const std::uint64_t end = address + plan.bytes; address < end; address += spec_.line_bytes) {
    touched_.clear();
    touched_.add(address, std::min<std::uint64_t>(end - address, spec_.line_bytes));
    for (const LineTouch& line : touched_.lines()) {
      const std::uint64_t sectors = sectors_in(line.sectors);
      if (plan.action == Action::kBulkRead) {
        const std::uint64_t back = read(t, t.now, line.line, line.sectors, 0);
        t.done = std::max(t.done, back);
        if (path_) ports(t).takes_writes(back, sectors * sm_.bulk_write);
        continue;
      }
      if (path_) ports(t).takes_reads(t.now, sectors * sm_.bulk_read);
      if (plan.action == Action::kBulkReduce) bulk_reduce(line, t);
      else send(t, line, 0, true, t.now);
    }
    // The SM's copy engine takes one piece after the other.
    if (path_) t.now += sm_.bulk_cycles;
  }
}

// To the L2 alone: bytes side by side by the copy engine, or the line of each lane's address.
void GeneralMemory::prefetch_l2(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  const auto one = [&](std::uint64_t line, std::uint8_t sectors) {
    if (in_host_memory(line)) return;
    t.left_sm = true;
    if (plan.line_request == LineRequest::kBring)
      return l2_.bring(t.sm, line, sectors, t.now, stay(line, plan.stay));
    l2_.change(t.sm, line, plan.stay, plan.line_request == LineRequest::kDiscard);
  };
  if (plan.bytes == 0) {
    const auto whole = static_cast<std::uint8_t>((1u << spec_.line_bytes / kSectorBytes) - 1);
    touched_.clear();
    touched_.add(expand(w, 1));
    for (const LineTouch& line : touched_.lines()) one(line.line, whole);
    return;
  }
  const std::uint64_t from = w.first_address(), end = from + plan.bytes;
  for (std::uint64_t at = from; at < end; at = (at / spec_.line_bytes + 1) * spec_.line_bytes) {
    touched_.clear();
    touched_.add(at, std::min(end, (at / spec_.line_bytes + 1) * spec_.line_bytes) - at);
    one(touched_.lines().front().line, touched_.lines().front().sectors);
    if (path_) t.now += sm_.bulk_cycles;
  }
}

// Lines of textures and surfaces lie in the L1 beside those of global memory. A sector that an
// earlier request of the fetch asked for counts as a hit.
void GeneralMemory::texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& t) {
  const bool stores = plan.action == Action::kSurfaceStore;
  OpCounters& c = plan.action == Action::kTexture ? counters_.texture
                  : stores                        ? counters_.surface_st
                                                  : counters_.surface_ld;
  counters_.records += static_cast<std::uint64_t>(access.texels);
  texture_traffic(access, true, texels_, spec_.line_bytes);
  c.requests += texels_.requests;
  c.sectors += texels_.sectors;
  c.hits += texels_.sectors;
  t.passes = t.tag_passes = texels_.cycles;
  t.held = 0, t.missed = 0;
  t.left_sm = false;
  t.stored = t.now;
  // Through the unit's own stages.
  const std::uint64_t unit = texels_.cycles + sm_.latency_texture +
                             (plan.by_number ? 0 : sm_.latency_coordinates) +
                             (access.texels > 1 ? sm_.latency_filter : 0);
  t.done = t.now + (stores ? texels_.cycles : unit);
  const auto count = static_cast<std::uint64_t>(texels_.count);
  for (std::uint64_t i = 0; i < count; ++i) {
    LineTouch line = texels_.line[i];
    const std::uint64_t at = t.now + i * texels_.cycles / count;
    if (stores) {
      if (l1(t).store(line)) c.hits += sectors_in(line.sectors);
      // They do not wait for others to join them.
      send(t, line, 0, true, at);
      continue;
    }
    // Whole sectors are asked for.
    for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
      line.bytes[s] = line.sectors >> s & 1 ? ~0u : 0;
    const std::uint8_t missing = l1(t).load(line, touched_words(line), true).missing;
    c.hits -= sectors_in(static_cast<std::uint8_t>(missing & line.sectors));
    if (missing)
      t.done = std::max(t.done, read(t, at, line.line, missing, 0) + unit - sm_.latency_l1);
  }
}

}  // namespace warpmem::model
