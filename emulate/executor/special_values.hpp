// Special registers: a thread's and a CTA's indices, sizes, masks and clocks.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

void special(const Running& run, const Warp& warp, const Inst& in, std::byte* frame,
             std::uint32_t mask);

}  // namespace warpmem::emulate
