#include "model/system/shaped_memory.hpp"

#include <algorithm>

#include "model/system/any_shape.hpp"
#include "model/system/beyond_l1.hpp"

namespace warpmem::model {
namespace {

// What no instruction of an early GPU does.
bool exists_early(Action action) {
  return action != Action::kRemote && action != Action::kPrefetch &&
         action != Action::kProductRead && action != Action::kBulkRead &&
         action != Action::kBulkWrite && action != Action::kBulkReduce;
}

// … and asks for.
AccessPlan as_early(AccessPlan plan) {
  plan.no_allocate = plan.last_use = plan.sums_floats = false;
  plan.fetch_sectors = 0;
  plan.stay = Stay::kUnsaid;
  return plan;
}

}  // namespace

template <class Shape>
ShapedMemory<Shape>::ShapedMemory(const SystemSpec& spec, bool timed)
    : sm_(spec.sm),
      launch_(spec.launch),
      spec_(spec.memory),
      line_(spec_.line_bytes),
      sink_(spec_.line_bytes),
      l2_(Shape::of_l2(spec.l2, spec_)),
      latency_l1_(spec.sm.latency_l1) {
  if (!timed) return;
  path_ = std::make_unique<MemoryPath>(spec.path);
  l2_.take(path_.get());
}

// The L1s are empty, and as large as shared memory leaves them.
template <class Shape>
void ShapedMemory<Shape>::renew_l1s(const LaunchMemory& launch) {
  if constexpr (Shape::kAsCard) {
    l1_.clear();
    while (l1_.size() < sm_.count) l1_.emplace_back(spec_.l1, spec_.l1.lines(launch.shared_config));
    for (std::size_t sm = 0; sm < l1_.size(); ++sm)
      l1_[sm].listen(sink_.caches(), static_cast<int>(sm));
    textures_.clear();
    if (const auto& t = spec_.texture)
      while (textures_.size() * spec_.texture_sms < sm_.count)
        textures_.emplace_back(*t, t->bytes / t->line_bytes);
  } else {
    const L1CacheSpec spec = spec_.l1.cache(launch.shared_config);
    if (!l1_.empty() && l1_.front().spec() == spec) {
      for (L1& l1 : l1_) l1.reset();
      return;
    }
    l1_.clear();
    l1_memory_.release();
    l1_.reserve(sm_.count);
    while (l1_.size() < sm_.count) {
      L1CacheSpec own = spec;
      // The first one says for all which set a line belongs to.
      if (!l1_.empty() && !served_.empty() && !served_[l1_.size()]) own.sets = L1::kBanks;
      l1_.emplace_back(own, &l1_memory_);
    }
  }
}

template <class Shape>
void ShapedMemory<Shape>::begin_launch(const LaunchMemory& launch) {
  renew_l1s(launch);
  stores_.assign(sm_.count, StoreQueue(static_cast<std::uint32_t>(spec_.l1.store_entries),
                                       static_cast<std::uint32_t>(spec_.l1.store_cycles)));
  if (launch.flush_l2) l2_.flush(launch_.dirty);
  else l2_.settle();
  l2_.set_aside(launch.set_aside);
  if (launch.ends_persisting) l2_.end_persisting();
  l2_.begin_launch();
  if (!is_early()) {
    l2_.fetch_granularity(static_cast<std::uint32_t>(launch.fetch_bytes / kSectorBytes));
    l2_.fetch_code(launch.code, launch.flush_l2);
  }
  sink_.counters = {};
  product_bytes_ = 0;
  host_ = launch.host;
  window_ = is_early() ? PolicyWindow{} : launch.window;
  plain_ = host_.empty() && window_.bytes == 0;
  if (path_) {
    path_->clear();
    ports_.assign(sm_.count, {});
    if (spec_.l1.misses > 0) misses_.assign(sm_.count, MissEntries(spec_.l1.misses));
  }
  remote_read_ = sm_.remote_read * kTicks / 1000;
  remote_write_ = sm_.remote_write * kTicks / 1000;
  local_ = LocalMemory(launch.local_bytes, launch.largest_frame, sm_.warps);
}

template <class Shape>
void ShapedMemory<Shape>::starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) {
  ports_[static_cast<std::size_t>(sm)].takes_reads(cycle, warps * sm_.warp_start);
}

