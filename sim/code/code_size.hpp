// How much memory a kernel's code takes. A launch has all of it brought to every GPC's instruction
// cache, however few CTAs it has (measured: 90 kernels of 0.4 to 55 KB on an H200, 8 x the code in
// L2 sectors read, once across the fabric, and from DRAM what the code has to the unit).
#pragma once

#include <cstdint>

#include "isa/program.hpp"

namespace warpmem::sim {

// Bytes; a program of PTX is taken for two instructions of machine code a line. 0: there is no
// code.
inline std::uint64_t code_bytes(const trace::Program& program) {
  constexpr std::uint64_t kInstruction = 16;
  std::uint64_t end = 0, ptx = 0;
  for (const trace::Instruction& i : program.code) {
    if (program.level == trace::Level::kPtx || trace::is_ptx(i.text)) ++ptx;
    else if (i.pc + kInstruction > end) end = i.pc + kInstruction;
  }
  return end > 0 ? end : ptx * 2 * kInstruction;
}

}  // namespace warpmem::sim
