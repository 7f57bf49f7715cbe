#include "sim/code/static_values.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace warpmem::sim {
namespace {

using Kind = StaticOperand::Kind;
using trace::RegisterFile;
using Values = std::vector<std::optional<std::uint32_t>>;

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

// The bits of a half: what HFMA2 with factors of zero puts into a register.
std::uint32_t half_bits(double v) {
  const std::uint32_t sign = std::signbit(v) ? 0x8000u : 0u;
  v = std::abs(v);
  if (v == 0) return sign;
  if (std::isinf(v)) return sign | 0x7c00u;
  if (std::isnan(v)) return sign | 0x7fffu;
  const int exponent = std::max(std::ilogb(v), -14);
  const auto units = static_cast<std::uint32_t>(std::lround(std::ldexp(v, 10 - exponent)));
  if (exponent == -14 && units < 1024) return sign | units;
  return sign | static_cast<std::uint32_t>(exponent + 15) << 10 | (units & 1023u);
}

bool compare(const StaticLine& l, std::uint32_t a, std::uint32_t b) {
  const bool plain = l.has("U32");
  const auto x = plain ? std::int64_t{a} : std::int64_t{static_cast<std::int32_t>(a)};
  const auto y = plain ? std::int64_t{b} : std::int64_t{static_cast<std::int32_t>(b)};
  const std::string& m = l.modifiers.front();
  if (m == "LT") return x < y;
  if (m == "LE") return x <= y;
  if (m == "GT") return x > y;
  if (m == "GE") return x >= y;
  if (m == "EQ") return x == y;
  return x != y;  // NE
}

// Of floats, where the second word says so also true of what is no number.
bool compare(const StaticLine& l, float a, float b) {
  const std::string& m = l.modifiers.front();
  const bool none = std::isnan(a) || std::isnan(b);
  if (m == "NUM") return !none;
  if (m == "NAN") return none;
  if (none) return m.ends_with('U');
  const std::string_view how = std::string_view(m).substr(0, 2);
  if (how == "LT") return a < b;
  if (how == "LE") return a <= b;
  if (how == "GT") return a > b;
  if (how == "GE") return a >= b;
  if (how == "EQ") return a == b;
  return a != b;  // NE
}

// PRMT: each result byte is one of the eight of `a` and `b`, or eight times its sign.
std::uint32_t permute(std::uint32_t a, std::uint32_t how, std::uint32_t b) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t out = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t pick = how >> 4 * k & 15;
    const auto byte = static_cast<std::uint32_t>(both >> 8 * (pick & 7) & 0xff);
    out |= (pick & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * k;
  }
  return out;
}

