// What the lanes of a warp hold in their registers where that follows from the code alone: from
// thread numbers, the launch's shape and constants in the text. It says how many addresses an
// indexed constant load has in a warp, which no recording says.
//
// The code is taken in its order, as if no branch were taken, for the first warp of CTA 0. Values
// that are the same in all lanes but not known (parameters) count as zero: they move a warp's
// addresses together. What memory, shuffles or anything else not followed brings is not known.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/decoded_program.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::sim {

// Constants that an instruction reads: distinct addresses in the warp (the bank above 32 bits of
// offset).
struct ConstantRead {
  std::size_t line = 0;                  // of the program
  bool indexed = false;                  // by a register, as LDC and ULDC are
  std::vector<std::uint64_t> addresses;  // empty: not known
};

// Of the program's SASS, banks of parameters and the driver left out (their lines come with the
// SM's first CTA).
std::vector<ConstantRead> constant_reads(const trace::DecodedProgram& program,
                                         const trace::Launch& launch);

// The offset in constant bank 0 (parameters and what the driver puts in front of them) of an
// instruction's operand that no register moves.
std::optional<std::uint32_t> parameter_offset(const trace::SassInstruction& in);

}  // namespace warpmem::sim
