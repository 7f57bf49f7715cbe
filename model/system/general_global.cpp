#include <algorithm>

#include "model/general/atomic_rounds.hpp"
#include "model/sm/async_copy.hpp"
#include "model/system/general_memory.hpp"
#include "model/system/local_line.hpp"

namespace warpmem::model {

void GeneralMemory::global_load(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  touched_.clear();
  touched_.add(expand(w, plan.bytes));
  const std::uint64_t sectors = touched_.sectors(), lines = touched_.lines().size();
  const bool copies = plan.action == Action::kAsyncRead;
  ++counters_.global_ld.requests;
  counters_.global_ld_bytes += bytes_asked(w, plan);
  counters_.tag_requests += lines;
  counters_.theoretical_global += sectors;
  t.tag_passes = tag_passes(touched_.lines());
  counters_.tag_wavefronts_ld += t.tag_passes;
  t.passes = data_passes(w, plan.bytes, t.tag_passes, banks_);
  t.done = t.now + sm_.latency_l1 + t.passes;
  happens(EventKind::kRequest, Level::kL1, t, lines);
  happens(EventKind::kBankPass, Level::kL1, t, t.passes);
  if (copies && plan.bypass_l1) return copy_past_l1(w, plan, t);
  counters_.global_ld.sectors += sectors;
  if (copies) {
    ++counters_.ldgsts.requests;
    counters_.ldgsts.sectors += sectors;
    t.async_wavefronts = static_cast<std::uint32_t>(lines);
    if (t.shared && !(w.mask & ~t.shared->mask))
      t.async_wavefronts = kBothSides | static_cast<std::uint32_t>(copy_wavefronts(
                                            expand(w, plan.bytes), expand(*t.shared, plan.bytes)));
  }
  const bool cached = caches_loads(spec_.l1.cached) ||
                      (plan.asks_l1 && caches_asked(spec_.l1.cached)) || !spec_.l1.present;
  if (!plan.bypass_l1 && cached) return load_through_l1(plan, t);
  for (const LineTouch& line : touched_.lines())
    t.done =
        std::max(t.done, read(t, t.tags, line.line, line.sectors, plan.fetch_sectors, plan.stay));
}

// Misses leave as their tags are looked up, a line of each bank a cycle; a line arrives with what
// was asked for before it. Where there is host memory, an access window or an
// eviction priority, all leave at once.
void GeneralMemory::load_through_l1(const AccessPlan& plan, AccessTiming& t) {
  const std::vector<LineTouch>& lines = touched_.lines();
  struct Miss {
    std::size_t at;
    std::uint8_t sectors;
    std::uint64_t before;  // cycle in which all lines before it that hit are here
  };
  std::vector<Miss> misses;
  std::uint64_t hit = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const SectorCache::Found found =
        l1(t).load(lines[i], touched_words(lines[i]), !plan.no_allocate);
    const std::uint64_t missed =
        sectors_in(static_cast<std::uint8_t>(found.missing & lines[i].sectors));
    const std::uint64_t hits = sectors_in(lines[i].sectors) - missed;
    counters_.global_ld.hits += hits;
    happens(EventKind::kLookup, Level::kL1, t, sectors_in(lines[i].sectors), lines[i].line);
    happens(EventKind::kHit, Level::kL1, t, hits, lines[i].line);
    happens(EventKind::kMiss, Level::kL1, t, missed, lines[i].line);
    if (found.missing) misses.push_back({i, found.missing, hit});
    else hit = std::max(hit, found.arrival);
  }
  for (const Miss& m : misses) {
    const bool plain = plain_ && plan.stay == Stay::kUnsaid;
    const std::uint64_t at = t.tags + (plain ? m.at / spec_.l1.tag_banks : 0);
    const std::uint64_t back =
        read(t, at, lines[m.at].line, m.sectors, plan.fetch_sectors, plan.stay);
    t.done = std::max({t.done, m.before, back});
    l1(t).arrives(lines[m.at].line, t.done);
  }
  t.done = std::max(t.done, hit);
}

