#include "emulate/sass/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "isa/sass/instruction.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::string_view kTargets = "BRANCH_TARGETS ";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "0x310,0x420" behind BRANCH_TARGETS.
std::vector<std::uint32_t> places_of(std::string_view remark) {
  std::vector<std::uint32_t> out;
  for (std::size_t at = remark.find("0x"); at != remark.npos; at = remark.find("0x", at + 2))
    out.push_back(static_cast<std::uint32_t>(
        std::strtoul(std::string(remark.substr(at, 18)).c_str(), nullptr, 16)));
  return out;
}

Error malformed(const trace::Instruction& instruction, const char* why) {
  return {ErrorKind::kMalformed,
          fmt::format("the machine instruction '{}' at {:#06x} {}", instruction.text,
                      instruction.pc, why),
          "", "the code is damaged, or of a newer nvdisasm than this version knows"};
}

}  // namespace

Result<MachineLine> take_apart(const trace::Instruction& instruction) {
  MachineLine line;
  line.pc = instruction.pc, line.text = instruction.text;
  std::string_view text = trimmed(instruction.text);
  if (const std::size_t remark = text.find("(*"); remark != text.npos) {
    if (const std::size_t list = text.find(kTargets, remark); list != text.npos)
      line.places = places_of(text.substr(list));
    line.spills = text.find("SpillRefill", remark) != text.npos;
    text = trimmed(text.substr(0, remark));
  }
  if (text.starts_with('@')) {
    const std::size_t end = std::min(text.find(' '), text.size());
    auto guard = trace::decode_operand(text.substr(1, end - 1));
    using Kind = trace::SassOperand::Kind;
    if (!guard || (guard->kind != Kind::kPredicate && guard->kind != Kind::kUniformPredicate))
      return malformed(instruction, "has a guard that is no predicate");
    line.guarded = guard->number != trace::kTruePredicate || guard->complement;
    line.guard_negated = guard->complement, line.guard = guard->number;
    line.guard_uniform = guard->kind == Kind::kUniformPredicate;
    text = trimmed(text.substr(end));
  }
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string_view name = text.substr(0, end);
  if (name.empty()) return malformed(instruction, "has no name");
  line.opcode = std::string(name.substr(0, name.find('.')));
  for (name.remove_prefix(line.opcode.size()); !name.empty();) {
    name.remove_prefix(1);
    const std::string_view one = name.substr(0, name.find('.'));
    line.modifiers.emplace_back(one);
    name.remove_prefix(one.size());
  }
  const std::string_view rest = trimmed(text.substr(end));
  if (rest.empty()) return line;
  for (const std::string_view one : trace::split_operands(rest)) {
    auto operand = trace::decode_operand(one);
    if (!operand) return malformed(instruction, operand.error().message.c_str());
    line.operands.push_back(std::move(*operand));
  }
  return line;
}

}  // namespace warpmem::emulate
