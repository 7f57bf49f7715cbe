// How the L1 hands an atomic or a reduction to the L2, where the arithmetic is.
//
// Measured on an H200 (kernels/micro/instructions.cu, kernels/micro/reduction_places.cu, driver
// 580, CUDA 13.0, 2026-11-21 and 2026-11-23; every operation and width alike): there are 128
// places, 32 words of each of the four tag banks. Lanes go in rounds. In each, of the lanes that
// are left and meet in a place (on one address, or on that word of two lines of the bank) the
// lowest has it; and each tag bank takes one line, that of its lowest lane. The lanes that have
// their place and whose line it is go. A round sends each sector that it needs once, the sectors of
// a line together; a compare-and-swap carries two operands, so that 64 bytes of a line travel
// together, not 128.
//
// So a line goes twice where one of its words is wanted on another line as well, by a lower lane
// that has not gone yet. All 1,200 cases of reduction_places.csv come out to the unit.
#pragma once

#include "model/access/access.hpp"
#include "model/cache/set_index.hpp"

namespace warpmem::model {

struct AtomicTraffic {
  int sectors = 0;   // sector passes: sectors, added up over rounds
  int requests = 0;  // L1 to L2 requests
  int lines = 0;     // distinct lines: tag requests
  int distinct = 0;  // distinct sectors
  // By distinct sector: its address / 32 and in how many rounds it is sent.
  std::array<std::uint64_t, 2 * kWarpLanes> sector;
  std::array<int, 2 * kWarpLanes> passes;
  std::array<int, 2 * kWarpLanes> whole;  // … of these, with all of its bytes
  std::array<int, 2 * kWarpLanes> alone;  // … of these, with one lane's word alone in its request
};

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap);
// The same for lines of another length and words of another width, in an L1 whose sets' lowest two
// bits are the bank of tags.
AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap, LineSize size,
                             std::uint32_t word_bytes, const SetIndex& sets);

}  // namespace warpmem::model
