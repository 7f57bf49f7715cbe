// The 32-bit integer instructions whose results StaticValues knows, each a function of its
// operands.
#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "sim/code/static_values.hpp"

namespace warpmem::sim {
namespace {

using trace::Modifier;
using trace::Opcode;

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

// How two numbers compare, by the instruction's modifier; what it does not name: they differ.
template <class T>
bool compares(const StaticLine& l, T a, T b) {
  const auto either = [&](Modifier ordered, Modifier also_none) {
    return l.has(ordered) || l.has(also_none);
  };
  if (either(Modifier::kLT, Modifier::kLTU)) return a < b;
  if (either(Modifier::kLE, Modifier::kLEU)) return a <= b;
  if (either(Modifier::kGT, Modifier::kGTU)) return a > b;
  if (either(Modifier::kGE, Modifier::kGEU)) return a >= b;
  if (either(Modifier::kEQ, Modifier::kEQU)) return a == b;
  return a != b;  // NE
}

bool compare(const StaticLine& l, std::uint32_t a, std::uint32_t b) {
  const bool plain = l.has(Modifier::kU32);
  const auto x = plain ? std::int64_t{a} : std::int64_t{static_cast<std::int32_t>(a)};
  const auto y = plain ? std::int64_t{b} : std::int64_t{static_cast<std::int32_t>(b)};
  return compares(l, x, y);
}

// Of floats, where the second word says so also true of what is no number.
bool compare(const StaticLine& l, float a, float b) {
  const bool none = std::isnan(a) || std::isnan(b);
  if (l.has(Modifier::kNUM)) return !none;
  if (l.has(Modifier::kNAN)) return none;
  if (none)
    return l.has(Modifier::kLTU) || l.has(Modifier::kLEU) || l.has(Modifier::kGTU) ||
           l.has(Modifier::kGEU) || l.has(Modifier::kEQU) || l.has(Modifier::kNEU);
  return compares(l, a, b);
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

// An instruction whose operands have these values, and the register that is asked for.
struct Evaluation {
  const StaticLine& l;
  StaticRegister reg;
  const std::vector<StaticValue>& all;
  const ConstantBank& bank;

  const std::vector<StaticOperand>& ops() const { return l.operands; }
  StaticValue at(std::size_t i) const { return i < all.size() ? all[i] : std::nullopt; }
  // Whether there are so many operands, and those from `from` to `to` are known.
  bool known(std::size_t count, std::size_t from, std::size_t to) const {
    if (ops().size() < count) return false;
    for (std::size_t i = from; i <= to; ++i)
      if (!at(i)) return false;
    return true;
  }
  // Of predicates and registers before the first source: the first is the one asked for.
  bool first() const {
    return ops()[0].kind == StaticOperand::Kind::kRegister && ops()[0].reg == reg;
  }
  bool has(Modifier modifier) const { return l.has(modifier); }

  StaticValue sum(std::size_t count) const {
    std::uint32_t s = 0;
    for (std::size_t i = 0, k = 1; i < count && k < ops().size(); ++k) {
      if (ops()[k].predicate) continue;  // a carry that goes out
      if (!all[k]) return std::nullopt;
      s += *all[k], ++i;
    }
    return s;
  }
};

StaticValue isetp(const Evaluation& e) {
  if (!e.first() || e.l.plain || !e.known(5, 2, 3)) return std::nullopt;
  bool c = compare(e.l, *e.at(2), *e.at(3));
  if (e.has(Modifier::kEX) &&
      *e.at(2) == *e.at(3)) {  // the upper halves, which decide unless they are the same
    if (!e.at(5)) return std::nullopt;
    c = *e.at(5) != 0;
  }
  if (e.has(Modifier::kAND) && !c) return 0;
  if (e.has(Modifier::kOR) && c) return 1;
  if (!e.at(4)) return std::nullopt;
  const bool with = *e.at(4) != 0;
  return e.has(Modifier::kXOR) ? c != with : with;
}

StaticValue fsetp(const Evaluation& e) {
  // Halves of what is said of floats alone: a number in the text is one, other operands are bits.
  const auto number = [&](std::size_t i) -> std::optional<float> {
    const StaticOperand& o = e.ops()[i];
    if (o.kind == StaticOperand::Kind::kValue) return static_cast<float>(o.number);
    if (o.minus || o.absolute || !e.at(i)) return std::nullopt;
    return std::bit_cast<float>(*e.at(i));
  };
  if (!e.first() || e.ops().size() < 5 || e.l.plain || e.has(Modifier::kFTZ)) return std::nullopt;
  const auto a = number(2), b = number(3);
  if (!a || !b || !e.at(4)) return std::nullopt;
  const bool c = compare(e.l, *a, *b), with = *e.at(4) != 0;
  return e.has(Modifier::kAND) ? c && with : e.has(Modifier::kOR) ? c || with : c != with;
}

StaticValue plop3(const Evaluation& e) {
  if (!e.first() || !e.known(6, 2, 5)) return std::nullopt;
  const auto all = [&](std::size_t i) { return *e.at(i) ? ~0u : 0u; };
  return look_up(*e.at(5), all(2), all(3), all(4)) & 1u;
}

StaticValue lop3(const Evaluation& e) {
  const std::size_t d = e.ops()[0].predicate ? 1 : 0;
  if (!e.known(d + 5, d + 1, d + 4)) return std::nullopt;
  const std::uint32_t v = look_up(*e.at(d + 4), *e.at(d + 1), *e.at(d + 2), *e.at(d + 3));
  if (d == 1 && e.first()) return v != 0;
  return e.ops()[d].reg == e.reg ? StaticValue(v) : std::nullopt;
}

StaticValue ldc(const Evaluation& e) {
  const auto& ops = e.ops();
  const std::uint32_t further = e.reg - ops[0].reg;
  if (ops.size() < 2 || ops[0].kind != StaticOperand::Kind::kRegister ||
      ops[1].kind != StaticOperand::Kind::kConstant || further > (e.has(Modifier::k64) ? 1u : 0u))
    return std::nullopt;
  const std::uint32_t offset = ops[1].value + 4 * further, low = offset % 4 * 8;
  const bool byte = e.has(Modifier::kU8) || e.has(Modifier::kS8),
             half = e.has(Modifier::kU16) || e.has(Modifier::kS16);
  if (!byte && !half) return e.bank.word(offset);
  const auto word = e.bank.word(offset - offset % 4);
  if (!word || (half && low == 24)) return std::nullopt;
  const std::uint32_t part = *word >> low & (byte ? 0xffu : 0xffffu);
  if (e.has(Modifier::kS8)) return static_cast<std::uint32_t>(static_cast<std::int8_t>(part));
  if (e.has(Modifier::kS16)) return static_cast<std::uint32_t>(static_cast<std::int16_t>(part));
  return part;
}

StaticValue cs2r(const Evaluation& e) {
  return e.at(1) == 0u && e.ops()[1].kind == StaticOperand::Kind::kValue ? e.at(1) : std::nullopt;
}

StaticValue mov(const Evaluation& e) { return e.at(1); }
StaticValue iadd3(const Evaluation& e) { return e.sum(3); }
StaticValue iadd(const Evaluation& e) { return e.sum(2); }

StaticValue imad(const Evaluation& e) {
  if (e.has(Modifier::kWIDE) || e.has(Modifier::kHI) || e.ops().size() < 4) return std::nullopt;
  const auto a = e.at(1), b = e.at(2), c = e.at(3);
  const bool none = (a && *a == 0) || (b && *b == 0);
  if (!c || (!none && (!a || !b))) return std::nullopt;
  return (none ? 0 : *a * *b) + *c;
}

// Two halves that the text says, times and plus zero.
StaticValue hfma2(const Evaluation& e) {
  const auto& ops = e.ops();
  if (ops.size() < 5 || e.at(1) != 0u || e.at(2) != 0u) return std::nullopt;
  for (std::size_t k = 1; k < 5; ++k)
    if (ops[k].kind != StaticOperand::Kind::kValue) return std::nullopt;
  return half_bits(ops[3].number) << 16 | half_bits(ops[4].number);
}

StaticValue shf(const Evaluation& e) {
  if (!e.known(4, 1, 3) || e.has(Modifier::k64) || e.has(Modifier::kU64) || e.has(Modifier::kS64) ||
      e.has(Modifier::kW))
    return std::nullopt;
  const std::uint32_t n = std::min(*e.at(2), 32u);
  if (e.has(Modifier::kR) && e.has(Modifier::kHI)) {
    const std::uint32_t v = *e.at(3);
    if (e.has(Modifier::kS32))
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(v) >> std::min(n, 31u));
    return n == 32 ? 0 : v >> n;
  }
  if (e.has(Modifier::kL) && !e.has(Modifier::kHI) && *e.at(3) == 0)
    return n == 32 ? 0 : *e.at(1) << n;
  return std::nullopt;
}

StaticValue lea(const Evaluation& e) {
  if (e.has(Modifier::kHI) || e.ops().size() != 4 || !e.known(4, 1, 3)) return std::nullopt;
  return (*e.at(1) << (*e.at(3) & 31u)) + *e.at(2);
}

StaticValue prmt(const Evaluation& e) {
  if (!e.l.plain || !e.known(4, 1, 3)) return std::nullopt;
  return permute(*e.at(1), *e.at(2), *e.at(3));
}

StaticValue sel(const Evaluation& e) {
  if (!e.known(4, 3, 3)) return std::nullopt;
  return *e.at(3) ? e.at(1) : e.at(2);
}

StaticValue imnmx(const Evaluation& e) {
  if (!e.known(4, 1, 3)) return std::nullopt;
  const std::uint32_t a = *e.at(1), b = *e.at(2);
  const bool less =
      e.has(Modifier::kU32) ? a < b : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  return less == (*e.at(3) != 0) ? a : b;
}

StaticValue iabs(const Evaluation& e) {
  if (!e.at(1)) return std::nullopt;
  return static_cast<std::int32_t>(*e.at(1)) < 0 ? 0u - *e.at(1) : *e.at(1);
}

struct Known {
  StaticValue (*of)(const Evaluation&);
  bool one;  // writes one register, the first operand
};

// By opcode; those of the uniform datapath do the same.
const std::unordered_map<Opcode, Known>& known_opcodes() {
  static const std::unordered_map<Opcode, Known> kKnown = {
      {Opcode::kISETP, {isetp, false}}, {Opcode::kUISETP, {isetp, false}},
      {Opcode::kFSETP, {fsetp, false}}, {Opcode::kUFSETP, {fsetp, false}},
      {Opcode::kPLOP3, {plop3, false}}, {Opcode::kUPLOP3, {plop3, false}},
      {Opcode::kLOP3, {lop3, false}},   {Opcode::kULOP3, {lop3, false}},
      {Opcode::kLDC, {ldc, false}},     {Opcode::kULDC, {ldc, false}},
      {Opcode::kCS2R, {cs2r, false}},   {Opcode::kMOV, {mov, true}},
      {Opcode::kUMOV, {mov, true}},     {Opcode::kR2UR, {mov, true}},
      {Opcode::kIADD3, {iadd3, true}},  {Opcode::kUIADD3, {iadd3, true}},
      {Opcode::kIADD, {iadd, true}},    {Opcode::kVIADD, {iadd, true}},
      {Opcode::kUVIADD, {iadd, true}},  {Opcode::kIMAD, {imad, true}},
      {Opcode::kUIMAD, {imad, true}},   {Opcode::kHFMA2, {hfma2, true}},
      {Opcode::kSHF, {shf, true}},      {Opcode::kUSHF, {shf, true}},
      {Opcode::kLEA, {lea, true}},      {Opcode::kULEA, {lea, true}},
      {Opcode::kPRMT, {prmt, true}},    {Opcode::kUPRMT, {prmt, true}},
      {Opcode::kSEL, {sel, true}},      {Opcode::kUSEL, {sel, true}},
      {Opcode::kIMNMX, {imnmx, true}},  {Opcode::kUIMNMX, {imnmx, true}},
      {Opcode::kVIMNMX, {imnmx, true}}, {Opcode::kUVIMNMX, {imnmx, true}},
      {Opcode::kIABS, {iabs, true}},    {Opcode::kUIABS, {iabs, true}}};
  return kKnown;
}

}  // namespace

// Predicates before the first source are results; those behind are inputs.
std::optional<std::uint32_t> StaticValues::evaluate(const StaticLine& l, StaticRegister reg,
                                                    const std::vector<StaticValue>& all) const {
  const Evaluation e{l, reg, all, bank_};
  if (l.moves)
    return e.at(static_cast<std::size_t>(std::find(l.writes.begin(), l.writes.end(), reg) -
                                         l.writes.begin()));
  const bool compares_halves = l.opcode == Opcode::kISETP || l.opcode == Opcode::kUISETP;
  if (l.operands.empty() || l.has(Modifier::kX) || (l.has(Modifier::kEX) && !compares_halves))
    return std::nullopt;
  const auto known = known_opcodes().find(l.opcode);
  if (known == known_opcodes().end()) return std::nullopt;
  if (known->second.one && (!e.first() || l.operands[0].predicate)) return std::nullopt;
  return known->second.of(e);
}

}  // namespace warpmem::sim
