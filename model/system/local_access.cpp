#include "model/system/shaped_memory.hpp"

#include <algorithm>
#include <bit>

#include "model/system/any_shape.hpp"
#include "model/system/as_card.hpp"
#include "model/system/beyond_l1.hpp"

namespace warpmem::model {

// Wider accesses take a request a word (measured: kernels/micro/instructions.cu).
template <class Shape>
void ShapedMemory<Shape>::local_access(const WarpLanes& w, const AccessPlan& plan,
                                       AccessTiming& place) {
  const WarpAccess a = expand(w, plan.bytes);
  const bool store = plan.action == Action::kLocalStore;
  const bool cached = is_cached(plan);
  const std::uint64_t area = local_.area(static_cast<std::uint64_t>(place.sm), place.warp_slot);
  const std::uint64_t words = std::max<std::uint64_t>(1, plan.bytes / 4);
  place.passes = static_cast<std::uint32_t>(words);
  place.done = place.now + sm_.latency_l1;
  L1& l1 = this->l1(place);
  for (std::uint64_t k = 0; k < words; ++k) {
    if (is_early()) {
      local_transactions(local_word(a, area, k), store, cached, place);
      continue;
    }
    list_local(a, area, k);
    const auto sectors = static_cast<std::uint64_t>(sector_count(lines_));
    sink_.local(store, sectors);
    sink_.local_sectors(store, sectors);
    for (int i = 0; i < lines_.count; ++i) {
      const LineTouch t = lines_[i];
      if (store) {
        if (cached && l1.store(t)) sink_.local_hits(store, sectors_in(t.sectors));
        write_l2(place, t, l2_.route(t.line), place.tags + k, place.now + k + 1);
      } else {
        const auto asked = [&](std::uint64_t) { return touched_words(t); };
        const AskedWords asked_words(asked);
        const std::uint8_t missing = !cached         ? t.sectors
                                     : plan.last_use ? l1.load_last(t, asked_words)
                                                     : l1.load(t, asked_words);
        sink_.local_hits(store, sectors_in(t.sectors & static_cast<std::uint8_t>(~missing)));
        read_l2(place, place.now, t.line, l2_.route(t.line), missing, 0);
      }
    }
  }
}

// Past the L1 an early GPU moves transactions, and counts what they move.
template <class Shape>
void ShapedMemory<Shape>::local_transactions(const WarpAccess& word, bool store, bool cached,
                                             AccessTiming& place) {
  if constexpr (Shape::kAsCard) {
    touch_lines(word, true, lines_, line_);
    sink_.local(store, static_cast<std::uint64_t>(sector_count(lines_)));
    moved_.local(spec_, word, cached, lines_);
    EarlyCounters& early = sink_.counters.early;
    (store ? early.local_store : early.local_load) += lines_.transactions;
    sink_.local_sectors(store, static_cast<std::uint64_t>(sector_count(lines_)));
    for (int i = 0; i < lines_.count; ++i) {
      const LineTouch t = lines_[i];
      if (cached) local_line(t, store, place);
      else if (store) write_l2(place, t, {}, place.now, place.now);
      else read_l2(place, place.now, t.line, {}, t.sectors, 0);
    }
  }
}

// In an early GPU's L1. A store that is kept back brings what it does not cover of its sectors
// first.
template <class Shape>
void ShapedMemory<Shape>::local_line(const LineTouch& t, bool store, AccessTiming& place) {
  if constexpr (Shape::kAsCard) {
    L1& l1 = this->l1(place);
    const std::uint64_t asked = sectors_in(t.sectors);
    const bool back = store && spec_.l1.local_write == LocalWrite::kBack;
    const auto look_up = [&](std::uint64_t lacks) {
      count_look_up(store ? EarlyCache::kLocalStores : EarlyCache::kLocalLoads, asked, lacks,
                    sink_.counters.early);
      sink_.local_hits(store, asked - lacks);
    };
    if (store && (!back || t.full == t.sectors)) {
      const bool here = l1.leave(t, back, back || policy_of(spec_.l1.allocate).stores);
      look_up(here ? 0 : asked);
      write_pushed(l1, place);
      if (!back) write_l2(place, t, {}, place.now, place.now);
      return;
    }
    const auto found = l1.look_up(t);
    write_pushed(l1, place);
    look_up(sectors_in(found.missing & t.sectors));
    const std::uint64_t done = place.done;
    if (found.missing) l1.arrives(t.line, read_l2(place, place.now, t.line, {}, found.missing, 0));
    // A store waits for nothing.
    if (store) place.done = done;
    else place.done = std::max(place.done, found.arrival);
    if (store) l1.leave(t, true, true);
  }
}

#define WARPMEM_MAKE(S) \
  template void ShapedMemory<S>::local_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
