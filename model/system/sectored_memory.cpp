#include "model/system/sectored_memory.hpp"

#include <algorithm>

#include "model/system/sectored_beyond.hpp"

namespace warpmem::model {

template <class L2>
SectoredMemoryOf<L2>::SectoredMemoryOf(const SystemSpec& spec, bool timed)
    : sm_(spec.sm),
      launch_(spec.launch),
      spec_(spec.memory),
      latency_l1_(spec.sm.latency_l1),
      l2_(spec.l2) {
  if (!timed) return;
  path_ = std::make_unique<MemoryPath>(spec.path);
  l2_.take(path_.get());
}

template <class L2>
void SectoredMemoryOf<L2>::begin_launch(const LaunchMemory& launch) {
  const L1CacheSpec spec = spec_.l1.cache(launch.shared_config);
  if (l1_.empty() || l1_.front().spec() != spec) {
    l1_.clear();
    l1_memory_.release();
    l1_.reserve(sm_.count);
    while (l1_.size() < sm_.count) {
      L1CacheSpec own = spec;
      // The first one says for all which set a line belongs to.
      if (!l1_.empty() && !served_.empty() && !served_[l1_.size()]) own.sets = L1Cache::kBanks;
      l1_.emplace_back(own, &l1_memory_);
    }
  } else {
    for (L1Cache& l1 : l1_) l1.reset();
  }
  stores_.assign(sm_.count, StoreQueue(static_cast<std::uint32_t>(spec_.l1.store_entries),
                                       static_cast<std::uint32_t>(spec_.l1.store_cycles)));
  if (launch.flush_l2) l2_.flush(launch_.dirty);
  else l2_.settle();
  l2_.set_aside(launch.set_aside);
  if (launch.ends_persisting) l2_.end_persisting();
  l2_.fetch_granularity(static_cast<std::uint32_t>(launch.fetch_bytes / kSectorBytes));
  l2_.counters() = {};
  l2_.fetch_code(launch.code, launch.flush_l2);
  counters_ = {};
  product_bytes_ = 0;
  host_ = launch.host;
  window_ = launch.window;
  plain_ = host_.empty() && window_.bytes == 0;
  if (path_) {
    path_->clear();
    ports_.assign(sm_.count, {});
  }
  remote_read_ = sm_.remote_read * kTicks / 1000;
  remote_write_ = sm_.remote_write * kTicks / 1000;
  local_ = LocalMemory(launch.local_bytes, launch.largest_frame, sm_.warps);
}

template <class L2>
void SectoredMemoryOf<L2>::starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) {
  ports_[static_cast<std::size_t>(sm)].takes_reads(cycle, warps * sm_.warp_start);
}

template <class L2>
LaunchCounters SectoredMemoryOf<L2>::finish_launch() {
  l2_.counters().launch_read += launch_.l2_read;
  l2_.counters().dram_read += launch_.dram_read;
  l2_.counters().fabric_launch += launch_.fabric;
  counters_.l2 = l2_.counters();
  return counters_;
}

template <class L2>
void SectoredMemoryOf<L2>::add(const LaunchCounters& counted, std::uint64_t product_bytes) {
  const L2Counters own = l2_.counters();
  counters_.l2 = own;
  counters_ = counters_ + counted;
  l2_.counters() = counters_.l2;
  AccessPlan rest;
  rest.bytes = static_cast<std::uint32_t>(product_bytes);
  product_read(rest);
}

template <class L2>
LaunchCounters SectoredMemoryOf<L2>::counted() const {
  LaunchCounters all = counters_;
  all.l2 = l2_.counters();
  return all;
}

template <class L2>
void SectoredMemoryOf<L2>::run(const WarpLanes& w, const AccessPlan& plan, AccessTiming& place) {
  run(w, plan, place, nullptr);
}

template <class L2>
void SectoredMemoryOf<L2>::run(const WarpLanes& w, const AccessPlan& plan, AccessTiming& place,
                               const Lines* prepared) {
  ++counters_.records;
  place.begin();
  if (plan.empties_before) [[unlikely]]
    empty_l1(place.sm);
  if (!w.mask) return;
  if (plan.instructions) ++(counters_.*plan.instructions);
  access(w, plan, place, prepared);
  if (plan.empties_behind) [[unlikely]]
    empty_l1(place.sm);
}

template <class L2>
void SectoredMemoryOf<L2>::empty_l1(int sm) {
  l1_[static_cast<std::size_t>(sm)].invalidate(kLocalLine);
}

template <class L2>
inline void SectoredMemoryOf<L2>::access(const WarpLanes& w, const AccessPlan& plan,
                                         AccessTiming& place, const Lines* prepared) {
  switch (plan.action) {
    case Action::kGlobalLoad:
    case Action::kAsyncRead:
    case Action::kGlobalStore:
      if (!prepared) {
        prepare(w, plan, place.sm, lines_);
        prepared = &lines_;
      }
      if (plan.action == Action::kGlobalStore) global_store(w, plan, place, *prepared);
      else global_load(w, plan, place, *prepared);
      break;
    case Action::kGlobalAtomic: global_atomic(w, plan, place); break;
    case Action::kLocalLoad:
    case Action::kLocalStore: local_access(w, plan, place); break;
    case Action::kShared:
    case Action::kAsyncWrite: shared_access(w, plan, place); break;
    case Action::kRemote: remote_access(w, plan, place); break;
    case Action::kPrefetch: prefetch_l2(w, plan, place); break;
    case Action::kProductRead: product_read(plan); break;
    case Action::kBulkRead:
    case Action::kBulkReduce:
    case Action::kBulkWrite: bulk(w, plan, place); break;
    default: break;
  }
}

// What other files call, and no more (access() is part of its caller then).
#define WARPMEM_SECTORED_MEMORY(L2)                                                            \
  template SectoredMemoryOf<L2>::SectoredMemoryOf(const SystemSpec&, bool);                    \
  template void SectoredMemoryOf<L2>::begin_launch(const LaunchMemory&);                       \
  template void SectoredMemoryOf<L2>::starts_warps(int, std::uint64_t, std::uint32_t);         \
  template LaunchCounters SectoredMemoryOf<L2>::finish_launch();                               \
  template LaunchCounters SectoredMemoryOf<L2>::counted() const;                               \
  template void SectoredMemoryOf<L2>::add(const LaunchCounters&, std::uint64_t);               \
  template void SectoredMemoryOf<L2>::run(const WarpLanes&, const AccessPlan&, AccessTiming&); \
  template void SectoredMemoryOf<L2>::run(const WarpLanes&, const AccessPlan&, AccessTiming&,  \
                                          const Lines*)
WARPMEM_SECTORED_MEMORY(L2Cache);
WARPMEM_SECTORED_MEMORY(L2Requests);
#undef WARPMEM_SECTORED_MEMORY

}  // namespace warpmem::model
