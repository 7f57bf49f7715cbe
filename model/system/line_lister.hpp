// What a memory system can do beside run(): list the lines of a global access before its turn, so
// that what it will look at is in the host's cache by then.
#pragma once

#include "model/access/access_plan.hpp"
#include "model/access/access_timing.hpp"
#include "model/access/warp_lanes.hpp"
#include "model/system/sectored_shape.hpp"

namespace warpmem::model {

class LineLister {
 public:
  using Lines = SectoredLines::Lines;

  // Changes nothing. For sites that SectoredLines::prepares().
  virtual void prepare(const WarpLanes& lanes, const AccessPlan& plan, int sm, Lines& out) = 0;
  // MemorySystem::run() of an access of which prepare() has listed the lines.
  virtual void run_prepared(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing,
                            const Lines& lines) = 0;

 protected:
  ~LineLister() = default;
};

}  // namespace warpmem::model
