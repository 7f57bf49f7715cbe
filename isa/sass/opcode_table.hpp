// What each SASS opcode is, as far as memory, control flow and registers go.
#pragma once

#include <string_view>

#include "isa/sass/instruction.hpp"

namespace warpmem::trace {

// Which leading operands are written.
enum class Writes : std::uint8_t {
  kFirst,  // "FADD R1, …"; predicates that follow directly are carries: "IADD3 R0, P0, PT, …"
  kFirstOnly,        // "SEL R0, …": what follows is read
  kNone,             // "STG [R2], R4"
  kTwo,              // "ISETP.NE P0, PT, …", "TEX R0, R2, …"
  kPredicateAndOne,  // "SHFL PT, R0, …", "ATOMG PT, R7, …": a predicate first, if any, then one
                     // more
};

struct OpcodeInfo {
  std::string_view name;
  InstructionKind kind = InstructionKind::kOther;
  Space space = Space::kNone;
  bool generic = false;
  Writes writes = Writes::kFirst;
};

// Whether the table has it: what it does with memory and control is known, or that it does nothing
// with them. The names are those that nvdisasm prints for compute capabilities 7.0 to 12.0.
bool known_opcode(std::string_view name);

// By name without modifiers. Unknown names get the general rule by their spelling.
OpcodeInfo find_opcode(std::string_view name);

}  // namespace warpmem::trace
