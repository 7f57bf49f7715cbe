// The accesses to spilled registers in a kernel's code that its trace has no records of.
//
// ptxas keeps registers that do not fit in the thread's stack frame, and reads and writes them by
// LDL and STL at a constant distance from the stack pointer (R1). No callback of the patching API
// reports these, and PTX does not have them, so neither recordings nor emulated kernels hold them;
// the code does. Cubins of CUDA 13 say which they are, and the program section has them marked
// (*"SpillRefill"*). Where there is no such mark at all, every access at a constant distance from
// the stack pointer that no warp of the launch left a record of is taken for one, unless records
// are of accesses to the same place of the kernel's frame.
//
// A trace of an emulated kernel whose PTX could not be followed into the code everywhere may hold
// accesses to local memory as the PTX has them. Without a mark such loads (stores) and those of
// spilled registers look alike; then only what cannot be theirs is taken: stores (loads), if all of
// those were found, and loads (stores) of the places that these prove to be spilled registers'.
//
// Left out: accesses through registers of which the code alone does not tell how far they are from
// the stack pointer. A function that is called at several depths is taken to be at the first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/decoded_program.hpp"
#include "sim/code/static_flow.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

struct SpillAccess {
  std::uint32_t line = 0;   // of the program's code
  std::uint32_t bytes = 0;  // per lane
  // From the kernel's frame as recorded addresses of local memory count: offset 0 is what R1 points
  // to in the kernel; frames of functions lie below, that is, negative.
  std::int32_t offset = 0;
  bool load = false;
  SpillSlot slot;
};

// By line. Empty for PTX and where the trace has no code.
std::vector<SpillAccess> spill_accesses(const trace::DecodedProgram& program,
                                        std::span<const trace::Site> sites);

}  // namespace warpmem::sim
