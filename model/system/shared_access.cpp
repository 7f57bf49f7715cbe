#include "model/system/shaped_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/sm/async_copy.hpp"
#include "model/system/any_shape.hpp"
#include "model/system/as_card.hpp"
#include "model/system/beyond_l1.hpp"

namespace warpmem::model {

template <class Shape>
void ShapedMemory<Shape>::shared_access(const WarpLanes& w, const AccessPlan& plan,
                                        AccessTiming& place) {
  if (plan.action == Action::kAsyncWrite && !is_early()) {
    // Data arrives line by line of the source, and is written as it comes.
    const WarpAccess to = expand(w, plan.bytes);
    const auto passes = static_cast<std::uint32_t>(shared_passes_of(to, SharedKind::kStore).taken);
    const std::uint32_t n = std::exchange(place.async_wavefronts, 0);
    if (n == 0) sink_.zero_fill(plan, static_cast<std::uint64_t>(fill_wavefronts(to)));
    else sink_.shared_wavefronts(n & kBothSides ? n & ~kBothSides : std::max(passes, n));
    place.passes = passes;
    return;
  }
  const SharedKind kind = plan.action == Action::kAsyncWrite ? SharedKind::kStore : plan.shared;
  SharedPasses passes{1, 1, 1};
  const bool one_a_lane =
      plan.shared == SharedKind::kCompareAndSwap || plan.shared == SharedKind::kAttempt;
  if (Shape::kAsCard || plan.bytes != 4 || !w.one_after_another(4) || one_a_lane)
    passes = shared_passes_of(expand(w, plan.bytes), kind);
  const bool store = kind == SharedKind::kStore || plan.instructions == &LaunchCounters::inst_stsm;
  // Atomics of an early GPU are loads to its profiler.
  const bool load =
      is_early() ? !store
                 : kind == SharedKind::kLoad || plan.instructions == &LaunchCounters::inst_ldsm;
  auto taken = static_cast<std::uint32_t>(is_early() ? std::max(1, passes.taken) : passes.taken);
  auto conflicts = static_cast<std::uint32_t>(passes.taken - passes.groups);
  if (path_ && (load || store)) {
    DataPorts& ports = ports_[static_cast<std::size_t>(place.sm)];
    const std::uint32_t lost =
        load ? ports.lost_reads(place.now, taken) : ports.lost_writes(place.now, taken);
    taken += lost;
    conflicts += lost;
  }
  sink_.shared(place, static_cast<std::uint32_t>(passes.reported), taken);
  place.passes = taken;
  place.done = place.now + sm_.latency_shared + 1;
  if (taken > 1) place.done += (taken - 1) * sm_.latency_conflict;
  if (is_early()) sink_.shared_early(store, taken, conflicts);
  if (load) sink_.shared_load(bytes_asked(w, plan), taken, conflicts);
  else if (store) sink_.shared_store(bytes_asked(w, plan), taken, conflicts);
}

template <class Shape>
void ShapedMemory<Shape>::constants(const WarpLanes& w, const AccessPlan& plan) {
  if (is_early() && w.mask)
    sink_.constants_early(constant_serialized(spec_.constants, expand(w, plan.bytes)));
}

// The matrices of a warpgroup's product come by whole wavefronts of all banks, wherever they lie
// and once for all four warps, each of which has a record of them (measured:
// kernels/micro/wgmma_reads.cu). No load counts them.
template <class Shape>
void ShapedMemory<Shape>::product_read(const AccessPlan& plan) {
  const std::uint64_t wavefronts = std::uint64_t{4} * spec_.banks * spec_.bank_bytes;
  product_bytes_ += plan.bytes;
  sink_.shared_wavefronts(product_bytes_ / wavefronts);
  product_bytes_ %= wavefronts;
}

// Shared memory of another SM of the cluster: its words travel in sectors from SM to SM, past the
// L2. Both SMs' ports count them, however they go (measured: cluster reads and writes,
// kernels/micro/instructions.cu remote_shared).
template <class Shape>
void ShapedMemory<Shape>::remote_access(const WarpLanes& w, const AccessPlan& plan,
                                        AccessTiming& place) {
  std::uint64_t sectors = 0;
  if (plan.returns) {
    sectors = static_cast<std::uint64_t>(atomic_of(w, plan).sectors);
  } else {
    list_lines(w, plan.bytes, false, lines_, line_);
    sectors = static_cast<std::uint64_t>(sector_count(lines_));
  }
  // An atomic or a reduction has operands to carry there and an answer to carry back (measured: the
  // suite's cluster_histogram, 34,602 sectors each direction for 17,300).
  const std::uint64_t ways = plan.returns ? 2 : 1;
  sink_.remote(ways * sectors);
  if (!path_) {
    place.done = place.now + sm_.latency_l2;
    return;
  }
  const bool read = plan.returns || plan.instructions == &LaunchCounters::inst_generic_ld;
  const bool write = plan.returns || !read;
  const std::uint64_t ticks = sectors * ((read ? remote_read_ : 0) + (write ? remote_write_ : 0));
  const std::uint64_t start = path_->remote(place.sm, ways * sectors, ticks, place.now);
  place.done = start + ticks / kTicks + sm_.latency_remote;
  if (!read || plan.returns) place.stored = place.done;
  // Work that the port has no time for stays in the load/store unit's queue.
  place.held = start - std::min(start, sm_.queue_cycles);
}

#define WARPMEM_MAKE(S)                                                             \
  template void ShapedMemory<S>::shared_access(const WarpLanes&, const AccessPlan&, \
                                               AccessTiming&);                      \
  template void ShapedMemory<S>::remote_access(const WarpLanes&, const AccessPlan&, \
                                               AccessTiming&);                      \
  template void ShapedMemory<S>::constants(const WarpLanes&, const AccessPlan&);    \
  template void ShapedMemory<S>::product_read(const AccessPlan&);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
