// A kernel's code, decoded once: beside each line of trace::Program what it is. Whoever asks what
// an instruction does asks this; nobody else reads its text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/program.hpp"
#include "isa/ptx/instruction.hpp"
#include "isa/sass/instruction.hpp"

namespace warpmem::trace {

// Machine code, PTX, or neither: a text that cannot be read.
class DecodedLine {
 public:
  // `ptx`: whatever it looks like.
  explicit DecodedLine(const std::string& text, bool ptx = false);

  const SassInstruction* sass() const { return std::get_if<SassInstruction>(&what_); }
  const ptx::Instruction* ptx() const { return std::get_if<ptx::Instruction>(&what_); }

 private:
  std::variant<std::monostate, SassInstruction, ptx::Instruction> what_;
};

std::vector<DecodedLine> decode_lines(std::span<const Instruction> code);

class DecodedProgram {
 public:
  explicit DecodedProgram(const Program& program);  // which must outlive it
  explicit DecodedProgram(Program&&) = delete;

  const Program& program() const { return *program_; }
  Level level() const { return program_->level; }
  std::size_t size() const { return lines_.size(); }
  const DecodedLine& operator[](std::size_t line) const { return lines_[line]; }
  const std::vector<DecodedLine>& lines() const { return lines_; }
  std::uint32_t pc(std::size_t line) const { return program_->code[line].pc; }
  // The line of a pc, if there is one.
  std::optional<std::size_t> line_at(std::uint32_t pc) const;

 private:
  const Program* program_;
  std::vector<DecodedLine> lines_;
};

// "LDG.E", of a guarded one the guard: enough to tell instructions apart for a person.
std::string_view first_word(std::string_view text);

// Whether machine code may access spilled registers: quick, without decoding, and a no is certain.
bool may_spill(const Program& program);

}  // namespace warpmem::trace
