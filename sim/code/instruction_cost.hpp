// What a line of a program costs, by the card's instruction table.
#pragma once

#include <string_view>

#include "model/card/instruction_table.hpp"
#include "isa/sass/instruction.hpp"

namespace warpmem::sim {

using model::InstructionCost;
using model::kPipes;
using model::Pipe;

// Of a SASS instruction.
InstructionCost sass_cost(const trace::SassInstruction& in, const model::InstructionTable& table);
// Of a PTX instruction by its text: what ptxas usually makes of it.
InstructionCost ptx_cost(std::string_view text, const model::InstructionTable& table);

}  // namespace warpmem::sim
