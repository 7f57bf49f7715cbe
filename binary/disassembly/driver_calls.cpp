#include "binary/disassembly/driver_calls.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "isa/sass/instruction.hpp"

namespace warpmem::record {
namespace {

using trace::RegisterFile;

std::optional<std::uint32_t> number(std::string_view text) {
  if (!text.starts_with("0x")) return {};
  return static_cast<std::uint32_t>(std::strtoul(std::string(text).c_str(), nullptr, 16));
}

// What an instruction writes to its only destination, as far as it is a small number of its own: a
// move, or the smallest numbers of half precision, which compilers like to make as 0 * 0 + x.
std::optional<std::uint32_t> moved_number(const trace::SassInstruction& in,
                                          const std::string& text) {
  const std::size_t from = text.find(' ', text.find(in.opcode));
  if (from == text.npos) return {};
  const std::vector<std::string_view> operands =
      trace::split_operands(std::string_view(text).substr(from));
  if (operands.size() < 2) return {};
  std::string_view last = operands.back();
  while (!last.empty() && (last.back() == ';' || last.back() == ' ')) last.remove_suffix(1);
  if (in.opcode == "MOV" || in.opcode == "UMOV" || (in.opcode == "IMAD" && in.has("MOV")))
    return number(last);
  if (in.opcode.starts_with("HFMA2") && operands.size() == 5 && operands[1].ends_with("RZ") &&
      operands[2].ends_with("RZ") && operands[3] == "0")
    return static_cast<std::uint32_t>(
        std::lround(std::strtod(std::string(last).c_str(), nullptr) * 0x1p24));
  return {};
}

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

// "c[0x4][R0]", "c[0x4][0x10]": the offset, or kUnknown.
std::uint32_t bank_4(const std::string& text,
                     const std::map<std::uint16_t, std::uint32_t>& numbers) {
  const std::size_t at = text.find("c[0x4][");
  if (at == text.npos) return kUnknown;
  const std::string_view inside =
      std::string_view(text).substr(at + 7, text.find(']', at + 7) - at - 7);
  if (inside.starts_with("0x")) return number(inside).value_or(kUnknown);
  if (!inside.starts_with('R') || inside.find_first_not_of("0123456789", 1) != inside.npos)
    return kUnknown;
  const auto known = numbers.find(static_cast<std::uint16_t>(std::atoi(inside.data() + 1)));
  return known == numbers.end() ? kUnknown : known->second;
}

}  // namespace

void name_driver_calls(std::vector<trace::Instruction>& code,
                       const std::map<std::uint32_t, std::string>& names) {
  if (names.empty()) return;
  std::map<std::uint16_t, std::uint32_t> numbers;  // in registers
  std::map<std::uint16_t, std::string> functions;  // whose addresses they hold
  for (trace::Instruction& i : code) {
    const auto in = trace::decode_instruction(i.text);
    if (!in) continue;
    if (in->kind == trace::InstructionKind::kCall && in->labels.empty() && in->has("ABS") &&
        !in->sources.empty()) {
      const auto known = functions.find(in->sources.back().first);
      if (known != functions.end()) {
        const std::size_t end = i.text.find_last_not_of(" ;");
        i.text.insert(end + 1, " `(" + known->second + ")");
      }
      continue;
    }
    const auto value = moved_number(*in, i.text);
    const bool loads = in->opcode == "LDC" || in->opcode == "ULDC";
    const auto name = names.find(loads ? bank_4(i.text, numbers) : kUnknown);
    for (const trace::RegisterRange& r : in->destinations) {
      if (r.file != RegisterFile::kGeneral) continue;
      for (std::uint16_t k = 0; k < r.count; ++k) {
        const auto one = static_cast<std::uint16_t>(r.first + k);
        numbers.erase(one), functions.erase(one);
      }
      if (in->guard.when != trace::Guard::When::kAlways) continue;
      if (value) numbers[r.first] = *value;
      if (name != names.end()) functions[r.first] = name->second;
    }
  }
}

}  // namespace warpmem::record
