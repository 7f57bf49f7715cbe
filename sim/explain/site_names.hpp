// What a static instruction is called on screens: its operation, its memory, and the line of the
// program's own files that it is charged to.
#pragma once

#include "isa/program.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

// "load", "reduction", "bulk store".
const char* op_word(trace::Op op);
const char* space_word(trace::Space space);

const trace::Instruction* instruction_at(const trace::Program& program, std::uint32_t pc);

// The instruction whose line an access is charged to: itself, or of its neighbours the next one of
// the program's own files, where its own line is one of CUDA's headers. nullptr: none.
const trace::Instruction* charged_to(const trace::Program& program, const trace::Instruction* at);

}  // namespace warpmem::sim
