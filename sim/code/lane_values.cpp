#include "sim/code/lane_values.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace warpmem::sim {
namespace {

using trace::Modifier;
using trace::Opcode;
using trace::SassOperand;

constexpr std::size_t kLanes = 32;
using Lanes = std::array<std::uint32_t, kLanes>;
using LaneValue = std::optional<Lanes>;  // nullopt: not known

Lanes same(std::uint32_t v) {
  Lanes l;
  l.fill(v);
  return l;
}

// An offset has 16 bits, which some disassemblers print with a sign.
std::uint32_t offset_of(const SassOperand& constant) {
  return static_cast<std::uint32_t>(constant.value) & 0xffff;
}

class Registers {
 public:
  explicit Registers(const trace::Launch& launch) : launch_(launch) {}

  LaneValue read(const SassOperand& o) const {
    LaneValue v;
    if (o.absolute) return v;
    if (o.is_zero_register()) v = same(0);
    else if (o.kind == SassOperand::Kind::kInteger) v = same(static_cast<std::uint32_t>(o.value));
    else if (o.kind == SassOperand::Kind::kConstant) v = constant(o);
    else if (o.kind == SassOperand::Kind::kRegister ||
             o.kind == SassOperand::Kind::kUniformRegister)
      v = of(key(o));
    if (v && o.complement)
      for (std::uint32_t& x : *v) x = ~x;
    if (v && o.negative)
      for (std::uint32_t& x : *v) x = 0 - x;
    return v;
  }
  // The register that moves a constant's address; 0: none does.
  LaneValue index(const SassOperand& constant) const {
    if (moves(constant.base, trace::kZeroRegister)) return of(key(false, constant.base));
    if (moves(constant.uniform, trace::kZeroUniform)) return of(key(true, constant.uniform));
    return same(0);
  }
  static bool indexed(const SassOperand& constant) {
    return moves(constant.base, trace::kZeroRegister) ||
           moves(constant.uniform, trace::kZeroUniform);
  }
  void write(const SassOperand& o, LaneValue v) {
    if (o.kind != SassOperand::Kind::kRegister && o.kind != SassOperand::Kind::kUniformRegister)
      return;
    if (!o.is_zero_register()) values_[key(o)] = std::move(v);
  }
  void forget(const trace::RegisterRange& r) {
    if (r.file != trace::RegisterFile::kUniform && r.file != trace::RegisterFile::kGeneral) return;
    const bool uniform = r.file == trace::RegisterFile::kUniform;
    for (unsigned k = 0; k < r.count; ++k) values_.erase(key(uniform, r.first + k));
  }
  // Thread numbers; what is the same in all lanes counts as zero.
  LaneValue special(trace::Special name) const {
    const auto thread = [&](auto&& part) {
      Lanes l;
      for (std::uint32_t i = 0; i < kLanes; ++i) l[i] = part(i);
      return l;
    };
    const std::uint32_t x = std::max(1u, launch_.block[0]), y = std::max(1u, launch_.block[1]);
    switch (name) {
      case trace::Special::kTidX: return thread([&](std::uint32_t i) { return i % x; });
      case trace::Special::kTidY: return thread([&](std::uint32_t i) { return i / x % y; });
      case trace::Special::kTidZ: return thread([&](std::uint32_t i) { return i / x / y; });
      case trace::Special::kLaneId: return thread([&](std::uint32_t i) { return i; });
      case trace::Special::kCtaId: return same(0);
      case trace::Special::kZero:
      case trace::Special::kOther: break;
    }
    return std::nullopt;
  }

 private:
  static bool moves(std::uint16_t reg, std::uint16_t zero) {
    return reg != trace::kNoRegister && reg != zero;
  }
  static std::uint32_t key(bool uniform, std::uint32_t number) {
    return (uniform ? 1u << 16 : 0u) | number;
  }
  static std::uint32_t key(const SassOperand& o) {
    return key(o.kind == SassOperand::Kind::kUniformRegister, o.number);
  }
  LaneValue of(std::uint32_t reg) const {
    const auto it = values_.find(reg);
    return it == values_.end() ? LaneValue() : it->second;
  }
  // The launch's shape lies at the front of bank 0, behind it is what parameters there are.
  LaneValue constant(const SassOperand& c) const {
    if (c.descriptor != trace::kNoRegister || indexed(c) || c.bank != 0) return std::nullopt;
    const std::uint32_t word = offset_of(c) / 4;
    if (word < 3) return same(launch_.block[word]);
    if (word < 6) return same(launch_.grid[word - 3]);
    return same(0);
  }