// Where the shared side is not known, it is taken to lie as the source does.
void GeneralMemory::copy_past_l1(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  const WarpAccess from = expand(w, plan.bytes);
  const bool both = t.shared && !(w.mask & ~t.shared->mask);
  const PastL1 copy = model::copy_past_l1(from, both ? expand(*t.shared, plan.bytes) : from,
                                          spec_.line_bytes, spec_.l1.index);
  t.async_wavefronts = static_cast<std::uint32_t>(copy.wavefronts) | (both ? kBothSides : 0);
  t.passes = std::max(t.passes, static_cast<std::uint32_t>(copy.output_wavefronts));
  counters_.tag_wavefronts_ld += static_cast<std::uint64_t>(copy.output_wavefronts) - t.tag_passes;
  counters_.global_ld.sectors += static_cast<std::uint64_t>(copy.sectors);
  // The profiler counts a sector for each request that asks for it.
  counters_.theoretical_global -= touched_.sectors();
  for (int i = 0; i < copy.count; ++i) {
    const PastL1::Request& q = copy.request[static_cast<std::size_t>(i)];
    counters_.theoretical_global += sectors_in(q.sectors);
    const std::uint64_t back =
        read(t, t.tags, q.line, q.sectors, plan.fetch_sectors, plan.stay, true);
    t.done = std::max(t.done, back);
    if (path_) ports(t).takes_writes(back, sectors_in(q.sectors) * sm_.async_write);
  }
}

// Lines pass the tag stage and the data stage one after the other.
void GeneralMemory::global_store(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  touched_.clear();
  touched_.add(expand(w, plan.bytes));
  const std::vector<LineTouch>& lines = touched_.lines();
  const std::uint64_t count = lines.size();
  t.passes = data_passes(w, plan.bytes, 1, banks_);
  t.tag_passes = tag_passes(lines);
  ++counters_.global_st.requests;
  counters_.global_st_bytes += bytes_asked(w, plan);
  counters_.global_st.sectors += touched_.sectors();
  counters_.tag_requests += count;
  counters_.theoretical_global += touched_.sectors();
  happens(EventKind::kRequest, Level::kL1, t, count);
  happens(EventKind::kBankPass, Level::kL1, t, t.passes);
  for (std::uint64_t i = 0; i < count; ++i) {
    happens(EventKind::kWrite, Level::kL1, t, sectors_in(lines[i].sectors), lines[i].line);
    if (l1(t).store(lines[i])) counters_.global_st.hits += sectors_in(lines[i].sectors);
    write(t, lines[i], t.tags + i * t.tag_passes / count, t.now + (i + 1) * t.passes / count);
  }
}

void GeneralMemory::global_atomic(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  const AtomicRounds rounds = atomic_rounds(expand(w, plan.bytes), plan.compare_and_swap, spec_);
  OpCounters& c = plan.returns ? counters_.global_atom : counters_.global_red;
  ++c.requests;
  c.sectors += rounds.passes;
  counters_.tag_requests += rounds.lines;
  counters_.theoretical_global += rounds.sectors.size();
  counters_.l1_write_sectors += rounds.passes;
  if (plan.returns) counters_.l1_fill_sectors += rounds.passes;
  (plan.returns ? l2_.counters.atomic_requests : l2_.counters.reduction_requests) +=
      rounds.requests;
  t.passes = std::max(1u, static_cast<std::uint32_t>(rounds.requests));
  happens(EventKind::kRequest, Level::kL1, t, rounds.lines);
  t.left_sm = true;
  for (std::size_t i = 0; i < rounds.sectors.size(); ++i) {
    const AtomicRounds::Sector& s = rounds.sectors[i];
    l1(t).drop(s.line, static_cast<std::uint8_t>(1u << s.sector));
    // The rounds of a line are requests of their own, whichever of its sectors they need.
    bool first = true;
    std::uint32_t most = s.passes, alone = 0, sectors = 0;
    for (std::size_t k = 0; k < rounds.sectors.size(); ++k) {
      if (rounds.sectors[k].line != s.line) continue;
      ++sectors;
      first &= k >= i;
      most = std::max(most, rounds.sectors[k].passes);
      alone += rounds.sectors[k].alone;
    }
    L2Cache::AtomicWork work;
    work.partly = s.passes - s.whole;
    if (first) work.headed = most - std::min(most, alone);
    if (plan.sums_floats) work.together = sectors;
    work.twice = passes_twice(plan, static_cast<int>(s.passes), static_cast<int>(s.whole),
                              static_cast<int>(s.alone));
    t.done = std::max(t.done, l2_.atomic(t.sm, s.line, s.sector, s.passes, plan.returns, t.now,
                                         work, of_write(stay(s.line, Stay::kUnsaid))));
  }
  t.stored = t.done;
}

}  // namespace warpmem::model