template <class Shape>
LaunchCounters ShapedMemory<Shape>::finish_launch() {
  l2_.sink().driver(launch_.l2_read, launch_.dram_read, launch_.fabric);
  sink_.counters.l2 = l2_.counters();
  return is_early() ? counted() : sink_.counters;
}

template <class Shape>
void ShapedMemory<Shape>::add(const LaunchCounters& counted, std::uint64_t product_bytes) {
  sink_.counters.l2 = l2_.counters();
  sink_.counters = sink_.counters + counted;
  l2_.sink().counters = sink_.counters.l2;
  AccessPlan rest;
  rest.bytes = static_cast<std::uint32_t>(product_bytes);
  product_read(rest);
}

template <class Shape>
LaunchCounters ShapedMemory<Shape>::counted() const {
  LaunchCounters all = sink_.counters;
  all.l2 = l2_.counters();
  if (is_early() && spec_.l2.present) count_l2(all.l2, all.early);
  return all;
}

template <class Shape>
void ShapedMemory<Shape>::run(const WarpLanes& w, const AccessPlan& plan, AccessTiming& place) {
  run(w, plan, place, nullptr);
}

template <class Shape>
void ShapedMemory<Shape>::run(const WarpLanes& w, const AccessPlan& plan, AccessTiming& place,
                              const Lines* prepared) {
  sink_.record();
  place.begin();
  sink_.begins(plan, place);
  if (plan.invalidates_before) [[unlikely]]
    invalidate_l1(place.sm);
  if (!w.mask) return;
  sink_.instruction(plan);
  if (is_early()) access(w, as_early(plan), place, prepared);
  else access(w, plan, place, prepared);
  sink_.ends(place);
  if (plan.invalidates_after) [[unlikely]]
    invalidate_l1(place.sm);
}

template <class Shape>
void ShapedMemory<Shape>::invalidate_l1(int sm) {
  l1_[static_cast<std::size_t>(sm)].invalidate(kLocalLine);
}

template <class Shape>
inline void ShapedMemory<Shape>::access(const WarpLanes& w, const AccessPlan& plan,
                                        AccessTiming& place, const Lines* prepared) {
  if constexpr (Shape::kAsCard)
    if (is_early() && !exists_early(plan.action)) return;
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
    case Action::kConstant: constants(w, plan); break;
    case Action::kRemote: remote_access(w, plan, place); break;
    case Action::kPrefetch: prefetch_l2(w, plan, place); break;
    case Action::kProductRead: product_read(plan); break;
    case Action::kBulkRead:
    case Action::kBulkReduce:
    case Action::kBulkWrite: bulk(w, plan, place); break;
    default: break;
  }
}

namespace {

SystemSpec flat(SystemSpec spec) {
  MemorySpec& memory = spec.memory;
  memory.latency = {memory.latency.near_cycles, 0, 0, 0, 0};
  memory.far_cycles = 0;
  memory.dram_sectors_per_kilocycle = ~0u;
  return spec;
}

}  // namespace

GeneralMemory::GeneralMemory(const SystemSpec& spec, bool timed, bool is_flat)
    : ShapedMemory(is_flat ? flat(spec) : spec, timed) {}

void GeneralMemory::listen(EventListener* listener) {
  sink_.listen(listener);
  l2_.listen(listener);
}

void GeneralMemory::listen_to_caches(CacheListener* listener) {
  sink_.listen_to_caches(listener);
  l2_.listen_to_caches(listener);
}

// What other files call, and no more (access() is part of its caller then).
#define WARPMEM_MAKE(S)                                                                   \
  template ShapedMemory<S>::ShapedMemory(const SystemSpec&, bool);                        \
  template void ShapedMemory<S>::begin_launch(const LaunchMemory&);                       \
  template void ShapedMemory<S>::starts_warps(int, std::uint64_t, std::uint32_t);         \
  template LaunchCounters ShapedMemory<S>::finish_launch();                               \
  template LaunchCounters ShapedMemory<S>::counted() const;                               \
  template void ShapedMemory<S>::add(const LaunchCounters&, std::uint64_t);               \
  template void ShapedMemory<S>::run(const WarpLanes&, const AccessPlan&, AccessTiming&); \
  template void ShapedMemory<S>::run(const WarpLanes&, const AccessPlan&, AccessTiming&,  \
                                     const Lines*);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
