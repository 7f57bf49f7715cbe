// What the engine does with each static instruction, worked out once a launch from the record's
// site and the instruction's own text.
#pragma once

#include <cstdint>
#include <vector>

#include "model/shared/shared_banks.hpp"
#include "sim/code/emptying.hpp"
#include "sim/counters.hpp"
#include "isa/program.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

enum class Action : std::uint8_t {
  kIgnore, kGlobalLoad, kGlobalStore, kGlobalAtomic, kLocalLoad, kLocalStore, kShared, kRemote,
  kAsyncRead, kAsyncWrite, kBulkRead, kBulkWrite, kBulkReduce, kConstant, kBarrier, kBegin, kEnd, kRounds,
  kTexture, kSurfaceLoad, kSurfaceStore, kTexel, kProductRead
};

struct SitePlan {
  Action action = Action::kIgnore;
  bool bypass_l1 = false;          // looks in the L1 for nothing and leaves nothing (.cg, volatile, scoped)
  bool no_allocate = false;        // may hit, leaves nothing
  bool last_use = false;           // of a word of local memory (.lu)
  bool compare_and_swap = false;
  bool bulk = false;               // a record of a bulk copy: trace::piece_of
  bool multicast = false;          // a bulk copy into several CTAs of the cluster
  bool returns = false;            // an atomic whose value is used
  bool by_number = false;          // a texel by its number (TLD), not by coordinates
  bool gathers = false;            // a fetch of four texels (TLD4)
  bool empties_before = false;     // the L1 (code/emptying.hpp)
  bool empties_behind = false;
  std::uint32_t request_lanes = 4; // of a texture or surface: lanes that the texture unit takes at once
  std::uint32_t fetch_sectors = 0; // L2 prefetch hint, sectors
  std::uint32_t bytes = 0;
  std::uint32_t pc = 0;
  model::SharedKind shared = model::SharedKind::kLoad;
  std::uint64_t LaunchCounters::*instructions = nullptr;  // which instruction counter
};

std::vector<SitePlan> plan_sites(std::span<const trace::Site> sites, const trace::Program& program);

}  // namespace warpmem::sim
