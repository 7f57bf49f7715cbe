#include "model/system/early_memory.hpp"

#include <algorithm>

#include "model/system/local_line.hpp"

namespace warpmem::model {

EarlyMemory::EarlyMemory(const EarlySpec& spec, std::unique_ptr<MemoryPath> path)
    : spec_(spec), sink_(spec.line_bytes), memory_(spec_, path.get()) {
  path_ = std::move(path);
}

void EarlyMemory::begin_launch(const LaunchMemory& launch) {
  l1_.assign(spec_.sms, LineCache(spec_.l1_beside(launch.shared_config)));
  const std::uint32_t sharing = (spec_.sms + spec_.texture_sms - 1) / spec_.texture_sms;
  textures_.assign(spec_.has_texture_cache ? sharing : 0, LineCache(spec_.texture));
  memory_.begin(launch.flush_l2);
  sink_.counters = {};
  host_ = launch.host;
  if (path_) path_->clear();
  local_ = LocalMemory(launch.local_bytes, launch.largest_frame, spec_.warps);
}

LaunchCounters EarlyMemory::finish_launch() {
  memory_.sink.driver(spec_.launch_l2_read, spec_.launch_dram_read, 0);
  return counted();
}

LaunchCounters EarlyMemory::counted() const {
  LaunchCounters all = sink_.counters;
  all.l2 = memory_.sink.counters;
  if (!spec_.has_l2) return all;
  all.early.l2_read_transactions = all.l2.read + all.l2.atomic + all.l2.reduction;
  all.early.l2_write_transactions = all.l2.write + all.l2.atomic + all.l2.reduction;
  all.early.l2_read_hits = all.l2.read_hit + all.l2.atomic_hit + all.l2.reduction_hit;
  return all;
}

void EarlyMemory::tell(EventListener* listener) {
  sink_.tell(listener);
  memory_.sink.tell(listener);
}

void EarlyMemory::run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) {
  sink_.record();
  timing.begin();
  sink_.begins(plan, timing);
  if (plan.empties_before) l1(timing).invalidate(kLocalLine);
  if (!lanes.mask) return;
  sink_.instruction(plan);
  access(lanes, plan, timing);
  sink_.ends(timing);
  if (plan.empties_behind) l1(timing).invalidate(kLocalLine);
}

bool EarlyMemory::in_host_memory(std::uint64_t line) const {
  const std::uint64_t address = line * spec_.line_bytes;
  return std::any_of(host_.begin(), host_.end(), [address](const AddressRange& r) {
    return address >= r.base && address < r.base + r.bytes;
  });
}

void EarlyMemory::access(const WarpLanes& w, const AccessPlan& plan, AccessTiming& t) {
  switch (plan.action) {
    case Action::kGlobalLoad:
    case Action::kAsyncRead: return global_load(expand(w, plan.bytes), plan, t);
    case Action::kGlobalStore: return global_store(expand(w, plan.bytes), plan, t);
    case Action::kGlobalAtomic: return global_atomic(expand(w, plan.bytes), plan, t);
    case Action::kLocalLoad:
    case Action::kLocalStore: return local_access(w, plan, t);
    case Action::kShared:
    case Action::kAsyncWrite: return shared_access(expand(w, plan.bytes), plan, t);
    case Action::kConstant: return constants(w, plan);
    default: return;
  }
}

std::uint64_t EarlyMemory::read(AccessTiming& t, std::uint64_t at, std::uint64_t line,
                                std::uint8_t sectors, bool texture) {
  t.left_sm = true;
  ++t.missed;
  sink_.fill(t, line, sectors_in(sectors));
  return in_host_memory(line) ? memory_.host(t.sm, sectors, false, at)
         : texture            ? memory_.read_texture(t.sm, line, sectors, at)
                              : memory_.read(t.sm, line, sectors, at);
}

void EarlyMemory::write(AccessTiming& t, const LineTouch& touch, std::uint8_t moved,
                        std::uint64_t at) {
  t.left_sm = true;
  sink_.sends(t, touch.line, sectors_in(moved));
  const std::uint64_t there = in_host_memory(touch.line) ? memory_.host(t.sm, moved, true, at)
                                                         : memory_.write(t.sm, touch, moved, at);
  t.stored = std::max(t.stored, there);
  t.sent = std::max(t.sent, memory_.sent(at));
}

// A line of local memory that had to go for another.
void EarlyMemory::write_pushed(LineCache& cache, AccessTiming& t) {
  const auto pushed = cache.take_pushed();
  if (!pushed) return;
  LineTouch line;
  line.line = pushed->line;
  line.sectors = line.full = pushed->sectors;
  for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
    if (pushed->sectors >> s & 1) line.bytes[s] = ~0u;
  write(t, line, line.sectors, t.now);
}

}  // namespace warpmem::model
