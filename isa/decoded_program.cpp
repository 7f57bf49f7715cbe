#include "isa/decoded_program.hpp"

#include <algorithm>

namespace warpmem::trace {

DecodedLine::DecodedLine(const std::string& text, bool ptx) {
  if (ptx || is_ptx(text)) {
    what_ = ptx::decode_statement(text);
    return;
  }
  auto decoded = decode_instruction(text);
  if (decoded) what_ = *std::move(decoded);
}

std::vector<DecodedLine> decode_lines(std::span<const Instruction> code) {
  std::vector<DecodedLine> out;
  out.reserve(code.size());
  for (const Instruction& i : code) out.emplace_back(i.text);
  return out;
}

DecodedProgram::DecodedProgram(const Program& program) : program_(&program) {
  lines_.reserve(program.code.size());
  for (const Instruction& i : program.code)
    lines_.emplace_back(i.text, program.level == Level::kPtx);
}

std::optional<std::size_t> DecodedProgram::line_at(std::uint32_t pc) const {
  const auto at = std::lower_bound(program_->code.begin(), program_->code.end(), pc,
                                   [](const Instruction& i, std::uint32_t p) { return i.pc < p; });
  if (at == program_->code.end() || at->pc != pc) return std::nullopt;
  return static_cast<std::size_t>(at - program_->code.begin());
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

bool may_spill(const Program& program) {
  const auto accesses_local = [](const Instruction& i) {
    return i.text.find("LDL") != i.text.npos || i.text.find("STL") != i.text.npos;
  };
  return program.level != Level::kPtx &&
         std::any_of(program.code.begin(), program.code.end(), accesses_local);
}

}  // namespace warpmem::trace
