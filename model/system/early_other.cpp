// Local and shared memory, constants, textures and surfaces.
#include <algorithm>
#include <bit>

#include "model/access/any_lines.hpp"
#include "model/system/early_memory.hpp"
#include "model/system/local_line.hpp"

namespace warpmem::model {

// A request for each word of 4 bytes of the lanes. A word of all lanes is 128 bytes side by side.
void EarlyMemory::local_access(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  const WarpAccess a = expand(w, plan.bytes);
  const bool stores = plan.action == Action::kLocalStore;
  const std::uint64_t area = local_.area(static_cast<std::uint64_t>(t.sm), t.warp_slot);
  const std::uint32_t words = std::max(1u, plan.bytes / 4);
  const bool cached = caches_local(spec_.cached) && !plan.bypass_l1 && l1(t).exists();
  t.passes = words;
  t.done = t.now + spec_.latency_l1;
  for (std::uint32_t k = 0; k < words; ++k) {
    WarpAccess word;
    word.mask = a.mask;
    word.bytes = std::min(4u, plan.bytes);
    for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t at = (area + local_.word(a.address[l], k)) * kWarpLanes + l;
      word.address[l] = kLocalLine * kLineBytes + at * 4 + a.address[l] % 4;
    }
    local_word(word, stores, cached, t);
  }
}

void EarlyMemory::local_word(const WarpAccess& word, bool stores, bool cached, AccessTiming& t) {
  const AccessRule rule =
      spec_.access == AccessRule::kSubRequests ? AccessRule::kSectors : spec_.access;
  const bool whole = cached && spec_.l1.sector_bytes == spec_.line_bytes;
  list_transactions({rule, spec_.line_bytes, whole}, word, moves_);
  (stores ? sink_.counters.early.local_store : sink_.counters.early.local_load) += moves_.size();
  list_any(word, spec_.line_bytes, touched_);
  const auto wanted = static_cast<std::uint64_t>(sector_count(touched_));
  sink_.local(stores, wanted);
  if (cached) {
    sink_.local_sectors(stores, wanted);
    for (int i = 0; i < touched_.count; ++i) local_line(touched_[i], stores, t);
    return;
  }
  for (const Transaction& m : moves_) {
    sink_.local_sectors(stores, m.bytes / kSectorBytes);
    if (!stores) {
      t.done = std::max(t.done, read(t, t.now, line_of(m), sectors_of(m)));
      continue;
    }
    LineTouch part;
    for (int i = 0; i < touched_.count; ++i)
      if (touched_.line[static_cast<std::size_t>(i)] == line_of(m)) part = touched_[i];
    const std::uint8_t moved = sectors_of(m);
    part.line = line_of(m);
    part.sectors = static_cast<std::uint8_t>(part.sectors & moved);
    part.full = static_cast<std::uint8_t>(part.full & moved);
    for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
      if (!(moved >> s & 1)) part.bytes[s] = 0;
    write(t, part, moved, t.now);
  }
}

// In the L1. A store that is kept back brings what it does not cover of its sectors first.
void EarlyMemory::local_line(const LineTouch& line, bool stores, AccessTiming& t) {
  EarlyCounters& e = sink_.counters.early;
  LineCache& cache = l1(t);
  const std::uint64_t asked = sectors_in(line.sectors);
  if (stores && spec_.local_write == LocalWrite::kThrough) {
    const bool here =
        cache.store(line.line, line.full, false, spec_.allocate == Allocate::kLoadsAndStores);
    write_pushed(cache, t);
    ++(here ? e.l1_local_store_hit : e.l1_local_store_miss);
    if (here) sink_.local_hits(stores, asked);
    return write(t, line, line.sectors, t.now);
  }
  if (stores && line.full == line.sectors) {
    const bool here = cache.store(line.line, line.sectors, true, true);
    ++(here ? e.l1_local_store_hit : e.l1_local_store_miss);
    if (here) sink_.local_hits(stores, asked);
    return write_pushed(cache, t);
  }
  const LineCache::Found found = cache.load(line.line, line.sectors);
  const auto missed = static_cast<std::uint8_t>(found.missing & line.sectors);
  write_pushed(cache, t);
  if (stores) ++(found.hit ? e.l1_local_store_hit : e.l1_local_store_miss);
  else ++(found.hit ? e.l1_local_hit : e.l1_local_miss);
  sink_.local_hits(stores, asked - sectors_in(missed));
  if (!stores) t.done = std::max(t.done, found.arrival);
  if (found.missing) {
    const std::uint64_t back = read(t, t.now, line.line, found.missing);
    cache.arrives(line.line, back);
    if (!stores) t.done = std::max(t.done, back);
  }
  if (stores) cache.store(line.line, line.sectors, true, true);
}

