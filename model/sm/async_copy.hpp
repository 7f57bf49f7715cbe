// What an asynchronous copy from global to shared memory (LDGSTS) makes of its two sides. Measured
// on an H200 (kernels/micro/async_shapes.cu, tests/model/async_copy.cpp replays it): rows of lanes
// that lie apart on one side and otherwise on the other, and random places.
//
// Past the L1 (16 bytes a lane, .cg) the sectors that come from the L2 are written to shared memory
// as they come. One request asks for sectors of one line that go to one 128-byte row, all of them
// whole, or all the same half; a sector of which the halves go to two places is asked for twice.
// Sectors may change places within the row, but for even with odd ones only all together. 302 of
// 304 cases.
//
// Through the L1 (.ca) lanes whose destinations share banks go one after the other, in lane order;
// of those that go together, the ones whose sources lie in one bank do as well. 816 of 912 cases:
// all but 30 of those in rows, two in three of the random ones; the others are mostly one off.
//
// Left out: copies of fewer bytes than a lane's width (the rest is filled with zeros).
#pragma once

#include <array>
#include <cstdint>

#include "model/access/access.hpp"
#include "model/general/set_index.hpp"

namespace warpmem::model {

struct PastL1 {
  struct Request {
    std::uint64_t line = 0;  // address / 128
    std::uint8_t sectors = 0;
  };
  std::array<Request, kWarpLanes> request;
  int count = 0;              // requests, which are wavefronts of shared memory, too
  int sectors = 0;            // as the profiler counts them: of shared memory, for each line
  int output_wavefronts = 0;  // lines that are looked up together, by rows four apart
};

// Both sides have the same lanes, 16 bytes each, at multiples of 16.
PastL1 copy_past_l1(const WarpAccess& from, const WarpAccess& to);
// The same for lines of another length, in an L1 whose sets' lowest bits are the bank of tags.
PastL1 copy_past_l1(const WarpAccess& from, const WarpAccess& to, std::uint64_t line_bytes,
                    const SetIndex& sets);

// Wavefronts of shared memory that a copy through the L1 takes.
int copy_wavefronts(const WarpAccess& from, const WarpAccess& to);

}  // namespace warpmem::model
