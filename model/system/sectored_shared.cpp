#include "model/system/sectored_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/atomics/atomics.hpp"
#include "model/shared/shared_banks.hpp"
#include "model/system/async_fill.hpp"
#include "model/system/sectored_beyond.hpp"

namespace warpmem::model {

template <class L2>
void SectoredMemoryOf<L2>::shared_access(const WarpLanes& w, const AccessPlan& plan,
                                         AccessTiming& place) {
  if (plan.action == Action::kAsyncWrite) {
    // Data arrives line by line of the source, and is written as it comes.
    const WarpAccess to = expand(w, plan.bytes);
    const auto passes = static_cast<std::uint32_t>(shared_passes(to, SharedKind::kStore).taken);
    const std::uint32_t n = std::exchange(place.async_wavefronts, 0);
    if (n == 0) count_fill(counters_, plan, to);
    else counters_.shared_wavefronts += n & kBothSides ? n & ~kBothSides : std::max(passes, n);
    place.passes = passes;
    return;
  }
  SharedPasses passes{1, 1, 1};
  const bool one_a_lane =
      plan.shared == SharedKind::kCompareAndSwap || plan.shared == SharedKind::kAttempt;
  if (plan.bytes != 4 || !w.one_after_another(4) || one_a_lane)
    passes = shared_passes(expand(w, plan.bytes), plan.shared);
  const bool load =
      plan.shared == SharedKind::kLoad || plan.instructions == &LaunchCounters::inst_ldsm;
  const bool store =
      plan.shared == SharedKind::kStore || plan.instructions == &LaunchCounters::inst_stsm;
  auto taken = static_cast<std::uint32_t>(passes.taken);
  auto conflicts = static_cast<std::uint32_t>(passes.taken - passes.groups);
  if (path_ && (load || store)) {
    DataPorts& ports = ports_[static_cast<std::size_t>(place.sm)];
    const std::uint32_t lost =
        load ? ports.lost_reads(place.now, taken) : ports.lost_writes(place.now, taken);
    taken += lost;
    conflicts += lost;
  }
  counters_.shared_wavefronts += static_cast<std::uint32_t>(passes.reported);
  place.passes = taken;
  place.done = place.now + sm_.latency_shared + 1;
  if (taken > 1) place.done += (taken - 1) * sm_.latency_conflict;
  if (load) {
    counters_.shared_ld_bytes += bytes_asked(w, plan);
    counters_.shared_wavefronts_ld += taken;
    counters_.shared_conflicts_ld += conflicts;
  } else if (store) {
    counters_.shared_st_bytes += bytes_asked(w, plan);
    counters_.shared_wavefronts_st += taken;
    counters_.shared_conflicts_st += conflicts;
  }
}

// The matrices of a warpgroup's product come by whole wavefronts of 128 bytes, wherever they lie
// and once for all four warps, each of which has a record of them (measured:
// kernels/micro/wgmma_reads.cu). No load counts them.
template <class L2>
void SectoredMemoryOf<L2>::product_read(const AccessPlan& plan) {
  constexpr std::uint64_t kWavefront = 4 * 128;
  product_bytes_ += plan.bytes;
  counters_.shared_wavefronts += product_bytes_ / kWavefront;
  product_bytes_ %= kWavefront;
}

// Shared memory of another SM of the cluster: its words travel in sectors from SM to SM, past the
// L2. Both SMs' ports count them, whichever way they go (measured: cluster reads and writes,
// kernels/micro/instructions.cu remote_shared).
template <class L2>
void SectoredMemoryOf<L2>::remote_access(const WarpLanes& w, const AccessPlan& plan,
                                         AccessTiming& place) {
  std::uint64_t sectors = 0;
  if (plan.returns) {
    sectors = static_cast<std::uint64_t>(
        atomic_traffic(expand(w, plan.bytes), plan.compare_and_swap).sectors);
  } else {
    list_lines(w, plan.bytes, false, lines_);
    sectors = static_cast<std::uint64_t>(sector_count(lines_));
  }
  // An atomic or a reduction has operands to carry there and an answer to carry back (measured: the
  // suite's cluster_histogram, 34,602 sectors each way for 17,300).
  const std::uint64_t ways = plan.returns ? 2 : 1;
  counters_.remote_sectors += ways * sectors;
  counters_.l1_fill_sectors += ways * sectors;
  counters_.l1_write_sectors += ways * sectors;
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

template void SectoredMemoryOf<L2Cache>::shared_access(const WarpLanes&, const AccessPlan&,
                                                       AccessTiming&);
template void SectoredMemoryOf<L2Cache>::remote_access(const WarpLanes&, const AccessPlan&,
                                                       AccessTiming&);
template void SectoredMemoryOf<L2Cache>::product_read(const AccessPlan&);
template void SectoredMemoryOf<L2Requests>::shared_access(const WarpLanes&, const AccessPlan&,
                                                          AccessTiming&);
template void SectoredMemoryOf<L2Requests>::remote_access(const WarpLanes&, const AccessPlan&,
                                                          AccessTiming&);
template void SectoredMemoryOf<L2Requests>::product_read(const AccessPlan&);

}  // namespace warpmem::model
