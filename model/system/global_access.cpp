#include "model/system/shaped_memory.hpp"

#include <algorithm>
#include <bit>

#include "model/sm/async_copy.hpp"
#include "model/system/any_shape.hpp"
#include "model/system/as_card.hpp"
#include "model/system/beyond_l1.hpp"

namespace warpmem::model {
namespace {

// L2::256B has DRAM bring the other line of the block as well, for nobody (measured:
// kernels/micro/l2_window.cu, read_strided: eight sectors for a word of each block).
template <class L2>
void bring_other_line(L2& l2, int sm, std::uint64_t line, std::uint8_t whole, std::uint64_t now,
                      Stay stay) {
  l2.sink().unasked([&] { l2.bring(sm, line ^ 1, whole, now, stay); });
}

}  // namespace

// Lines of fully divergent lanes miss the host's caches one after the other unless they are all
// asked for first.
template <class Shape>
void ShapedMemory<Shape>::prepare(const WarpLanes& w, const AccessPlan& plan, int sm, Lines& out) {
  const bool store = plan.action == Action::kGlobalStore;
  const bool with_bytes = plan.action != Action::kGlobalLoad;
  if constexpr (Shape::kAsCard) {
    L1* const cache = store ? &l1_[static_cast<std::size_t>(sm)] : cache_of(plan, sm);
    // Which words are asked for is read off the bytes.
    if (!is_early()) list_lines(w, plan.bytes, true, out, line_);
    else if (store) moved_.store(spec_, expand(w, plan.bytes), out);
    else
      moved_.load(spec_, expand(w, plan.bytes), cache == &l1_[static_cast<std::size_t>(sm)], !cache,
                  out);
    for (int i = 0; i < out.count; ++i) {
      const std::uint64_t line = out.line[static_cast<std::size_t>(i)];
      if (cache) cache->prefetch(line);
      l2_.prefetch(sm, line);
    }
    for (int i = 0; i < out.count; ++i) {
      const std::uint64_t line = out.line[static_cast<std::size_t>(i)];
      if (cache) cache->prefetch_last(line);
      l2_.prefetch_last(sm, line);
    }
  } else {
    if (plan.bytes == 4 && w.one_after_another(4) && w.base % kLineBytes == 0) [[likely]]
      touch_contiguous(w.base, kLineBytes, with_bytes, out, line_);
    else list_lines(w, plan.bytes, with_bytes, out, line_);
    L1& l1 = l1_[static_cast<std::size_t>(sm)];
    const auto count = static_cast<std::size_t>(out.count);
    if (count == 1) {
      out.l1.put(0, l1.set_tag(out.line[0]));
      out.put(0, l2_.route(out.line[0]));
      l1.prefetch(out.l1[0]);
      l2_.prefetch(sm, out.route(0), store);
    } else {
      const LineWords words(out);
      l1.set_tags(out, words, out.l1);
      l2_.route(out, words);
      l1.prefetch(out.l1, count);
      if (!store) l2_.prefetch_reads(sm, out);
      else
        for (std::size_t i = 0; i < count; ++i) l2_.prefetch(sm, out.route(i), true);
    }
    if (path_ && !store) [[unlikely]]
      prepare_path(sm, out);
  }
}

template <class Shape>
void ShapedMemory<Shape>::prepare_path(int sm, Lines& out) {
  if (!out.addresses) out.addresses = std::make_unique<MemoryPath::Addresses>();
  if (out.count == 1) out.addresses->put(0, path_->address_of(out.line[0]));
  else path_->addresses_of(out, *out.addresses);
  for (std::size_t i = 0; i < static_cast<std::size_t>(out.count); ++i)
    l2_.prefetch_path(sm, out.line[i], out.route(i), (*out.addresses)[i]);
}

// Sectors that are read past the L1 come to shared memory, a sector takes it so long.
template <class Shape>
void ShapedMemory<Shape>::lands(int sm, std::uint64_t cycle, std::uint8_t sectors,
                                std::uint64_t millicycles) {
  if (path_)
    ports_[static_cast<std::size_t>(sm)].takes_writes(cycle, sectors_in(sectors) * millicycles);
}

// Wavefronts of a copy through the L1. Where its shared side is not known, as many at least as it
// has lines: data arrives line by line.
template <class Shape>
std::uint32_t ShapedMemory<Shape>::async_wavefronts(const WarpLanes& w, const AccessPlan& plan,
                                                    const AccessTiming& place,
                                                    std::uint32_t lines) {
  if (!place.shared || w.mask & ~place.shared->mask) return lines;
  return kBothSides | static_cast<std::uint32_t>(copy_wavefronts(
                          expand(w, plan.bytes), expand(*place.shared, plan.bytes)));
}

// Where the shared side is not known, it is taken to lie as the source does.
template <class Shape>
void ShapedMemory<Shape>::copy_past_l1(const WarpLanes& w, const AccessPlan& plan,
                                       AccessTiming& place, const Lines& lines) {
  const WarpAccess from = expand(w, plan.bytes);
  const bool both = place.shared && !(w.mask & ~place.shared->mask);
  const WarpAccess to = both ? expand(*place.shared, plan.bytes) : from;
  const PastL1 copy = has_measured_index()
                          ? model::copy_past_l1(from, to)
                          : model::copy_past_l1(from, to, line_.bytes(), spec_.l1.index);
  place.async_wavefronts = static_cast<std::uint32_t>(copy.wavefronts) | (both ? kBothSides : 0);
  place.passes = std::max(place.passes, static_cast<std::uint32_t>(copy.output_wavefronts));
  sink_.load_tag_passes(static_cast<std::uint64_t>(copy.output_wavefronts));
  sink_.load_sectors(static_cast<std::uint64_t>(copy.sectors));
  // The profiler counts a sector for each request that asks for it.
  std::uint64_t wanted = 0;
  for (int i = 0; i < copy.count; ++i) {
    const PastL1::Request& q = copy.request[static_cast<std::size_t>(i)];
    const auto at = static_cast<std::size_t>(
        std::find(lines.line.begin(), lines.line.begin() + lines.count, q.line) -
        lines.line.begin());
    wanted += sectors_in(q.sectors);
    const std::uint64_t back = read_l2(place, place.tags, q.line, lines.route(at), q.sectors,
                                       plan.fetch_sectors, plan.stay, nullptr, true);
    lands(place.sm, back, q.sectors, sm_.async_write);
  }
  sink_.instead_wanted(wanted, static_cast<std::uint64_t>(sector_count(lines)));
}

// What most loads are; an asynchronous copy through the L1 is another.
template <class Shape>
inline void ShapedMemory<Shape>::load_line(const WarpLanes& w, const AccessPlan& plan,
                                           AccessTiming& place, const Lines& lines) {
  const std::uint64_t sectors = sectors_in(lines.sectors[0]);
  sink_.global_load(1, sectors, bytes_asked(w, plan));
  sink_.load_tag_passes(1);
  sink_.load_sectors(sectors);
  if (plan.action == Action::kAsyncRead) {
    place.async_wavefronts = async_wavefronts(w, plan, place, 1);
    sink_.async_load(sectors);
  }
  place.tag_passes = 1;
  place.passes = data_passes_of(w, plan.bytes, 1);
  place.done = place.now + latency_l1_ + place.passes;
  L1& l1 = this->l1(place);
  const auto words = [&](std::uint64_t line) {
    return touched_words(expand(w, plan.bytes), line, line_);
  };
  const auto one =
      l1.load(lines.line[0], lines.l1[0], lines.sectors[0], AskedWords(words), !plan.no_allocate);
  if (!one.missing) {
    sink_.load_hits(sectors);
    place.done = later(place.done, one.arrival);
    return;
  }
  const unsigned missing = sectors_in(one.missing);
  sink_.load_hits(sectors - sectors_in(one.missing & lines.sectors[0]));
  sink_.fill(place, lines.line[0], missing);
  place.left_sm = true;
  ++place.missed;
  MemoryPath::Address address;
  if (path_) address = (*lines.addresses)[0];
  const std::uint64_t done =
      is_plain(plan) && misses_.empty()
          ? l2_.read(place.sm, lines, one.missing, place.tags, plan.fetch_sectors,
                     path_ ? &address : nullptr)
          : read_missed_line(place, place.tags, lines.line[0], lines.route(0), one.missing,
                             plan.fetch_sectors, plan.stay, path_ ? &address : nullptr);
  if constexpr (!L2::kAnswersLater)
    if (asks_for_block(plan)) [[unlikely]]
      bring_other_line(l2_, place.sm, lines.line[0], line_.whole(), place.tags, plan.stay);
  place.done = later(place.done, done);
  arrives(l1, one, place.done);
}

template <class Shape>
void ShapedMemory<Shape>::global_load(const WarpLanes& w, const AccessPlan& plan,
                                      AccessTiming& place, const Lines& lines) {
  if constexpr (!Shape::kAsCard)
    if (lines.count == 1 && !plan.bypass_l1) return load_line(w, plan, place, lines);
  const bool async = plan.action == Action::kAsyncRead && !is_early();
  const auto sectors = static_cast<std::uint64_t>(sector_count(lines));
  const auto count = static_cast<std::uint64_t>(lines.count);
  L1* const cache = cache_of(plan, place.sm);
  sink_.global_load(count, sectors, bytes_asked(w, plan));
  sink_.asks(place, count);
  const std::uint32_t tags = tag_passes_of(lines);
  place.tag_passes = tags;
  place.passes = is_early() ? tags : data_passes_of(w, plan.bytes, tags);
  // An early GPU issues an instruction once more for each further transaction, which is no latency.
  place.done = place.now + latency_l1_ + (is_early() ? 0 : place.passes);
  sink_.data_passes(place, place.passes);
  if constexpr (Shape::kAsCard)
    // The texture path's loads are none of the load/store unit's.
    if (is_early() && (!cache || cache == &l1(place)))
      count_loads({moved_.moves, spec_.access, lines.distinct, bytes_asked(w, plan),
                   spec_.counts_by_line && !cache},
                  sink_.counters.early);
  if (async && plan.bypass_l1) return copy_past_l1(w, plan, place, lines);
  sink_.load_tag_passes(tags);
  sink_.load_sectors(sectors);
  if (async) {
    place.async_wavefronts = async_wavefronts(w, plan, place, static_cast<std::uint32_t>(count));
    sink_.async_load(sectors);
  }
  if (!cache) return load_past_l1(plan, place, lines);
  if constexpr (Shape::kAsCard) {
    load_each(*cache, plan, place, lines);
  } else {
    const auto words = [&](std::uint64_t line) {
      return touched_words(expand(w, plan.bytes), line, line_);
    };
    load_lines(plan, place, lines, AskedWords(words), sectors);
  }
}

// Of an early GPU one transaction leaves after the other.
template <class Shape>
void ShapedMemory<Shape>::load_past_l1(const AccessPlan& plan, AccessTiming& place,
                                       const Lines& lines) {
  const auto count = static_cast<std::size_t>(lines.count);
  for (std::size_t i = 0; i < count; ++i)
    read_l2(place, place.tags + (is_early() ? i : 0), lines.line[i], lines.route(i),
            lines.sectors[i], plan.fetch_sectors, plan.stay);
  if constexpr (!L2::kAnswersLater)
    for (std::size_t i = 0; asks_for_block(plan) && i < count; ++i)
      bring_other_line(l2_, place.sm, lines.line[i], line_.whole(), place.tags, plan.stay);
}

// Through a cache that is as the card says, line by line. What a line brings arrives with what was
// asked for before it, but on an early GPU. Misses leave as their tags are looked up, a line of
// each bank a cycle; since 7.0, where there is host memory, an access window or an eviction
// priority, all leave at once.
template <class Shape>
void ShapedMemory<Shape>::load_each(L1& cache, const AccessPlan& plan, AccessTiming& place,
                                    const Lines& lines) {
  const EarlyCache counted = !is_early()            ? EarlyCache::kNone
                             : &cache == &l1(place) ? EarlyCache::kLoads
                                                    : EarlyCache::kTextures;
  std::array<std::uint64_t, Lines::kMost> missed;
  std::size_t misses = 0;
  for (int i = 0; i < lines.count; ++i) {
    const LineTouch t = lines[i];
    const auto words = [&t](std::uint64_t) { return touched_words(t); };
    const auto found = cache.look_up(t, AskedWords(words), !plan.no_allocate);
    // A miss may bring more than was asked for.
    const std::uint64_t asked = sectors_in(t.sectors),
                        lacks = sectors_in(found.missing & t.sectors);
    sink_.load_found(place, t.line, asked, lacks);
    count_look_up(counted, asked, lacks, sink_.counters.early);
    if (!found.missing || is_early()) place.done = std::max(place.done, found.arrival);
    if (!found.missing) continue;
    write_pushed(cache, place);
    const std::uint64_t leaves =
        place.tags +
        (is_plain(plan) || is_early() ? static_cast<std::uint64_t>(i) / spec_.l1.tag_banks : 0);
    place.left_sm = true;
    ++place.missed;
    missed[misses++] = t.line;
    sink_.fill(place, t.line, sectors_in(found.missing));
    const std::uint64_t back =
        read_missed_line(place, leaves, t.line, {}, found.missing, plan.fetch_sectors, plan.stay);
    place.done = std::max(place.done, back);
    cache.arrives(t.line, is_early() ? back : place.done);
  }
  for (std::size_t k = 0; asks_for_block(plan) && k < misses; ++k)
    bring_other_line(l2_, place.sm, missed[k], line_.whole(), place.tags, plan.stay);
}

// Through the L1, of several lines.
template <class Shape>
[[gnu::always_inline]] inline void ShapedMemory<Shape>::load_lines(const AccessPlan& plan,
                                                                   AccessTiming& place,
                                                                   const Lines& lines,
                                                                   const AskedWords& words,
                                                                   std::uint64_t sectors) {
  L1& l1 = this->l1(place);
  typename L1::Misses missed;
  if constexpr (L2::kAnswersLater)
    l2_.load(l1, place.sm, lines, lines.l1, words, !plan.no_allocate, missed);
  else l1.load(lines, lines.l1, words, !plan.no_allocate, missed);
  found(place, lines, missed, sectors);
  std::array<std::uint64_t, Lines::kMost> done;
  if (missed.count > 0) {
    place.left_sm = true;
    place.missed += static_cast<std::uint32_t>(missed.count);
    read_missed(plan, place, lines, missed, done.data());
    if constexpr (!L2::kAnswersLater)
      for (std::size_t k = 0; asks_for_block(plan) && k < missed.count; ++k)
        bring_other_line(l2_, place.sm, lines.line[missed.index[k]], line_.whole(), place.tags,
                         plan.stay);
  }
  if constexpr (L2::kAnswersLater) place.done = l2_.arrive(missed, done.data(), place.done);
  else place.done = std::max(l1.arrive(missed, done.data(), place.done), missed.hit);
}

// What the L1 had of a list's lines, and what of it the L2 is asked for.
template <class Shape>
template <class Misses>
inline void ShapedMemory<Shape>::found(const AccessTiming& place, const Lines& lines,
                                       const Misses& missed, std::uint64_t sectors) {
  const std::uint64_t misses = sectors_in(missed.sectors, missed.count);
  std::uint64_t lacks = misses;
  // A miss may bring more than was asked for.
  if (spec_.l1.fill_sectors > 1) [[unlikely]] {
    lacks = 0;
    for (std::size_t k = 0; k < missed.count; ++k)
      lacks += sectors_in(missed.sectors[k] & lines.sectors[missed.index[k]]);
  }
  sink_.load_hits(sectors - lacks);
  if (missed.count > 0) sink_.fill(place, lines.line[missed.index[0]], misses);
}

template <class Shape>
template <class Misses>
[[gnu::always_inline]] inline void ShapedMemory<Shape>::read_missed(const AccessPlan& plan,
                                                                    AccessTiming& place,
                                                                    const Lines& lines,
                                                                    const Misses& missed,
                                                                    std::uint64_t* done) {
  if (is_plain(plan) && misses_.empty()) [[likely]] {
    l2_.read(place.sm, lines, lines.addresses.get(), missed, place.tags, plan.fetch_sectors, done);
  } else {
    for (std::size_t k = 0; k < missed.count; ++k) {
      const std::size_t at = missed.index[k];
      const std::uint64_t leaves = place.tags + (is_plain(plan) ? at / kLinesACycle : 0);
      done[at] = read_missed_line(place, leaves, lines.line[at], lines.route(at), missed.sectors[k],
                                  plan.fetch_sectors, plan.stay);
    }
  }
}

// What most stores are.
template <class Shape>
inline void ShapedMemory<Shape>::store_line(const WarpLanes& w, const AccessPlan& plan,
                                            AccessTiming& place, const Lines& lines) {
  const std::uint8_t sectors = lines.sectors[0];
  const std::uint64_t n = sectors_in(sectors);
  place.passes = data_passes_of(w, plan.bytes, 1);
  place.tag_passes = 1;
  sink_.global_store(1, n, bytes_asked(w, plan));
  const auto sm = static_cast<std::size_t>(place.sm);
  if (l1_[sm].store(lines.line[0], lines.l1[0], sectors, lines.full[0], lines.bytes[0].data()))
    sink_.store_hits(n);
  StoreQueue& queue = stores_[sm];
  const StoreQueue::Taken taken =
      queue.take(lines.line[0], sectors, place.tags, place.now + place.passes);
  const std::uint64_t at = std::max(place.now, taken.at);
  place.held = taken.at;
  place.left_sm = true;
  sink_.sends(place, lines.line[0], sectors_in(sectors & ~taken.again));
  place.stored = std::max(place.stored, l2_.write(place.sm, lines, taken.again, taken.opens, at));
  place.sent = l2_.sent(at);
  queue.keep_until(place.sent);
}

// Lines pass the tag stage and the data stage one after the other.
template <class Shape>
void ShapedMemory<Shape>::global_store(const WarpLanes& w, const AccessPlan& plan,
                                       AccessTiming& place, const Lines& lines) {
  if constexpr (!Shape::kAsCard)
    if (lines.count == 1 && plain_) return store_line(w, plan, place, lines);
  const auto count = static_cast<std::uint64_t>(lines.count);
  place.tag_passes = count == 1 && !is_early() ? 1 : tag_passes_of(lines);
  place.passes = is_early() ? place.tag_passes : data_passes_of(w, plan.bytes, 1);
  if constexpr (Shape::kAsCard)
    if (is_early())
      count_stores({moved_.moves, spec_.access, lines.distinct, bytes_asked(w, plan)},
                   sink_.counters.early);
  sink_.global_store(count, static_cast<std::uint64_t>(sector_count(lines)), bytes_asked(w, plan));
  sink_.asks(place, count);
  sink_.data_passes(place, place.passes);
  L1& l1 = this->l1(place);
  const auto store = [&](std::size_t i, std::uint64_t tags, std::uint64_t data) {
    const LineTouch t = lines[static_cast<int>(i)];
    sink_.stores_line(place, t.line, sectors_in(t.sectors));
    bool here = false;
    if constexpr (Shape::kAsCard)
      here = l1.store(t, lines.l1[i], !is_early() || caches_loads(spec_.l1.cached));
    else here = l1.store(t, lines.l1[i]);
    if (here) sink_.store_hits(sectors_in(t.sectors));
    write_pushed(l1, place);
    write_l2(place, t, lines.route(i), tags, data);
  };
  if (is_early()) {
    for (std::size_t i = 0; i < count; ++i) store(i, place.tags + i, place.now);
    return;
  }
  if (count == 1) return store(0, place.tags, place.now + place.passes);
  for (std::size_t i = 0; i < count; ++i)
    store(i, place.tags + i * place.tag_passes / count, place.now + (i + 1) * place.passes / count);
}

template <class Shape>
void ShapedMemory<Shape>::global_atomic(const WarpLanes& w, const AccessPlan& plan,
                                        AccessTiming& place) {
  const AtomicTraffic t = atomic_of(w, plan);
  const std::uint64_t of_line = line_.sectors();
  const auto lines = static_cast<std::uint64_t>(t.lines);
  sink_.global_atomic(plan.returns, static_cast<std::uint64_t>(t.sectors),
                      static_cast<std::uint64_t>(t.distinct), lines);
  sink_.asks(place, lines);
  l2_.sink().atomic_requests(plan.returns, static_cast<std::uint64_t>(t.requests));
  place.passes = std::max(1u, static_cast<std::uint32_t>(t.requests));
  place.left_sm = true;
  L1& l1 = this->l1(place);
  for (int i = 0; i < t.distinct; ++i) {
    const std::uint64_t line = t.sector[i] / of_line;
    l1.drop(line, static_cast<std::uint8_t>(1u << t.sector[i] % of_line));
    // The rounds of a line are requests of their own, whichever of its sectors they need.
    bool first = true;
    int rounds = t.passes[i], alone = 0;
    std::uint32_t sectors = 0;
    for (int k = 0; k < t.distinct; ++k) {
      if (t.sector[k] / of_line != line) continue;
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
    if (is_early())
      work = {.partly = static_cast<std::uint32_t>(t.passes[i]),
              .headed = static_cast<std::uint32_t>(t.passes[i])};
    place.done =
        std::max(place.done, l2_.atomic(place.sm, t.sector[i], t.passes[i], plan.returns, place.now,
                                        work, of_write(stay(line, Stay::kUnsaid))));
  }
  place.stored = place.done;
  if (is_early()) place.sent = std::max(place.sent, l2_.sent(place.now));
}

#define WARPMEM_MAKE(S)                                                                           \
  template void ShapedMemory<S>::prepare(const WarpLanes&, const AccessPlan&, int, Lines&);       \
  template void ShapedMemory<S>::lands(int, std::uint64_t, std::uint8_t, std::uint64_t);          \
  template void ShapedMemory<S>::global_load(const WarpLanes&, const AccessPlan&, AccessTiming&,  \
                                             const Lines&);                                       \
  template void ShapedMemory<S>::global_store(const WarpLanes&, const AccessPlan&, AccessTiming&, \
                                              const Lines&);                                      \
  template void ShapedMemory<S>::global_atomic(const WarpLanes&, const AccessPlan&, AccessTiming&);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
