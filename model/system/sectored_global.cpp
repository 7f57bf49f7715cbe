#include "model/system/sectored_memory.hpp"

#include <algorithm>
#include <bit>

#include "model/atomics/atomics.hpp"
#include "model/cache/data_banks.hpp"
#include "model/cache/tag_banks.hpp"
#include "model/fast/match.hpp"
#include "model/sm/async_copy.hpp"
#include "model/system/sectored_beyond.hpp"

namespace warpmem::model {
namespace {

// L2::256B has DRAM bring the other line of the block as well, for nobody (measured:
// kernels/micro/l2_window.cu, read_strided: eight sectors for a word of each block).
void bring_other_line(L2Cache& l2, int sm, std::uint64_t line, std::uint64_t now, Stay stay) {
  L2Counters& counters = l2.counters();
  const std::uint64_t asked = counters.prefetch, crossed = counters.fabric_prefetch;
  l2.bring(sm, line ^ 1, 15, now, stay);
  counters.prefetch = asked, counters.fabric_prefetch = crossed;  // no SM's request
}

bool asks_for_block(const AccessPlan& plan) { return plan.fetch_sectors > kSectorsPerLine; }

}  // namespace

// Lines of strangers miss the host's caches one after the other unless they are all asked for
// first.
template <class L2>
void SectoredMemoryOf<L2>::prepare(const WarpLanes& w, const AccessPlan& plan, int sm, Lines& out) {
  const bool load = plan.action == Action::kGlobalLoad;
  if (plan.bytes == 4 && w.one_after_another(4) && w.base % kLineBytes == 0) [[likely]]
    touch_contiguous(w.base, kLineBytes, !load, out);
  else list_lines(w, plan.bytes, !load, out);
  L1Cache& l1 = l1_[static_cast<std::size_t>(sm)];
  const bool store = plan.action == Action::kGlobalStore;
  const auto count = static_cast<std::size_t>(out.count);
  if (count == 1) {
    out.l1.put(0, l1.seat(out.line[0]));
    out.put(0, l2_.route(out.line[0]));
    l1.prefetch(out.l1[0]);
    l2_.prefetch(sm, out.route(0), store);
  } else {
    const LineWords words(out);
    l1.seats(out, words, out.l1);
    l2_.route(out, words);
    l1.prefetch(out.l1, count);
    if (!store) l2_.prefetch_reads(sm, out);
    else
      for (std::size_t i = 0; i < count; ++i) l2_.prefetch(sm, out.route(i), true);
  }
  if (path_ && plan.action != Action::kGlobalStore) [[unlikely]]
    prepare_ways(sm, out);
}

template <class L2>
void SectoredMemoryOf<L2>::prepare_ways(int sm, Lines& out) {
  if (!out.way) out.way = std::make_unique<MemoryPath::Seats>();
  if (out.count == 1) out.way->put(0, path_->seat(out.line[0]));
  else path_->seats(out, *out.way);
  for (std::size_t i = 0; i < static_cast<std::size_t>(out.count); ++i)
    l2_.prefetch_way(sm, out.line[i], out.route(i), (*out.way)[i]);
}

// Sectors that are read past the L1 come to shared memory, a sector takes it so long.
template <class L2>
void SectoredMemoryOf<L2>::lands(int sm, std::uint64_t cycle, std::uint8_t sectors,
                                 std::uint64_t millicycles) {
  if (path_)
    ports_[static_cast<std::size_t>(sm)].takes_writes(cycle, sectors_in(sectors) * millicycles);
}

// Wavefronts of a copy through the L1. Where its shared side is not known, as many at least as it
// has lines: data arrives line by line.
template <class L2>
std::uint32_t SectoredMemoryOf<L2>::async_wavefronts(const WarpLanes& w, const AccessPlan& plan,
                                                     const AccessTiming& place,
                                                     std::uint32_t lines) {
  if (!place.shared || w.mask & ~place.shared->mask) return lines;
  return kBothSides | static_cast<std::uint32_t>(copy_wavefronts(
                          expand(w, plan.bytes), expand(*place.shared, plan.bytes)));
}

// Where the shared side is not known, it is taken to lie as the source does.
template <class L2>
void SectoredMemoryOf<L2>::copy_past_l1(const WarpLanes& w, const AccessPlan& plan,
                                        AccessTiming& place, const Lines& lines) {
  const WarpAccess from = expand(w, plan.bytes);
  const bool both = place.shared && !(w.mask & ~place.shared->mask);
  const PastL1 copy = model::copy_past_l1(from, both ? expand(*place.shared, plan.bytes) : from);
  place.async_wavefronts = static_cast<std::uint32_t>(copy.wavefronts) | (both ? kBothSides : 0);
  place.passes = std::max(place.passes, static_cast<std::uint32_t>(copy.output_wavefronts));
  counters_.tag_wavefronts_ld +=
      static_cast<std::uint64_t>(copy.output_wavefronts) - place.tag_passes;
  counters_.global_ld.sectors += static_cast<std::uint64_t>(copy.sectors);
  // The profiler counts a sector for each request that asks for it.
  counters_.theoretical_global -= static_cast<std::uint64_t>(sector_count(lines));
  for (int i = 0; i < copy.count; ++i) {
    const PastL1::Request& q = copy.request[static_cast<std::size_t>(i)];
    const auto at = static_cast<std::size_t>(
        std::find(lines.line.begin(), lines.line.begin() + lines.count, q.line) -
        lines.line.begin());
    counters_.theoretical_global += sectors_in(q.sectors);
    const std::uint64_t back = read_l2(place, place.tags, q.line, lines.route(at), q.sectors,
                                       plan.fetch_sectors, plan.stay, nullptr, true);
    lands(place.sm, back, q.sectors, sm_.async_write);
  }
}

// What most loads are; an asynchronous copy through the L1 is another.
template <class L2>
inline void SectoredMemoryOf<L2>::load_line(const WarpLanes& w, const AccessPlan& plan,
                                            AccessTiming& place, const Lines& lines) {
  const std::uint64_t sectors = sectors_in(lines.sectors[0]);
  ++counters_.global_ld.requests;
  counters_.global_ld_bytes += bytes_asked(w, plan);
  ++counters_.tag_requests;
  ++counters_.tag_wavefronts_ld;
  counters_.theoretical_global += sectors;
  counters_.global_ld.sectors += sectors;
  if (plan.action == Action::kAsyncRead) {
    place.async_wavefronts = async_wavefronts(w, plan, place, 1);
    ++counters_.ldgsts.requests;
    counters_.ldgsts.sectors += sectors;
  }
  place.tag_passes = 1;
  place.passes = data_passes(w, plan.bytes, 1);
  place.done = place.now + latency_l1_ + place.passes;
  L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  const auto words = [&](std::uint64_t line) { return touched_words(expand(w, plan.bytes), line); };
  const L1Cache::Loaded one =
      l1.load(lines.line[0], lines.l1[0], lines.sectors[0], AskedWords(words), !plan.no_allocate);
  if (!one.missing) {
    counters_.global_ld.hits += sectors;
    place.done = later(place.done, one.arrival);
    return;
  }
  const unsigned missing = sectors_in(one.missing);
  counters_.global_ld.hits += sectors - missing;
  counters_.l1_fill_sectors += missing;
  place.left_sm = true;
  ++place.missed;
  MemoryPath::Seat way;
  if (path_) way = (*lines.way)[0];
  const std::uint64_t done =
      is_plain(plan) ? l2_.read(place.sm, lines, one.missing, place.tags, plan.fetch_sectors,
                                path_ ? &way : nullptr)
                     : read_beyond(place, place.tags, lines.line[0], lines.route(0), one.missing,
                                   plan.fetch_sectors, plan.stay, path_ ? &way : nullptr);
  if constexpr (!L2::kAnswersLater)
    if (asks_for_block(plan)) [[unlikely]]
      bring_other_line(l2_, place.sm, lines.line[0], place.tags, plan.stay);
  place.done = later(place.done, done);
  arrives(l1, one, place.done);
}

template <class L2>
void SectoredMemoryOf<L2>::global_load(const WarpLanes& w, const AccessPlan& plan,
                                       AccessTiming& place, const Lines& lines) {
  if (lines.count == 1 && !plan.bypass_l1) return load_line(w, plan, place, lines);
  const bool async = plan.action == Action::kAsyncRead;
  const auto sectors = static_cast<std::uint64_t>(sector_count(lines));
  const auto count = static_cast<std::uint64_t>(lines.count);
  ++counters_.global_ld.requests;
  counters_.global_ld_bytes += bytes_asked(w, plan);
  counters_.tag_requests += count;
  counters_.theoretical_global += sectors;
  const auto tags = static_cast<std::uint32_t>(tag_passes_of_sets(lines.l1.set.data(), count));
  counters_.tag_wavefronts_ld += tags;
  place.tag_passes = tags;
  place.passes = data_passes(w, plan.bytes, tags);
  place.done = place.now + latency_l1_ + place.passes;
  if (async && plan.bypass_l1) return copy_past_l1(w, plan, place, lines);
  if (async) {
    place.async_wavefronts = async_wavefronts(w, plan, place, static_cast<std::uint32_t>(count));
    ++counters_.ldgsts.requests;
    counters_.ldgsts.sectors += sectors;
  }
  counters_.global_ld.sectors += sectors;
  if (plan.bypass_l1) {
    for (std::size_t i = 0; i < count; ++i)
      read_l2(place, place.tags, lines.line[i], lines.route(i), lines.sectors[i],
              plan.fetch_sectors, plan.stay);
    if constexpr (!L2::kAnswersLater)
      for (std::size_t i = 0; asks_for_block(plan) && i < count; ++i)
        bring_other_line(l2_, place.sm, lines.line[i], place.tags, plan.stay);
    return;
  }
  const auto words = [&](std::uint64_t line) { return touched_words(expand(w, plan.bytes), line); };
  load_lines(plan, place, lines, AskedWords(words), sectors);
}

// Through the L1, of several lines.
template <class L2>
[[gnu::always_inline]] inline void SectoredMemoryOf<L2>::load_lines(const AccessPlan& plan,
                                                                    AccessTiming& place,
                                                                    const Lines& lines,
                                                                    const AskedWords& words,
                                                                    std::uint64_t sectors) {
  L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  L1Cache::Misses missed;
  if constexpr (L2::kAnswersLater)
    l2_.load(l1, place.sm, lines, lines.l1, words, !plan.no_allocate, missed);
  else l1.load(lines, lines.l1, words, !plan.no_allocate, missed);
  const std::uint64_t misses = sectors_in(missed.sectors, missed.count);
  counters_.global_ld.hits += sectors - misses;
  std::array<std::uint64_t, Lines::kMost> done;
  if (missed.count > 0) {
    place.left_sm = true;
    place.missed += static_cast<std::uint32_t>(missed.count);
    counters_.l1_fill_sectors += misses;
    if (is_plain(plan)) [[likely]] {
      l2_.read(place.sm, lines, lines.way.get(), missed, place.tags, plan.fetch_sectors,
               done.data());
    } else {
      for (std::size_t k = 0; k < missed.count; ++k) {
        const std::size_t at = missed.index[k];
        done[at] = read_beyond(place, place.tags, lines.line[at], lines.route(at),
                               missed.sectors[k], plan.fetch_sectors, plan.stay);
      }
    }
    if constexpr (!L2::kAnswersLater)
      for (std::size_t k = 0; asks_for_block(plan) && k < missed.count; ++k)
        bring_other_line(l2_, place.sm, lines.line[missed.index[k]], place.tags, plan.stay);
  }
  if constexpr (L2::kAnswersLater) place.done = l2_.arrive(missed, done.data(), place.done);
  else place.done = std::max(l1.arrive(missed, done.data(), place.done), missed.hit);
}

// What most stores are.
template <class L2>
inline void SectoredMemoryOf<L2>::store_line(const WarpLanes& w, const AccessPlan& plan,
                                             AccessTiming& place, const Lines& lines) {
  const std::uint8_t sectors = lines.sectors[0];
  const std::uint64_t n = sectors_in(sectors);
  place.passes = data_passes(w, plan.bytes, 1);
  place.tag_passes = 1;
  ++counters_.global_st.requests;
  counters_.global_st_bytes += bytes_asked(w, plan);
  counters_.global_st.sectors += n;
  ++counters_.tag_requests;
  counters_.theoretical_global += n;
  const auto sm = static_cast<std::size_t>(place.sm);
  if (l1_[sm].store(lines.line[0], lines.l1[0], sectors, lines.full[0], lines.bytes[0].data()))
    counters_.global_st.hits += n;
  StoreQueue& queue = stores_[sm];
  const StoreQueue::Taken taken =
      queue.take(lines.line[0], sectors, place.tags, place.now + place.passes);
  const std::uint64_t at = std::max(place.now, taken.at);
  place.held = taken.at;
  place.left_sm = true;
  counters_.l1_write_sectors += sectors_in(sectors & ~taken.again);
  place.stored = std::max(place.stored, l2_.write(place.sm, lines, taken.again, taken.opens, at));
  place.sent = l2_.sent(at);
  queue.keep_until(place.sent);
}

template <class L2>
void SectoredMemoryOf<L2>::global_store(const WarpLanes& w, const AccessPlan& plan,
                                        AccessTiming& place, const Lines& lines) {
  if (lines.count == 1 && plain_) return store_line(w, plan, place, lines);
  const auto sectors = static_cast<std::uint64_t>(sector_count(lines));
  place.passes = data_passes(w, plan.bytes, 1);
  const auto count = static_cast<std::uint64_t>(lines.count);
  place.tag_passes = static_cast<std::uint32_t>(count == 1 ? 1 : tag_passes(lines));
  ++counters_.global_st.requests;
  counters_.global_st_bytes += bytes_asked(w, plan);
  counters_.global_st.sectors += sectors;
  counters_.tag_requests += count;
  counters_.theoretical_global += sectors;
  L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  const auto store = [&](std::size_t i, std::uint64_t tags, std::uint64_t data) {
    const LineTouch t = lines[static_cast<int>(i)];
    if (l1.store(t.line, lines.l1[i], t.sectors, t.full, t.bytes.data()))
      counters_.global_st.hits += sectors_in(t.sectors);
    write_l2(place, t, lines.route(i), tags, data);
  };
  if (count == 1) return store(0, place.tags, place.now + place.passes);
  for (std::size_t i = 0; i < count; ++i)
    store(i, place.tags + i * place.tag_passes / count, place.now + (i + 1) * place.passes / count);
}

template <class L2>
void SectoredMemoryOf<L2>::global_atomic(const WarpLanes& w, const AccessPlan& plan,
                                         AccessTiming& place) {
  const WarpAccess a = expand(w, plan.bytes);
  const AtomicTraffic t = atomic_traffic(a, plan.compare_and_swap);
  OpCounters& c = plan.returns ? counters_.global_atom : counters_.global_red;
  const auto passes = static_cast<std::uint64_t>(t.sectors);
  ++c.requests;
  c.sectors += passes;
  counters_.tag_requests += static_cast<std::uint64_t>(t.lines);
  counters_.theoretical_global += static_cast<std::uint64_t>(t.distinct);
  counters_.l1_write_sectors += passes;
  if (plan.returns) counters_.l1_fill_sectors += passes;
  (plan.returns ? l2_.counters().atomic_requests : l2_.counters().reduction_requests) +=
      static_cast<std::uint64_t>(t.requests);
  place.passes = std::max(1u, static_cast<std::uint32_t>(t.requests));
  place.left_sm = true;
  L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  for (int i = 0; i < t.distinct; ++i) {
    l1.drop(t.sector[i] / 4, static_cast<std::uint8_t>(1u << t.sector[i] % 4));
    // The rounds of a line are requests of their own, whichever of its sectors they need.
    bool first = true;
    int rounds = t.passes[i], alone = 0;
    std::uint32_t sectors = 0;
    for (int k = 0; k < t.distinct; ++k) {
      if (t.sector[k] / 4 != t.sector[i] / 4) continue;
      first &= k >= i;
      ++sectors;
      rounds = std::max(rounds, t.passes[k]);
      alone += t.alone[k];
    }
    L2Cache::AtomicWork work;
    work.partly = static_cast<std::uint32_t>(t.passes[i] - t.whole[i]);
    if (first) work.headed = static_cast<std::uint32_t>(std::max(0, rounds - alone));
    if (plan.sums_floats) work.together = sectors;
    work.twice = passes_twice(plan, t.passes[i], t.whole[i], t.alone[i]);
    place.done =
        std::max(place.done, l2_.atomic(place.sm, t.sector[i], t.passes[i], plan.returns, place.now,
                                        work, of_write(stay(t.sector[i] / 4, Stay::kUnsaid))));
  }
  place.stored = place.done;
}

template void SectoredMemoryOf<L2Cache>::prepare(const WarpLanes&, const AccessPlan&, int, Lines&);
template void SectoredMemoryOf<L2Cache>::lands(int, std::uint64_t, std::uint8_t, std::uint64_t);
template void SectoredMemoryOf<L2Cache>::global_load(const WarpLanes&, const AccessPlan&,
                                                     AccessTiming&, const Lines&);
template void SectoredMemoryOf<L2Cache>::global_store(const WarpLanes&, const AccessPlan&,
                                                      AccessTiming&, const Lines&);
template void SectoredMemoryOf<L2Cache>::global_atomic(const WarpLanes&, const AccessPlan&,
                                                       AccessTiming&);
template void SectoredMemoryOf<L2Requests>::prepare(const WarpLanes&, const AccessPlan&, int,
                                                    Lines&);
template void SectoredMemoryOf<L2Requests>::lands(int, std::uint64_t, std::uint8_t, std::uint64_t);
template void SectoredMemoryOf<L2Requests>::global_load(const WarpLanes&, const AccessPlan&,
                                                        AccessTiming&, const Lines&);
template void SectoredMemoryOf<L2Requests>::global_store(const WarpLanes&, const AccessPlan&,
                                                         AccessTiming&, const Lines&);
template void SectoredMemoryOf<L2Requests>::global_atomic(const WarpLanes&, const AccessPlan&,
                                                          AccessTiming&);

}  // namespace warpmem::model
