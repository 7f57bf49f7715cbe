#include <algorithm>
#include <utility>

#include "model/general/atomic_rounds.hpp"
#include "model/system/async_fill.hpp"
#include "model/system/general_memory.hpp"
#include "model/system/local_line.hpp"

namespace warpmem::model {

void GeneralMemory::shared_access(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  const SharedPasses passes =
      shared_passes(spec_.shared, expand(w, plan.bytes), plan.shared, banks_);
  const bool load =
      plan.shared == SharedKind::kLoad || plan.instructions == &LaunchCounters::inst_ldsm;
  const bool store =
      plan.shared == SharedKind::kStore || plan.instructions == &LaunchCounters::inst_stsm;
  auto taken = static_cast<std::uint32_t>(passes.taken);
  auto conflicts = static_cast<std::uint32_t>(passes.taken - passes.groups);
  if (path_ && (load || store)) {
    const std::uint32_t lost =
        load ? ports(t).lost_reads(t.now, taken) : ports(t).lost_writes(t.now, taken);
    taken += lost;
    conflicts += lost;
  }
  counters_.shared_wavefronts += static_cast<std::uint32_t>(passes.reported);
  happens(EventKind::kRequest, Level::kShared, t, 1);
  happens(EventKind::kBankPass, Level::kShared, t, taken);
  t.passes = taken;
  t.done = t.now + sm_.latency_shared + 1;
  if (taken > 1) t.done += (taken - 1) * sm_.latency_conflict;
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

// The shared side of an asynchronous copy: its data is written as it comes, line by line of the
// source.
void GeneralMemory::async_write(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  const WarpAccess to = expand(w, plan.bytes);
  t.passes =
      static_cast<std::uint32_t>(shared_passes(spec_.shared, to, SharedKind::kStore, banks_).taken);
  const std::uint32_t n = std::exchange(t.async_wavefronts, 0);
  if (n == 0) count_fill(counters_, plan, to);
  else counters_.shared_wavefronts += n & kBothSides ? n & ~kBothSides : std::max(t.passes, n);
}

// By whole wavefronts, once for all four warps (sectored_shared.cpp has the measurement).
void GeneralMemory::product_read(const AccessPlan& plan) {
  const std::uint64_t wavefront = std::uint64_t{4} * banks_.count * banks_.bytes;
  product_bytes_ += plan.bytes;
  counters_.shared_wavefronts += product_bytes_ / wavefront;
  product_bytes_ %= wavefront;
}

// Of another SM of the cluster; an atomic has operands to carry there and an answer to carry back.
void GeneralMemory::remote_access(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  std::uint64_t sectors = 0;
  if (plan.returns) {
    sectors = atomic_rounds(expand(w, plan.bytes), plan.compare_and_swap, spec_).passes;
  } else {
    touched_.clear();
    touched_.add(expand(w, plan.bytes));
    sectors = touched_.sectors();
  }
  const std::uint64_t ways = plan.returns ? 2 : 1;
  counters_.remote_sectors += ways * sectors;
  counters_.l1_fill_sectors += ways * sectors;
  counters_.l1_write_sectors += ways * sectors;
  if (!path_) {
    t.done = t.now + sm_.latency_l2;
    return;
  }
  const bool read = plan.returns || plan.instructions == &LaunchCounters::inst_generic_ld;
  const bool write = plan.returns || !read;
  const std::uint64_t each =
      (read ? sm_.remote_read * kTicks / 1000 : 0) + (write ? sm_.remote_write * kTicks / 1000 : 0);
  const std::uint64_t start = path_->remote(t.sm, ways * sectors, sectors * each, t.now);
  t.done = start + sectors * each / kTicks + sm_.latency_remote;
  if (write) t.stored = t.done;
  // Work that the port has no time for stays in the load/store unit's queue.
  t.held = start - std::min(start, sm_.queue_cycles);
}

}  // namespace warpmem::model
