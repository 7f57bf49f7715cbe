#include "sim/code/static_values.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace warpmem::sim {
namespace {

using Kind = StaticOperand::Kind;
using trace::RegisterFile;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t;");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t;") - first + 1);
}

// "UR4", "R2.reuse", "PT", "SRZ" at the beginning of a text.
bool read_register(std::string_view text, StaticOperand& out) {
  struct Prefix {
    std::string_view text;
    RegisterFile file;
    bool predicate;
  };
  constexpr Prefix kPrefixes[] = {{"UR", RegisterFile::kUniform, false},
                                  {"UP", RegisterFile::kUniformPredicate, true},
                                  {"R", RegisterFile::kGeneral, false},
                                  {"P", RegisterFile::kPredicate, true}};
  if (text == "SRZ") return out.kind = Kind::kValue, out.value = 0, true;
  for (const Prefix& p : kPrefixes) {
    if (!text.starts_with(p.text) || text.size() == p.text.size()) continue;
    const std::string_view rest = text.substr(p.text.size());
    out.predicate = p.predicate;
    if (rest[0] == (p.predicate ? 'T' : 'Z')) {
      out.kind = Kind::kValue;
      out.value = p.predicate ? 1 : 0;
      return true;
    }
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{}) continue;
    const std::string_view suffix(end, static_cast<std::size_t>(rest.data() + rest.size() - end));
    if (!suffix.empty() && suffix != ".reuse") return false;  // halves, bytes, pairs
    out.kind = Kind::kRegister;
    out.reg = static_register(p.file, number);
    return true;
  }
  return false;
}

StaticOperand read_operand(std::string_view text) {
  StaticOperand o;
  if (text.starts_with('!')) o.inverted = true, text.remove_prefix(1);
  if (text.starts_with('~')) o.inverted = true, text.remove_prefix(1);
  const std::string_view whole = text;
  if (text.starts_with('-')) o.minus = true, text.remove_prefix(1);
  if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
    o.absolute = true;
    text = text.substr(1, text.size() - 2);
  }
  if (read_register(text, o)) return o;
  constexpr std::string_view kBank = "c[0x0][0x";
  if (text.starts_with(kBank)) {
    const std::string_view digits = text.substr(kBank.size());
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), o.value, 16);
    if (error == std::errc{} && end != digits.data() + digits.size() && *end == ']')
      o.kind = Kind::kConstant;
    return o;
  }
  const std::string number(whole);
  char* end = nullptr;
  o.minus = false;
  if (number.find("0x") != number.npos) {
    o.value = static_cast<std::uint32_t>(std::strtoll(number.c_str(), &end, 16));
    o.number = o.value;
  } else {
    o.number = std::strtod(number.c_str(), &end);
    o.value = static_cast<std::uint32_t>(static_cast<std::int64_t>(o.number));
  }
  if (end != number.c_str() && *end == 0) o.kind = Kind::kValue;
  return o;
}

}  // namespace

ConstantBank::ConstantBank(const trace::Program& program, const trace::Launch& launch)
    : parameters_(launch.parameters), parameters_at_(launch.parameters_at) {
  // Up to sm_90 the bank begins with the block's size and the grid's, as nvcc's code reads
  // blockDim and gridDim; later ones have them elsewhere.
  const std::string_view arch = program.arch;
  sizes_known_ = arch.size() == 5 && arch.starts_with("sm_") && arch[3] >= '7';
  sizes_ = {launch.block[0], launch.block[1], launch.block[2],
            launch.grid[0],  launch.grid[1],  launch.grid[2]};
}

std::optional<std::uint32_t> ConstantBank::word(std::uint32_t offset) const {
  if (sizes_known_ && offset < 4 * sizes_.size() && offset % 4 == 0) return sizes_[offset / 4];
  if (parameters_.empty() || offset < parameters_at_) return std::nullopt;
  const std::size_t at = offset - parameters_at_;
  if (at + 4 > parameters_.size()) return std::nullopt;
  std::uint32_t v = 0;
  std::memcpy(&v, parameters_.data() + at, 4);
  return v;
}

bool StaticLine::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

StaticLine take_apart(const std::string& text) {
  StaticLine l;
  auto decoded = trace::decode_instruction(text);
  if (!decoded) return l;
  l.opcode = decoded->opcode;
  l.modifiers = decoded->modifiers;
  for (const trace::RegisterRange& r : decoded->destinations)
    for (std::uint32_t k = 0; k < r.count; ++k)
      l.writes.push_back(static_register(r.file, r.first + k));
  const trace::Guard& g = decoded->guard;
  l.never = g.when == trace::Guard::When::kNever;
  if (g.when == trace::Guard::When::kIf || g.when == trace::Guard::When::kIfNot) {
    l.guard = static_register(
        g.uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate, g.number);
    l.guard_not = g.when == trace::Guard::When::kIfNot;
  }
  l.branch = decoded->is_branch();
  // Without nvdisasm's remarks: STL [R1], R4 (*"SpillRefill"*).
  std::string_view rest = trimmed(std::string_view(text).substr(0, text.find("(*")));
  if (rest.starts_with('@')) rest = trimmed(rest.substr(std::min(rest.find(' '), rest.size())));
  rest = trimmed(rest.substr(std::min(rest.find(' '), rest.size())));
  for (const std::string_view part : trace::split_operands(rest))
    l.operands.push_back(read_operand(part));
  if (l.branch && l.operands.size() > 1) {
    l.also = l.operands.front();
    l.has_also = true;
    if (!l.also.predicate) l.also = StaticOperand{};  // BRA.DIV and the like: nobody knows
  }
  return l;
}

}  // namespace warpmem::sim
