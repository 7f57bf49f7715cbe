// How the L1 hands an atomic or a reduction to the L2, where the arithmetic is.
//
// Measured on an H200 (kernels/micro/instructions.cu, driver 580, CUDA 13.0, 2026-11-21; every
// operation and width alike): the lines of a request pass the tag stage four at a time, one in each
// tag bank; the lanes of such a group go in rounds, and lanes that meet in one of 128 four-byte places
// (on one address, or in two of the lines) go in different rounds, lower lanes first. A round sends
// each sector that it needs once, the sectors of a line together; a compare-and-swap carries two
// operands, so that 64 bytes of a line travel together, not 128.
//
// Equal to the unit where lanes meet on addresses of one line or of none. Where they meet across
// lines, which lines share places is not known, and the two lowest line bits are assumed to tell
// them apart: 32 random words of 4 KiB come out 0.4 % low (sectors).
#pragma once

#include "model/access.hpp"

namespace warpmem::model {

struct AtomicTraffic {
  int sectors = 0;   // sector passes: sectors, added up over rounds
  int requests = 0;  // L1 to L2 requests
  int lines = 0;     // distinct lines: tag requests
  int distinct = 0;  // distinct sectors
  // By distinct sector: its address / 32 and in how many rounds it is sent.
  std::array<std::uint64_t, 2 * kWarpLanes> sector;
  std::array<int, 2 * kWarpLanes> passes;
};

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap);

}  // namespace warpmem::model
