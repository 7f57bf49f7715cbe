#include "model/system/access_by_access.hpp"

#include <algorithm>

#include "model/sink/cache_listener.hpp"

namespace warpmem::model {

void AccessByAccess::run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) {
  ++counters_.records;
  timing.begin();
  if (caches_told_) caches_told_->begin(plan, timing);
  if (plan.empties_before) empty_local(timing);
  if (!lanes.mask) return;
  if (plan.instructions) ++(counters_.*plan.instructions);
  access(lanes, plan, timing);
  happens(EventKind::kWait, Level::kL1, timing, timing.done - timing.now);
  if (plan.empties_behind) empty_local(timing);
}

bool AccessByAccess::in_host_memory(std::uint64_t line) const {
  const std::uint64_t address = line * line_bytes_;
  return std::any_of(host_.begin(), host_.end(), [address](const AddressRange& r) {
    return address >= r.base && address < r.base + r.bytes;
  });
}

}  // namespace warpmem::model
