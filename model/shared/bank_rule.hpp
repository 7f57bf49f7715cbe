// Passes of shared memory and of the L1's data stage for any number of banks of any width, by the
// rules that shared/shared_banks.hpp and cache/data_banks.hpp state for 32 banks of 4 bytes. As
// many lanes are served together as all banks give a word to in one pass.
#pragma once

#include "model/access/warp_lanes.hpp"
#include "model/shared/shared_banks.hpp"

namespace warpmem::model {

struct Banks {
  std::uint32_t count = 32, bytes = 4;
};

SharedPasses shared_passes(const WarpAccess& access, SharedKind kind, const Banks& banks);
// Cycles of the data stage, or `least` if they are fewer.
std::uint32_t data_passes(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least,
                          const Banks& banks);

}  // namespace warpmem::model
