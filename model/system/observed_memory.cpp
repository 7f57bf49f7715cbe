#include "model/system/observed_memory.hpp"

#include <bit>

namespace warpmem::model {

ObservedMemory::ObservedMemory(MemorySystem& memory, EventListener& listener)
    : memory_(memory), listener_(listener) {
  memory_.listen(&listener);
}

void ObservedMemory::begin_launch(const LaunchMemory& launch) { memory_.begin_launch(launch); }

template <class Do>
void ObservedMemory::observe(std::uint64_t address, AccessTiming& timing, Do&& access) {
  const AccessContext whose{timing.site, timing.cta, timing.warp, address};
  const LaunchCounters before = memory_.counted();
  listener_.begin(whose);
  access();
  listener_.end(whose, memory_.counted() - before, timing);
}

void ObservedMemory::run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) {
  const std::uint64_t address = lanes.mask ? lanes.first_address() : 0;
  observe(address, timing, [&] { memory_.run(lanes, plan, timing); });
}

void ObservedMemory::texture(const TextureAccess& access, const AccessPlan& plan,
                             AccessTiming& timing) {
  const auto lane = static_cast<std::size_t>(access.mask ? std::countr_zero(access.mask) : 0);
  observe(access.address[0][lane], timing, [&] { memory_.texture(access, plan, timing); });
}

void ObservedMemory::starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) {
  memory_.starts_warps(sm, cycle, warps);
}

LaunchCounters ObservedMemory::finish_launch() { return memory_.finish_launch(); }

}  // namespace warpmem::model
