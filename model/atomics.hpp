// How the L1 hands an atomic or a reduction to the L2, where the arithmetic is.
//
// Measured on an H200 (kernels/micro/instructions.cu, driver 580, CUDA 13.0, 2026-11-21; every
// operation and width alike): lanes on one address go in separate rounds; a sector is sent once in
// each round that needs it, and the sectors of one line in one round travel together. A
// compare-and-swap carries two operands, so that 64 bytes of a line travel together, not 128.
#pragma once

#include "model/access.hpp"

namespace warpmem::model {

struct AtomicTraffic {
  int sectors = 0;   // sector passes: for each sector, the most lanes on one address in it
  int requests = 0;  // L1 to L2 requests
  int lines = 0;     // distinct lines: tag requests
  int distinct_sectors = 0;
};

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap);

// Sector passes of each distinct sector, for the cache: (sector address / 32, passes).
struct SectorPasses {
  std::array<std::uint64_t, kWarpLanes> sector;
  std::array<int, kWarpLanes> passes;
  int count = 0;
};
void atomic_sectors(const WarpAccess& access, SectorPasses& out);

}  // namespace warpmem::model
