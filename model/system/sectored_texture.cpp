#include "model/system/sectored_memory.hpp"

#include <algorithm>

#include "model/system/sectored_beyond.hpp"

namespace warpmem::model {

// Lines of textures and surfaces lie in the L1 beside those of global memory. A sector that an
// earlier request of the access asked for counts as a hit; misses on a line leave together.
template <class L2>
void SectoredMemoryOf<L2>::texture(const TextureAccess& access, const AccessPlan& plan,
                                   AccessTiming& place) {
  const bool store = plan.action == Action::kSurfaceStore;
  OpCounters& c = plan.action == Action::kTexture ? counters_.texture
                  : store                         ? counters_.surface_st
                                                  : counters_.surface_ld;
  counters_.records += static_cast<std::uint64_t>(access.texels);
  texture_traffic(access, store, texels_);
  c.requests += texels_.requests;
  c.sectors += texels_.sectors;
  c.hits += texels_.sectors;
  place.passes = place.tag_passes = texels_.cycles;
  place.held = 0, place.missed = 0;
  place.left_sm = false;
  place.stored = place.now;
  const std::uint64_t hit = place.now + texels_.cycles + sm_.latency_texture +
                            (plan.by_number ? 0 : sm_.latency_coordinates) +
                            (access.texels > 1 ? sm_.latency_filter : 0);
  place.done = store ? place.now + texels_.cycles : 0;
  L1Cache& l1 = l1_[static_cast<std::size_t>(place.sm)];
  for (int i = 0; i < texels_.count; ++i) {
    const LineTouch& t = texels_.line[static_cast<std::size_t>(i)];
    const std::uint64_t at = place.now + static_cast<std::uint64_t>(i) * texels_.cycles /
                                             static_cast<std::uint64_t>(texels_.count);
    if (store) {
      if (l1.store(t.line, t.sectors, t.full, t.bytes.data())) c.hits += sectors_in(t.sectors);
      // They do not wait for others to join them (measured: stores of several warps to the same
      // places).
      send(place, t, l2_.route(t.line), 0, true, at);
      continue;
    }
    const std::uint8_t missing = l1.load(t.line, t.sectors);
    c.hits -= sectors_in(missing);
    read_l2(place, at, t.line, l2_.route(t.line), missing, 0);
  }
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

template void SectoredMemoryOf<L2Cache>::texture(const TextureAccess&, const AccessPlan&,
                                                 AccessTiming&);
template void SectoredMemoryOf<L2Requests>::texture(const TextureAccess&, const AccessPlan&,
                                                    AccessTiming&);

}  // namespace warpmem::model
