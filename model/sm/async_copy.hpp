// What an asynchronous copy from global to shared memory (LDGSTS) makes of its two sides. Measured
// on an H200 (kernels/micro/async_shapes.cu, tests/model/async_copy.cpp replays it): rows of lanes
// that lie apart on one side and otherwise on the other, and random places.
//
// Past the L1 (16 bytes a lane, .cg) the sectors that come from the L2 are written to shared memory
// as they come. One request asks for sectors of one line that go to one 128-byte row, all of them
// whole, or all the same half; a sector of which the halves go to two places is asked for twice.
// Sectors may change places within the row, but for even with odd ones only all together. 302 of
// 304 cases. Lanes that are filled with zeros ask for nothing; where there are any, the wavefronts
// of the same copy through the L1 come on top (283 of 289 cases, all those in which every lane is
// filled).
//
// Through the L1 (.ca) lanes meet whose destinations share a bank, or whose sources do (the same
// word, too); a copy takes as many wavefronts as lanes meet at the one that meets most, itself
// included. Of 8 and 16 bytes, 16 and 8 lanes go at a time. Lanes that are filled with zeros have
// no source. All of 3,056 cases (kernels/micro/async_passes.cu as well): as often as they are run,
// whether the lines are in the L1, other copies are outstanding or other warps copy. That is the
// number that the profiler gives for an instruction; what the unit takes is mostly the same, at
// times less or more.
//
// Left out: copies of fewer bytes than a lane's width (the rest is filled with zeros), and lanes
// that write the same place past the L1.
#pragma once

#include <array>
#include <cstdint>

#include "model/access/access.hpp"
#include "model/cache/set_index.hpp"

namespace warpmem::model {

struct PastL1 {
  struct Request {
    std::uint64_t line = 0;  // address / 128
    std::uint8_t sectors = 0;
  };
  std::array<Request, kWarpLanes> request;
  int count = 0;              // requests
  int wavefronts = 0;         // of shared memory
  int sectors = 0;            // as the profiler counts them: of shared memory, for each line
  int output_wavefronts = 0;  // lines that are looked up together, by rows four apart
};

// 16 bytes a lane, at multiples of 16. Lanes that only the destination has are filled with zeros.
PastL1 copy_past_l1(const WarpAccess& from, const WarpAccess& to);
// The same for lines of another length, in an L1 whose sets' lowest bits are the bank of tags.
PastL1 copy_past_l1(const WarpAccess& from, const WarpAccess& to, std::uint64_t line_bytes,
                    const SetIndex& sets);

// Wavefronts of shared memory that a copy through the L1 takes. Lanes that only the destination has
// are filled with zeros.
int copy_wavefronts(const WarpAccess& from, const WarpAccess& to);
// … where all lanes are filled.
inline int fill_wavefronts(const WarpAccess& to) { return copy_wavefronts(WarpAccess{}, to); }

}  // namespace warpmem::model
