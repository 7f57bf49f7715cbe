#include "model/system/general_memory.hpp"

#include <algorithm>
#include <map>

#include "model/system/local_line.hpp"

namespace warpmem::model {

namespace {

MemorySpec flat_spec(MemorySpec spec) {
  spec.latency = {spec.latency.near_cycles, 0, 0, 0, 0};
  spec.far_cycles = 0;
  spec.dram_sectors_per_kilocycle = ~0u;
  return spec;
}

}  // namespace

GeneralMemory::GeneralMemory(const SystemSpec& spec, std::unique_ptr<MemoryPath> path, bool flat)
    : AccessByAccess(spec.memory.line_bytes, std::move(path)),
      sm_(spec.sm),
      launch_(spec.launch),
      spec_(flat ? flat_spec(spec.memory) : spec.memory),
      banks_{spec_.banks, spec_.bank_bytes},
      l2_(spec_, path_.get()),
      touched_(spec_.line_bytes) {}

void GeneralMemory::begin_launch(const LaunchMemory& launch) {
  l1_.assign(sm_.count, SectorCache(spec_.l1, spec_.l1.lines(launch.shared_config)));
  if (caches_told_)
    for (std::size_t sm = 0; sm < l1_.size(); ++sm)
      l1_[sm].tell(caches_told_, static_cast<int>(sm));
  stores_.assign(sm_.count, StoreQueue(spec_.l1.store_entries, spec_.l1.store_cycles));
  if (launch.flush_l2) l2_.flush();
  else l2_.settle();
  l2_.set_aside(launch.set_aside);
  if (launch.ends_persisting) l2_.end_persisting();
  l2_.fetch_granularity(static_cast<std::uint32_t>(
      std::min<std::uint64_t>(launch.fetch_bytes, spec_.line_bytes) / kSectorBytes));
  l2_.counters = {};
  l2_.begin();
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
  local_ = LocalMemory(launch.local_bytes, launch.largest_frame, sm_.warps);
}

void GeneralMemory::starts_warps(int sm, std::uint64_t cycle, std::uint32_t warps) {
  ports_[static_cast<std::size_t>(sm)].takes_reads(cycle, warps * sm_.warp_start);
}

LaunchCounters GeneralMemory::finish_launch() {
  l2_.counters.launch_read += launch_.l2_read;
  l2_.counters.dram_read += launch_.dram_read;
  l2_.counters.fabric_launch += launch_.fabric;
  counters_.l2 = l2_.counters;
  return counters_;
}

LaunchCounters GeneralMemory::counted() const {
  LaunchCounters all = counters_;
  all.l2 = l2_.counters;
  return all;
}

void GeneralMemory::tell(EventListener* listener) {
  AccessByAccess::tell(listener);
  l2_.tell(listener);
}

void GeneralMemory::tell_caches(CacheListener* listener) {
  caches_told_ = listener;
  l2_.tell_caches(listener);
}

void GeneralMemory::access(const WarpLanes& w, const AccessPlan& plan, AccessTiming& timing) {
  switch (plan.action) {
    case Action::kGlobalLoad:
    case Action::kAsyncRead: return global_load(w, plan, timing);
    case Action::kGlobalStore: return global_store(w, plan, timing);
    case Action::kGlobalAtomic: return global_atomic(w, plan, timing);
    case Action::kLocalLoad:
    case Action::kLocalStore: return local_access(w, plan, timing);
    case Action::kShared: return shared_access(w, plan, timing);
    case Action::kAsyncWrite: return async_write(w, plan, timing);
    case Action::kRemote: return remote_access(w, plan, timing);
    case Action::kPrefetch: return prefetch_l2(w, plan, timing);
    case Action::kProductRead: return product_read(plan);
    case Action::kBulkRead:
    case Action::kBulkReduce:
    case Action::kBulkWrite: return bulk(w, plan, timing);
    default: return;
  }
}

// An access's own eviction priority goes before the window's.
Stay GeneralMemory::stay(std::uint64_t line, Stay own) const {
  return own != Stay::kUnsaid || window_.bytes == 0 ? own
                                                    : stay_in(window_, line, spec_.line_bytes);
}

std::uint64_t GeneralMemory::read(AccessTiming& t, std::uint64_t at, std::uint64_t line,
                                  std::uint8_t sectors, std::uint32_t fetch_sectors, Stay own,
                                  bool apart) {
  if (!sectors) return t.now;
  t.left_sm = true;
  ++t.missed;
  counters_.l1_fill_sectors += sectors_in(sectors);
  happens(EventKind::kFill, Level::kL1, t, sectors_in(sectors), line);
  if (in_host_memory(line)) return l2_.read_host(sectors, at);
  const auto of_line = static_cast<std::uint32_t>(spec_.line_bytes / kSectorBytes);
  const std::uint64_t back =
      l2_.read(t.sm, line, sectors, at, {std::min(fetch_sectors, of_line), stay(line, own), apart});
  // L2::256B has DRAM bring the rest of the block as well, for nobody (sectored_global.cpp).
  if (fetch_sectors > of_line) {
    L2Counters& counters = l2_.counters;
    const std::uint64_t asked = counters.prefetch, crossed = counters.fabric_prefetch;
    l2_.bring(t.sm, line ^ 1, static_cast<std::uint8_t>((1u << of_line) - 1), at, own);
    counters.prefetch = asked, counters.fabric_prefetch = crossed;
  }
  return back;
}

void GeneralMemory::write(AccessTiming& t, const LineTouch& touch, std::uint64_t tags,
                          std::uint64_t data) {
  StoreQueue& queue = stores_[static_cast<std::size_t>(t.sm)];
  const StoreQueue::Taken taken =
      queue.take(touch.line, touch.sectors, std::max(tags, t.held), data);
  t.held = std::max(t.held, taken.at);
  send(t, touch, taken.again, taken.opens, std::max(t.now, taken.at));
  // Where stores queue, a later one finds the earlier one still there.
  queue.keep_until(t.sent);
}

void GeneralMemory::send(AccessTiming& t, const LineTouch& touch, std::uint8_t again, bool opens,
                         std::uint64_t at) {
  const auto sectors = static_cast<std::uint8_t>(touch.sectors & ~again);
  counters_.l1_write_sectors += sectors_in(sectors);
  happens(EventKind::kWriteBack, Level::kL1, t, sectors_in(sectors), touch.line);
  t.left_sm = true;
  const std::uint64_t there =
      in_host_memory(touch.line)
          ? l2_.write_host(sectors, t.sm, at)
          : l2_.write(t.sm, touch, again, opens, at, of_write(stay(touch.line, Stay::kUnsaid)));
  t.stored = std::max(t.stored, there);
  t.sent = std::max(t.sent, l2_.sent(at));
}

// Lines in the fullest bank of tags.
std::uint32_t GeneralMemory::tag_passes(const std::vector<LineTouch>& lines) const {
  std::map<std::uint32_t, std::uint32_t> of_bank;
  std::uint32_t most = 0;
  for (const LineTouch& t : lines)
    most = std::max(most, ++of_bank[spec_.l1.index(t.line) % spec_.l1.tag_banks]);
  return most;
}

}  // namespace warpmem::model
