// One machine instruction, its text taken apart: "@!P0 LDG.E.128 R4, desc[UR4][R2.64+0x10]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "isa/program.hpp"
#include "isa/sass/operand.hpp"

namespace warpmem::emulate {

struct MachineLine {
  std::uint32_t pc = 0;
  std::string text;
  std::string opcode;                  // "LDG"
  std::vector<std::string> modifiers;  // "E", "128"
  bool guarded = false, guard_negated = false, guard_uniform = false;
  std::uint16_t guard = 0;  // number of the predicate
  std::vector<trace::SassOperand> operands;
  bool spills = false;                // stores or loads a spilled register
  std::vector<std::uint32_t> places;  // of a jump through a register: what it may go to
};

Result<MachineLine> take_apart(const trace::Instruction& instruction);

}  // namespace warpmem::emulate
