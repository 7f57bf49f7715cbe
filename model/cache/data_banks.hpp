// How long an access to global memory keeps the L1's data stage.
#pragma once

#include <cstdint>

#include "model/access/banks.hpp"
#include "model/access/warp_lanes.hpp"

namespace warpmem::model {

// Cycles of the data stage, or `least` if they are fewer: 32 banks of 4 bytes, of which each serves
// one of its distinct words a cycle (measured at strides 1 to 63 and 4 and 8 bytes a lane).
std::uint32_t data_passes(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least);
// The same for other banks.
std::uint32_t data_passes(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least,
                          const Banks& banks);

}  // namespace warpmem::model
