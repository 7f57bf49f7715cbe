// Listens to every use of the caches of a GeneralMemory, in the order in which they happen: what
// a cache of another size would have been asked for as well.
#pragma once

#include <cstdint>

#include "model/access/access.hpp"
#include "model/access/access_plan.hpp"
#include "model/access/access_timing.hpp"

namespace warpmem::model {

enum class CacheUse : std::uint8_t {
  kLoad,
  kLoadPast,  // a load that may hit, and leaves nothing
  kLoadLast,  // a load that gives the line up
  kStore,     // `touch.full`: sectors that it writes whole
  kDrop,      // sectors that are no longer there
};

class CacheListener {
 public:
  virtual ~CacheListener() = default;
  // An access begins; uses that follow are its own.
  virtual void begin(const AccessPlan& plan, const AccessTiming& timing) = 0;
  virtual void l1(int sm, CacheUse use, const LineTouch& touch) = 0;
  // All lines below this one are forgotten.
  virtual void l1_invalidate(int sm, std::uint64_t below) = 0;
  virtual void l2(std::uint32_t partition, CacheUse use, const LineTouch& touch) = 0;
  virtual void l2_clear() = 0;
};

}  // namespace warpmem::model
