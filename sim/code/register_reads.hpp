// How often each line of SASS reads the two banks of registers, even and odd ones. A bank is read
// once a cycle for a warp, so that a multiply-add of three even registers takes three cycles of it,
// unless the line before left an operand for the next one (`R6.reuse`).
//
// Measured on an H200: kernels/micro/pipe_mix.cu, cards/gpus/h200/pipe_mix.csv. Of ffma_lop3, one
// of each, whose four pairs read the banks 3 + 3 and three times 4 + 2 times, a pair takes 3.75
// cycles; with operands left for the next line it is 2. Reads of a few lines even out: they are
// queued.
//
// Leaves out: what double-precision instructions read, which goes beside the others' reads
// (dfma_ffma: 2.2 cycles, not 3.8).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/decoded_program.hpp"

namespace warpmem::sim {

constexpr std::size_t kRegisterBanks = 2;
using RegisterReads = std::array<std::uint8_t, kRegisterBanks>;  // reads of each bank

// By line of the program; none for lines that are no SASS.
std::vector<RegisterReads> register_reads(const trace::DecodedProgram& program);

}  // namespace warpmem::sim
