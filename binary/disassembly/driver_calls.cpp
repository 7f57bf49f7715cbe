#include "binary/disassembly/driver_calls.hpp"

#include <cmath>
#include <optional>

#include "isa/decoded_program.hpp"

namespace warpmem::record {
namespace {

using trace::Modifier;
using trace::Opcode;
using trace::RegisterFile;
using trace::SassOperand;
using Kind = SassOperand::Kind;

// What an instruction writes to its only destination, as far as it is a small number of its own: a
// move, or the smallest numbers of half precision, which compilers like to make as 0 * 0 + x.
std::optional<std::uint32_t> moved_number(const trace::SassInstruction& in) {
  if (in.operands.size() < 2) return {};
  const SassOperand& last = in.operands.back();
  switch (in.opcode) {
    case Opcode::kIMAD:
      if (!in.has(Modifier::kMOV)) return {};
      [[fallthrough]];
    case Opcode::kMOV:
    case Opcode::kUMOV:
      if (last.kind != Kind::kInteger) return {};
      return static_cast<std::uint32_t>(last.value);
    case Opcode::kHFMA2: {
      const auto& o = in.operands;
      const bool number = last.kind == Kind::kFloat || last.kind == Kind::kInteger;
      if (o.size() != 5 || !o[1].is_zero_register() || !o[2].is_zero_register() ||
          o[3].kind != Kind::kInteger || o[3].value != 0 || !number)
        return {};
      return static_cast<std::uint32_t>(std::lround(last.real * 0x1p24));
    }
    default: return {};
  }
}

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

// "c[0x4][R0]", "c[0x4][0x10]": the offset, or kUnknown.
std::uint32_t bank_4(const trace::SassInstruction& in,
                     const std::map<std::uint16_t, std::uint32_t>& numbers) {
  const SassOperand* const c = in.constant_operand();
  if (!c || c->bank != 4 || c->uniform != trace::kNoRegister) return kUnknown;
  if (c->base == trace::kNoRegister) return static_cast<std::uint32_t>(c->value);
  const auto known = c->value == 0 ? numbers.find(c->base) : numbers.end();
  return known == numbers.end() ? kUnknown : known->second;
}

}  // namespace

void name_driver_calls(std::vector<trace::Instruction>& code,
                       const std::map<std::uint32_t, std::string>& names) {
  if (names.empty()) return;
  std::map<std::uint16_t, std::uint32_t> numbers;  // in registers
  std::map<std::uint16_t, std::string> functions;  // whose addresses they hold
  const std::vector<trace::DecodedLine> lines = trace::decode_lines(code);
  for (std::size_t k = 0; k < code.size(); ++k) {
    trace::Instruction& i = code[k];
    const trace::SassInstruction* const in = lines[k].sass();
    if (!in) continue;
    if (in->kind == trace::InstructionKind::kCall && in->labels.empty() &&
        in->has(Modifier::kABS) && !in->sources.empty()) {
      const auto known = functions.find(in->sources.back().first);
      if (known != functions.end()) {
        const std::size_t end = i.text.find_last_not_of(" ;");
        i.text.insert(end + 1, " `(" + known->second + ")");
      }
      continue;
    }
    const auto value = moved_number(*in);
    const bool loads = in->opcode == Opcode::kLDC || in->opcode == Opcode::kULDC;
    const auto name = names.find(loads ? bank_4(*in, numbers) : kUnknown);
    for (const trace::RegisterRange& r : in->destinations) {
      if (r.file != RegisterFile::kGeneral) continue;
      for (std::uint16_t n = 0; n < r.count; ++n) {
        const auto one = static_cast<std::uint16_t>(r.first + n);
        numbers.erase(one), functions.erase(one);
      }
      if (in->guard.when != trace::Guard::When::kAlways) continue;
      if (value) numbers[r.first] = *value;
      if (name != names.end()) functions[r.first] = name->second;
    }
  }
}

}  // namespace warpmem::record
