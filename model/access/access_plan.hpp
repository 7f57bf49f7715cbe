// What the memory system does with the accesses of one static instruction: worked out once, for all
// of its executions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/access/shared_kind.hpp"
#include "model/access/stay.hpp"
#include "model/access/warp_lanes.hpp"
#include "model/counters/launch_counters.hpp"

namespace warpmem::model {

enum class Action : std::uint8_t {
  kIgnore,
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kLocalLoad,
  kLocalStore,
  kShared,
  kRemote,
  kAsyncRead,
  kAsyncWrite,
  kBulkRead,
  kBulkWrite,
  kBulkReduce,
  kConstant,
  kBarrier,
  kBegin,
  kEnd,
  kRounds,
  kTexture,
  kSurfaceLoad,
  kSurfaceStore,
  kTexel,
  kProductRead,
  kPrefetch
};

// What a prefetch or a request on a line of the L2 wants of it.
enum class LineRequest : std::uint8_t { kBring, kChange, kDiscard };

struct AccessPlan {
  Action action = Action::kIgnore;
  bool bypass_l1 = false;  // looks in the L1 for nothing and leaves nothing (.cg, volatile, scoped)
  bool asks_l1 = false;    // .ca: goes through an L1 that caches loads only when asked
  bool read_only = false;  // .nc: nobody writes it while the kernel runs
  bool no_allocate = false;  // may hit, leaves nothing
  bool last_use = false;     // of a word of local memory (.lu)
  bool compare_and_swap = false;
  bool sums_floats = false;         // an atomic that adds floats or halves
  bool bulk = false;                // a record of a bulk copy: several records, or one
  bool multicast = false;           // a bulk copy into several CTAs of the cluster
  bool returns = false;             // an atomic whose value is used
  bool by_number = false;           // a texel by its number (TLD), not by coordinates
  bool gathers = false;             // a fetch of four texels (TLD4)
  bool invalidates_before = false;  // the L1 (code/l1_invalidation.hpp)
  bool invalidates_after = false;
  std::uint32_t request_lanes =
      4;  // of a texture or surface: lanes that the texture unit takes at once
  std::uint32_t fetch_sectors = 0;  // L2 prefetch hint, sectors
  Stay stay = Stay::kUnsaid;        // the access's own eviction priority
  LineRequest line_request = LineRequest::kBring;
  std::uint32_t bytes = 0;
  std::uint32_t pc = 0;
  SharedKind shared = SharedKind::kLoad;
  std::uint64_t LaunchCounters::*instructions = nullptr;  // which instruction counter
};

// Of so many passes of an atomic over a sector, so many over all of it and so many of a lane alone,
// those that take a slice twice as long: two operands a word, or sums of 8 bytes (measured:
// kernels/micro/atomic_words.cu).
inline std::uint32_t passes_twice(const AccessPlan& plan, int passes, int whole, int alone) {
  if (plan.compare_and_swap) return static_cast<std::uint32_t>(std::max(0, passes - alone));
  return plan.sums_floats && plan.bytes == 8 ? static_cast<std::uint32_t>(whole) : 0;
}

// What all lanes of an access ask for.
inline std::uint64_t bytes_asked(const WarpLanes& w, const AccessPlan& plan) {
  return static_cast<std::uint64_t>(w.active()) * plan.bytes;
}

}  // namespace warpmem::model
