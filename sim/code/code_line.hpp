// One instruction as the flow of code sees it, of either language: what it costs, whether it leaves
// a record, where it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/decoded_program.hpp"
#include "model/card/instruction_table.hpp"
#include "sim/code/code.hpp"

namespace warpmem::sim {

// A line of code and what it takes its surroundings to make sense of.
struct ReadLine {
  CodeLine line;
  std::vector<std::uint32_t> reads, writes;  // registers, each by a number of its own
  std::optional<std::uint32_t> target;       // pc that it goes to, or whose meeting it opens
  std::vector<std::uint32_t> further;        // pcs that a branch through a register may go to
  bool by_register = false;                  // goes to where a register says
  bool opens = false;                        // target: where diverged lanes will meet
};

// `table`: of instruction costs; nullptr: they are not asked for.
ReadLine read_sass_line(const trace::SassInstruction& in, const model::InstructionTable* table);
// `names`: numbers of the registers that were met so far.
ReadLine read_ptx_line(const ptx::Instruction& in, const model::InstructionTable* table,
                       std::unordered_map<std::string, std::uint32_t>& names);

DriverCall driver_call(std::string_view function);

}  // namespace warpmem::sim
