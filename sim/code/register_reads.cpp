#include "sim/code/register_reads.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "isa/sass/instruction.hpp"

namespace warpmem::sim {
namespace {

using trace::RegisterFile;
using trace::RegisterRange;

// "R12.64" in "-|R12.64.reuse|": its number; nothing for uniform registers, predicates and RZ.
std::optional<std::uint16_t> general_register(std::string_view text) {
  for (std::size_t at = text.find('R'); at != text.npos; at = text.find('R', at + 1)) {
    if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1]))) continue;  // UR4, SR_TID
    std::uint16_t number = 0;
    const char* const from = text.data() + at + 1;
    if (std::from_chars(from, text.data() + text.size(), number).ptr != from) return number;
  }
  return std::nullopt;
}

bool is_predicate(std::string_view text) {
  if (text.starts_with('!')) text.remove_prefix(1);
  if (text.starts_with('U')) text.remove_prefix(1);
  return text.size() == 2 && text[0] == 'P';
}

// The operands that an instruction reads, without predicates; `in`: the same, decoded.
std::vector<std::string_view> read_operands(std::string_view text,
                                            const trace::SassInstruction& in) {
  std::size_t from = text.find_first_not_of(' ');
  if (from != text.npos && text[from] == '@') from = text.find(' ', from);
  if (from != text.npos) from = text.find_first_not_of(' ', from);
  if (from != text.npos) from = text.find(' ', from);  // behind the opcode
  if (from == text.npos) return {};
  std::vector<std::string_view> out = trace::split_operands(text.substr(from));
  std::erase_if(out, is_predicate);
  const bool writes =
      std::any_of(in.destinations.begin(), in.destinations.end(),
                  [](const RegisterRange& r) { return r.file == RegisterFile::kGeneral; }) ||
      (!out.empty() && out.front().starts_with("RZ"));
  if (writes && !out.empty() && out.front().find('[') == std::string_view::npos)
    out.erase(out.begin());
  return out;
}

bool is_double(const trace::SassInstruction& in) {
  return in.opcode == "DFMA" || in.opcode == "DADD" || in.opcode == "DMUL" ||
         in.opcode == "DSETP" || in.opcode == "DMMA";
}

}  // namespace

std::vector<RegisterReads> register_reads(const trace::Program& program) {
  std::vector<RegisterReads> out(program.code.size());
  std::map<std::size_t, std::uint16_t> left, leaves;  // register, by number of the operand
  for (std::size_t k = 0; k < program.code.size(); ++k) {
    const std::string& text = program.code[k].text;
    left.swap(leaves);
    leaves.clear();
    if (program.level == trace::Level::kPtx || trace::is_ptx(text)) continue;
    const auto in = trace::decode_instruction(text);
    if (!in || is_double(*in)) continue;
    std::vector<std::uint16_t> seen;
    const std::vector<std::string_view> operands = read_operands(text, *in);
    for (std::size_t slot = 0; slot < operands.size(); ++slot) {
      const auto number = general_register(operands[slot]);
      if (!number) continue;
      if (operands[slot].find(".reuse") != std::string_view::npos) leaves[slot] = *number;
      if (const auto kept = left.find(slot); kept != left.end() && kept->second == *number)
        continue;
      if (std::find(seen.begin(), seen.end(), *number) != seen.end()) continue;
      seen.push_back(*number);
      const auto range =
          std::find_if(in->sources.begin(), in->sources.end(), [&](const RegisterRange& r) {
            return r.file == RegisterFile::kGeneral && r.first == *number;
          });
      const unsigned count = range == in->sources.end() ? 1 : range->count;
      for (unsigned r = 0; r < count; ++r) ++out[k][(*number + r) % kRegisterBanks];
    }
  }
  return out;
}

}  // namespace warpmem::sim
