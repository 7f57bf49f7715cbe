// The shape of a memory system: what the compiler has to know of one to make it fast. This one is
// for lines of four sectors; any_shape.hpp has the other.
//
//   L1, L2   the parts, which have the same functions in all shapes
//   Sink     who is notified of what happens (sink/)
//   Lines    the lines of a global access, and where L1 and L2 have them
//   of_l2    what the L2 is made of
//   kAsCard  lines, banks, and what the L1 keeps are as the card says; else they are those of
//            SectoredShape, and the compiler knows them
#pragma once

#include <array>
#include <memory>

#include "model/access/access_plan.hpp"
#include "model/cache/l1_cache.hpp"
#include "model/general/memory_spec.hpp"
#include "model/interconnect/memory_path.hpp"
#include "model/l2/l2_cache.hpp"
#include "model/l2/l2_requests.hpp"
#include "model/sink/counting.hpp"

namespace warpmem::model {

// Lists of lines of four sectors, which are the same whatever L2 is behind the L1s.
struct SectoredLines {
  // The lines of a global access, and where the caches have them.
  struct Lines : L2Cache::Routed {
    L1Cache::SetTags l1;
    std::unique_ptr<MemoryPath::Addresses> addresses;  // of loads, where time is kept
  };

  // Lines of accesses of whole sectors of one line each, of any SMs, and where the caches have
  // them (one_line.hpp).
  struct OneLines {
    L2Cache::Routed l2;
    std::array<std::uint32_t, LineList::kMost> l1_set;
  };
  // One of them.
  struct OneLine {
    const OneLines& of;
    std::size_t at;
    std::uint8_t sectors;

    std::uint64_t line() const { return of.l2.line[at]; }
    std::uint32_t l1_set() const { return of.l1_set[at]; }
    L2Cache::Route l2() const { return of.l2.route(at); }
    L2Cache::Draw draw() const { return {of.l2.near[at], of.l2.dram[at]}; }
  };

  // Whether the site's records are for prepare().
  static bool prepares(const AccessPlan& plan) {
    return plan.action == Action::kGlobalLoad || plan.action == Action::kGlobalStore ||
           plan.action == Action::kAsyncRead;
  }
  // Whether load() and store() may take the place of run() for this site: the bytes a lane, or 0.
  static std::uint32_t bytes_of_lines(const AccessPlan& plan) {
    const bool load = plan.action == Action::kGlobalLoad && !plan.bypass_l1;
    const bool other = plan.invalidates_before || plan.invalidates_after || !plan.instructions ||
                       plan.stay != Stay::kUnsaid;
    return (load || plan.action == Action::kGlobalStore) && !other && plan.bytes <= 4 ? plan.bytes
                                                                                      : 0;
  }
};

// 128-byte lines of four 32-byte sectors, as GPUs since compute capability 7.0 have them: L1s of up
// to 32 ways that write through and allocate, one L2 on one or two sides. `L2Part`: L2Cache, or
// L2Requests (l2/l2_requests.hpp), which writes down what some of the SMs ask for while others run,
// and whose answers come later.
template <class L2Part>
struct SectoredShape {
  static constexpr bool kAsCard = false;
  using L1 = L1Cache;
  using L2 = L2Part;
  using Sink = Counting;
  using Lines = SectoredLines::Lines;
  static const L2Spec& of_l2(const L2Spec& l2, const MemorySpec&) { return l2; }
};

}  // namespace warpmem::model
