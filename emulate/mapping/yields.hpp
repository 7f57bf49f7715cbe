// Where ptxas lets the parted lanes of a warp take turns: its YIELD instructions.
//
// It puts one beside an access by which lanes may wait for each other (an atomic whose result is
// used, a volatile load) in loops that lanes leave at different times, and in debug code beside every
// such access. Divergence::yield does what an H200 does there. Without machine code lanes are parted
// only once all of a CTA wait in vain.
#pragma once

#include "emulate/ptx/program.hpp"
#include "emulate/mapping/machine_code.hpp"

namespace warpmem::emulate {

// Sets Inst::yields of what each YIELD of `code` stands beside.
void mark_yields(Kernel& kernel, const std::vector<MachineInstruction>& code);

// Whether it may have any: asking for machine code takes time.
bool may_yield(const Kernel& kernel);

}  // namespace warpmem::emulate
