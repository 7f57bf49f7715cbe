#include "model/system/shaped_memory.hpp"

#include <algorithm>

#include "model/system/any_shape.hpp"
#include "model/system/as_card.hpp"
#include "model/system/beyond_l1.hpp"

namespace warpmem::model {

// Lines of textures and surfaces lie in the L1 beside those of global memory. A sector that an
// earlier request of the access asked for counts as a hit; misses on a line leave together. An
// early GPU may have a cache of textures, and what it stores leaves nothing in the L1.
template <class Shape>
void ShapedMemory<Shape>::texture(const TextureAccess& access, const AccessPlan& plan,
                                  AccessTiming& place) {
  const bool store = plan.action == Action::kSurfaceStore;
  sink_.record(static_cast<std::uint64_t>(access.texels));
  texture_traffic(access, store, texels_, line_.bytes());
  sink_.texture(plan, texels_.requests, texels_.sectors);
  place.passes = place.tag_passes = is_early() ? std::max(1u, texels_.cycles) : texels_.cycles;
  place.held = 0, place.missed = 0;
  place.left_sm = false;
  place.stored = place.now;
  const std::uint64_t hit = place.now + texels_.cycles + sm_.latency_texture +
                            (plan.by_number ? 0 : sm_.latency_coordinates) +
                            (access.texels > 1 ? sm_.latency_filter : 0);
  place.done = store ? place.now + texels_.cycles : 0;
  L1& l1 = store ? this->l1(place) : textures(place.sm);
  std::uint64_t hits = texels_.sectors;
  for (int i = 0; i < texels_.count; ++i) {
    const LineTouch& t = texels_.line[static_cast<std::size_t>(i)];
    const std::uint64_t at = is_early()
                                 ? place.now
                                 : place.now + static_cast<std::uint64_t>(i) * texels_.cycles /
                                                   static_cast<std::uint64_t>(texels_.count);
    if (store) {
      if (is_early()) l1.drop(t.line, t.sectors);
      else if (l1.store(t)) hits += sectors_in(t.sectors);
      // They do not wait for others to join them (measured: stores of several warps to the same
      // places).
      send(place, t, l2_.route(t.line), 0, true, at);
      continue;
    }
    if (is_early()) {
      hits -= texture_line(l1, t, place);
      continue;
    }
    const std::uint8_t missing = l1.load(t);
    hits -= sectors_in(missing & t.sectors);
    read_l2(place, at, t.line, l2_.route(t.line), missing, 0);
  }
  sink_.texture_hits(plan, hits);
  // What misses comes through the unit's own stages as well.
  if (store) return;
  if (is_early()) {
    count_look_up(EarlyCache::kTextures, texels_.sectors, texels_.sectors - hits,
                  sink_.counters.early);
    place.done = std::max(place.done, hit);
    return;
  }
  std::uint64_t back = 0;
  if (place.left_sm) {
    const std::uint64_t more = hit - place.now - latency_l1_;
    if constexpr (L2::kAnswersLater) back = l2_.plus(place.done, more);
    else back = place.done + more;
  }
  place.done = later(hit, back);
}

// Sectors that the cache lacks.
template <class Shape>
std::uint64_t ShapedMemory<Shape>::texture_line(L1& cache, const LineTouch& t,
                                                AccessTiming& place) {
  if constexpr (Shape::kAsCard) {
    const auto found = cache.look_up(t);
    place.done = std::max(place.done, found.arrival);
    if (!found.missing) return 0;
    place.left_sm = true;
    ++place.missed;
    sink_.fill(place, t.line, sectors_in(found.missing));
    const std::uint64_t back =
        sm_.latency_texture_miss +
        (in_host_memory(t.line) ? l2_.read_host(found.missing, place.now, place.sm)
                                : l2_.read_texture(place.sm, t.line, found.missing, place.now));
    cache.arrives(t.line, back);
    place.done = std::max(place.done, back);
    return sectors_in(found.missing & t.sectors);
  }
  return 0;
}

#define WARPMEM_MAKE(S) \
  template void ShapedMemory<S>::texture(const TextureAccess&, const AccessPlan&, AccessTiming&);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
