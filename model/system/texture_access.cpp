#include "model/system/shaped_memory.hpp"

#include <algorithm>

#include "model/system/any_shape.hpp"
#include "model/system/as_card.hpp"
#include "model/system/beyond_l1.hpp"

namespace warpmem::model {

// Lines of textures and surfaces lie in the L1 beside those of global memory. A sector that an
// earlier request of the access asked for counts as a hit; misses on a line leave together.
template <class Shape>
void ShapedMemory<Shape>::texture(const TextureAccess& access, const AccessPlan& plan,
                                  AccessTiming& place) {
  const bool store = plan.action == Action::kSurfaceStore;
  sink_.record(static_cast<std::uint64_t>(access.texels));
  texture_traffic(access, store, texels_, line_bytes());
  sink_.texture(plan, texels_.requests, texels_.sectors);
  place.passes = place.tag_passes = texels_.cycles;
  place.held = 0, place.missed = 0;
  place.left_sm = false;
  place.stored = place.now;
  const std::uint64_t hit = place.now + texels_.cycles + sm_.latency_texture +
                            (plan.by_number ? 0 : sm_.latency_coordinates) +
                            (access.texels > 1 ? sm_.latency_filter : 0);
  place.done = store ? place.now + texels_.cycles : 0;
  L1& l1 = this->l1(place);
  std::uint64_t hits = texels_.sectors;
  for (int i = 0; i < texels_.count; ++i) {
    const LineTouch& t = texels_.line[static_cast<std::size_t>(i)];
    const std::uint64_t at = place.now + static_cast<std::uint64_t>(i) * texels_.cycles /
                                             static_cast<std::uint64_t>(texels_.count);
    if (store) {
      if (l1.store(t)) hits += sectors_in(t.sectors);
      // They do not wait for others to join them (measured: stores of several warps to the same
      // places).
      send(place, t, l2_.route(t.line), 0, true, at);
      continue;
    }
    const std::uint8_t missing = l1.load(t);
    hits -= sectors_in(missing & t.sectors);
    read_l2(place, at, t.line, l2_.route(t.line), missing, 0);
  }
  sink_.texture_hits(plan, hits);
  // What misses comes through the unit's own stages as well.
  if (store) return;
  std::uint64_t back = 0;
  if (place.left_sm) {
    const std::uint64_t more = hit - place.now - latency_l1_;
    if constexpr (L2::kAnswersLater) back = l2_.plus(place.done, more);
    else back = place.done + more;
  }
  place.done = later(hit, back);
}

#define WARPMEM_MAKE(S) \
  template void ShapedMemory<S>::texture(const TextureAccess&, const AccessPlan&, AccessTiming&);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
