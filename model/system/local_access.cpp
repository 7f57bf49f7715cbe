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

#define WARPMEM_MAKE(S) \
  template void ShapedMemory<S>::local_access(const WarpLanes&, const AccessPlan&, AccessTiming&);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
