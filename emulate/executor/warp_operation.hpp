// What lanes of a warp compute from each other's values: votes, shuffles, matches, reductions.
#pragma once

#include "emulate/executor/code.hpp"

namespace warpmem::emulate {

// `members`: lanes that the instruction names; `mask`: those of them that are there.
void warp_operation(const Inst& in, std::byte* frame, std::uint32_t members, std::uint32_t mask);

}  // namespace warpmem::emulate