  const trace::Launch& launch_;
  std::unordered_map<std::uint32_t, LaneValue> values_;
};

template <class F>
LaneValue each(F f, const LaneValue& a, const LaneValue& b = same(0),
               const LaneValue& c = same(0)) {
  if (!a || !b || !c) return std::nullopt;
  Lanes out;
  for (std::size_t i = 0; i < kLanes; ++i) out[i] = f((*a)[i], (*b)[i], (*c)[i]);
  return out;
}

std::uint32_t logic(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t out = 0;
  for (std::uint32_t k = 0; k < 8; ++k)
    if (table >> k & 1) out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return out;
}

// The result of an instruction whose operands after the destination are `in`; nullopt: not
// followed.
LaneValue result(const trace::SassInstruction& i, std::span<const SassOperand* const> in,
                 const Registers& r) {
  const auto value = [&](std::size_t k) {
    return k < in.size() ? r.read(*in[k]) : LaneValue(same(0));
  };
  using U = std::uint32_t;
  const bool is_unsigned = i.has(Modifier::kU32), high = i.has(Modifier::kHI);
  if (i.has(Modifier::kX)) return std::nullopt;  // with a carry
  const auto by = [](U n) { return std::min<U>(n, 63); };
  const auto left = [&] {
    return high ? LaneValue()
                : each([&](U a, U n, U) { return static_cast<U>(std::uint64_t{a} << by(n)); },
                       value(0), value(1));
  };
  const auto right = [&](const LaneValue& from) {
    const bool is_signed = i.has(Modifier::kS32);
    return each(
        [&](U a, U n, U) {
          return is_signed ? static_cast<U>(std::int64_t{static_cast<std::int32_t>(a)} >> by(n))
                           : static_cast<U>(std::uint64_t{a} >> by(n));
        },
        from, value(1));
  };
  switch (i.opcode) {
    case Opcode::kS2R:
    case Opcode::kS2UR: return in.empty() ? LaneValue() : r.special(trace::special_named(*in[0]));
    case Opcode::kMOV:
    case Opcode::kUMOV:
    case Opcode::kLDC:
    case Opcode::kULDC:
    case Opcode::kR2UR: return value(0);
    case Opcode::kIMAD:
    case Opcode::kUIMAD:
      if (high)
        return each(
            [&](U a, U b, U c) {
              const std::uint64_t product =
                  is_unsigned
                      ? std::uint64_t{a} * b
                      : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                                   static_cast<std::int32_t>(b));
              return static_cast<U>(product >> 32) + c;
            },
            value(0), value(1), value(2));
      if (i.has(Modifier::kMOV)) return value(2);
      return each([](U a, U b, U c) { return a * b + c; }, value(0), value(1), value(2));
    case Opcode::kIADD3:
    case Opcode::kUIADD3:
    case Opcode::kIADD:
    case Opcode::kVIADD:
    case Opcode::kUVIADD:
    case Opcode::kIADD32I:
      return each([](U a, U b, U c) { return a + b + c; }, value(0), value(1), value(2));
    case Opcode::kSHL:
    case Opcode::kUSHL: return left();
    case Opcode::kSHR:
    case Opcode::kUSHR: return i.has(Modifier::kL) ? left() : right(value(0));
    case Opcode::kSHF:
    case Opcode::kUSHF: return i.has(Modifier::kL) ? left() : right(high ? value(2) : LaneValue());
    case Opcode::kLEA:
    case Opcode::kULEA:
      if (!high)
        return each([](U a, U b, U n) { return (a << (n & 31)) + b; }, value(0), value(1),
                    value(2));
      if (in.size() >= 4) {
        const LaneValue upper = each(
            [](U low, U up, U n) {
              return static_cast<U>((std::uint64_t{up} << 32 | low) << (n & 31) >> 32);
            },
            value(0), value(2), value(3));
        return each([](U a, U b, U) { return a + b; }, upper, value(1));
      }
      return std::nullopt;
    case Opcode::kLOP3:
    case Opcode::kULOP3:
      if (in.size() >= 4 && in[3]->kind == SassOperand::Kind::kInteger)
        return each([&](U a, U b, U c) { return logic(a, b, c, static_cast<U>(in[3]->value)); },
                    value(0), value(1), value(2));
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<std::uint32_t> parameter_offset(const trace::SassInstruction& in) {
  const SassOperand* const c = in.constant_operand();
  if (!c || c->bank != 0 || Registers::indexed(*c)) return std::nullopt;
  return offset_of(*c);
}

std::vector<ConstantRead> constant_reads(const trace::DecodedProgram& program,
                                         const trace::Launch& launch) {
  std::vector<ConstantRead> out;
  Registers registers(launch);
  for (std::size_t k = 0; k < program.size(); ++k) {
    const trace::SassInstruction* const in = program[k].sass();
    if (!in) continue;
    if (const SassOperand* const c = in->constant_operand(); c && c->bank != 0) {
      ConstantRead read;
      read.line = k;
      read.indexed = in->opcode == Opcode::kLDC;
      if (const LaneValue index = registers.index(*c)) {
        for (std::uint32_t v : *index)
          read.addresses.push_back(std::uint64_t{c->bank} << 32 | ((v + offset_of(*c)) & 0xffff));
        std::sort(read.addresses.begin(), read.addresses.end());
        read.addresses.erase(std::unique(read.addresses.begin(), read.addresses.end()),
                             read.addresses.end());
      }
      out.push_back(std::move(read));
    }
    // Predicates in front of and behind the destination are left out.
    std::vector<const SassOperand*> operands;
    for (const SassOperand& o : in->operands)
      if (!trace::is_predicate(o)) operands.push_back(&o);
    LaneValue v;
    const bool always = in->guard.when == trace::Guard::When::kAlways;
    if (always && operands.size() > 1) v = result(*in, std::span(operands).subspan(1), registers);
    for (const trace::RegisterRange& r : in->destinations) registers.forget(r);
    if (v && !in->destinations.empty()) registers.write(*operands[0], std::move(v));
  }
  return out;
}

}  // namespace warpmem::sim