void EarlyMemory::shared_access(const WarpAccess& a, const AccessPlan& plan, AccessTiming& t) {
  EarlyCounters& e = sink_.counters.early;
  const SharedKind kind = plan.action == Action::kAsyncWrite ? SharedKind::kStore : plan.shared;
  const SharedPasses passes = shared_passes(spec_.shared, a, kind, spec_.banks);
  const auto taken = static_cast<std::uint32_t>(std::max(1, passes.taken));
  const auto more = static_cast<std::uint64_t>(passes.taken - passes.groups);
  const std::uint64_t bytes = std::uint64_t(std::popcount(a.mask)) * a.bytes;
  sink_.shared(t, taken, taken);
  t.passes = taken;
  t.done = t.now + spec_.latency_shared + 1 + (taken - 1) * spec_.latency_conflict;
  e.warp_serialize += more > 0;
  if (kind == SharedKind::kStore) {
    ++e.shared_store;
    e.shared_store_transactions += taken;
    e.shared_store_replays += more;
    sink_.shared_store(bytes, taken, more);
  } else {
    ++e.shared_load;
    e.shared_load_transactions += taken;
    e.shared_load_replays += more;
    sink_.shared_load(bytes, taken, more);
  }
}

void EarlyMemory::constants(const WarpLanes& w, const AccessPlan& plan) {
  if (!w.mask) return;
  const std::uint32_t more = constant_serialized(spec_.constant, expand(w, plan.bytes));
  sink_.counters.early.constant_serialized += more;
  sink_.counters.early.warp_serialize += more > 0;
}

// A sector that an earlier request of the fetch asked for counts as a hit. Surfaces go past the
// cache of textures when they are written.
void EarlyMemory::texture(const TextureAccess& access, const AccessPlan& plan, AccessTiming& t) {
  EarlyCounters& e = sink_.counters.early;
  const bool stores = plan.action == Action::kSurfaceStore;
  sink_.record(static_cast<std::uint64_t>(access.texels));
  t.begin();
  texture_traffic(access, stores, texels_, spec_.line_bytes);
  sink_.texture(plan, texels_.requests, texels_.sectors);
  t.passes = t.tag_passes = std::max(1u, texels_.cycles);
  t.done = t.now + texels_.cycles + (stores ? 0 : spec_.latency_texture);
  LineCache& cache = spec_.has_texture_cache ? textures(t.sm) : l1(t);
  std::uint64_t missed = 0;
  for (int i = 0; i < texels_.count; ++i) {
    const LineTouch& line = texels_.line[static_cast<std::size_t>(i)];
    if (stores) {
      l1(t).drop(line.line, line.sectors);
      write(t, line, line.sectors, t.now);
      continue;
    }
    const LineCache::Found found = cache.load(line.line, line.sectors);
    missed += sectors_in(static_cast<std::uint8_t>(found.missing & line.sectors));
    t.done = std::max(t.done, found.arrival);
    if (!found.missing) continue;
    const std::uint64_t back =
        read(t, t.now, line.line, found.missing, true) + spec_.latency_texture_miss;
    cache.arrives(line.line, back);
    t.done = std::max(t.done, back);
  }
  if (stores) return;
  sink_.texture_hits(plan, texels_.sectors - missed);
  e.tex_requests += texels_.sectors;
  e.tex_miss += missed;
  e.tex_hit += texels_.sectors - missed;
}

}  // namespace warpmem::model