std::uint32_t look_up(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t out = 0;
  for (std::uint32_t k = 0; k < 8; ++k)
    if (table >> k & 1) out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return out;
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

std::optional<std::uint32_t> StaticValues::evaluate(const StaticLine& l, StaticRegister reg,
                                                    const Values& all) const {
  // Predicates before the first source are results; those behind are inputs.
  const auto& ops = l.operands;
  const std::string_view name =
      std::string_view(l.opcode).substr(l.opcode.starts_with('U') ? 1 : 0);
  const auto at = [&](std::size_t i) { return i < all.size() ? all[i] : std::nullopt; };
  const auto sum = [&](std::size_t from, std::size_t count) -> std::optional<std::uint32_t> {
    std::uint32_t s = 0;
    for (std::size_t i = 0, k = from; i < count; ++k) {
      if (k >= ops.size()) break;
      if (ops[k].predicate) continue;  // a carry that goes out
      if (!all[k]) return std::nullopt;
      s += *all[k], ++i;
    }
    return s;
  };
  if (l.opcode == kMoves) {
    const auto which = std::find(l.writes.begin(), l.writes.end(), reg) - l.writes.begin();
    return at(static_cast<std::size_t>(which));
  }
  if (ops.empty() || l.has("X") || (l.has("EX") && name != "ISETP")) return std::nullopt;
  const bool first = ops[0].kind == Kind::kRegister && ops[0].reg == reg;
  if (name == "ISETP") {
    if (!first || ops.size() < 5 || l.modifiers.empty() || !at(2) || !at(3)) return std::nullopt;
    bool c = compare(l, *at(2), *at(3));
    if (l.has("EX")) {  // the upper halves, which decide unless they are the same
      if (*at(2) == *at(3) && !at(5)) return std::nullopt;
      if (*at(2) == *at(3)) c = *at(5) != 0;
    }
    if (l.has("AND") && !c) return 0;
    if (l.has("OR") && c) return 1;
    if (!at(4)) return std::nullopt;
    const bool with = *at(4) != 0;
    return l.has("XOR") ? c != with : with;
  }
  if (name == "FSETP") {
    // Halves of what is said of floats alone: a number in the text is one, other operands are bits.
    const auto number = [&](std::size_t i) -> std::optional<float> {
      if (ops[i].kind == Kind::kValue) return static_cast<float>(ops[i].number);
      if (ops[i].minus || ops[i].absolute || !at(i)) return std::nullopt;
      return std::bit_cast<float>(*at(i));
    };
    if (!first || ops.size() < 5 || l.modifiers.empty() || l.has("FTZ")) return std::nullopt;
    const auto a = number(2), b = number(3);
    if (!a || !b || !at(4)) return std::nullopt;
    const bool c = compare(l, *a, *b), with = *at(4) != 0;
    return l.has("AND") ? c && with : l.has("OR") ? c || with : c != with;
  }
  if (name == "PLOP3") {
    if (!first || ops.size() < 6 || !at(2) || !at(3) || !at(4) || !at(5)) return std::nullopt;
    return look_up(*at(5), *at(2) ? ~0u : 0, *at(3) ? ~0u : 0, *at(4) ? ~0u : 0) & 1u;
  }
  if (name == "LOP3") {
    const std::size_t d = ops[0].predicate ? 1 : 0;
    if (ops.size() < d + 5 || !at(d + 1) || !at(d + 2) || !at(d + 3) || !at(d + 4))
      return std::nullopt;
    const std::uint32_t v = look_up(*at(d + 4), *at(d + 1), *at(d + 2), *at(d + 3));
    if (d == 1 && first) return v != 0;
    return ops[d].reg == reg ? std::optional(v) : std::nullopt;
  }
  if (name == "LDC") {
    const std::uint32_t further = reg - ops[0].reg;
    if (ops.size() < 2 || ops[0].kind != Kind::kRegister || ops[1].kind != Kind::kConstant ||
        further > (l.has("64") ? 1u : 0u))
      return std::nullopt;
    const std::uint32_t offset = ops[1].value + 4 * further, low = offset % 4 * 8;
    const bool byte = l.has("U8") || l.has("S8"), half = l.has("U16") || l.has("S16");
    if (!byte && !half) return bank_.word(offset);
    const auto word = bank_.word(offset - offset % 4);
    if (!word || (half && low == 24)) return std::nullopt;
    const std::uint32_t part = *word >> low & (byte ? 0xffu : 0xffffu);
    if (l.has("S8")) return static_cast<std::uint32_t>(static_cast<std::int8_t>(part));
    if (l.has("S16")) return static_cast<std::uint32_t>(static_cast<std::int16_t>(part));
    return part;
  }
  if (name == "CS2R") return at(1) == 0u && ops[1].kind == Kind::kValue ? at(1) : std::nullopt;
  if (!first || ops[0].predicate) return std::nullopt;
  if (name == "MOV" || name == "R2UR") return at(1);
  if (name == "IADD3") return sum(1, 3);
  if (name == "IADD" || name == "VIADD") return sum(1, 2);
  if (name == "IMAD") {
    if (l.has("WIDE") || l.has("HI") || ops.size() < 4) return std::nullopt;
    const auto a = at(1), b = at(2), c = at(3);
    const bool none = (a && *a == 0) || (b && *b == 0);
    if (!c || (!none && (!a || !b))) return std::nullopt;
    return (none ? 0 : *a * *b) + *c;
  }
  if (name == "HFMA2") {
    if (ops.size() < 5 || at(1) != 0u || at(2) != 0u || ops[1].kind != Kind::kValue ||
        ops[2].kind != Kind::kValue || ops[3].kind != Kind::kValue || ops[4].kind != Kind::kValue)
      return std::nullopt;
    return half_bits(ops[3].number) << 16 | half_bits(ops[4].number);
  }
  if (name == "SHF") {
    if (ops.size() < 4 || !at(1) || !at(2) || !at(3) || l.has("64") || l.has("U64") ||
        l.has("S64") || l.has("W"))
      return std::nullopt;
    const std::uint32_t n = std::min(*at(2), 32u);
    if (l.has("R") && l.has("HI")) {
      const std::uint32_t v = *at(3);
      if (l.has("S32"))
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(v) >> std::min(n, 31u));
      return n == 32 ? 0 : v >> n;
    }
    if (l.has("L") && !l.has("HI") && *at(3) == 0) return n == 32 ? 0 : *at(1) << n;
    return std::nullopt;
  }
  if (name == "LEA") {
    if (l.has("HI") || ops.size() != 4 || !at(1) || !at(2) || !at(3)) return std::nullopt;
    return (*at(1) << (*at(3) & 31u)) + *at(2);
  }
  if (name == "PRMT" && l.modifiers.empty()) {
    if (ops.size() < 4 || !at(1) || !at(2) || !at(3)) return std::nullopt;
    return permute(*at(1), *at(2), *at(3));
  }
  if (name == "SEL") {
    if (ops.size() < 4 || !at(3)) return std::nullopt;
    return *at(3) ? at(1) : at(2);
  }
  if (name == "IMNMX" || name == "VIMNMX") {
    if (ops.size() < 4 || !at(1) || !at(2) || !at(3)) return std::nullopt;
    const bool less = l.has("U32")
                          ? *at(1) < *at(2)
                          : static_cast<std::int32_t>(*at(1)) < static_cast<std::int32_t>(*at(2));
    return less == (*at(3) != 0) ? at(1) : at(2);
  }
  if (name == "IABS" && at(1)) {
    return static_cast<std::int32_t>(*at(1)) < 0 ? 0u - *at(1) : *at(1);
  }
  return std::nullopt;
}

}  // namespace warpmem::sim
