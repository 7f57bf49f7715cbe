// What a line of a program costs, by the card's instruction table.
#pragma once

#include "isa/ptx/instruction.hpp"
#include "isa/sass/instruction.hpp"
#include "model/card/instruction_table.hpp"

namespace warpmem::sim {

using model::InstructionCost;
using model::kPipes;
using model::Pipe;

InstructionCost sass_cost(const trace::SassInstruction& in, const model::InstructionTable& table);
// What ptxas usually makes of it.
InstructionCost ptx_cost(const ptx::Instruction& in, const model::InstructionTable& table);

}  // namespace warpmem::sim
