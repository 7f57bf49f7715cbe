// Integers of 64 bits, which 10.0 and 12.0 have instructions for: pairs of registers. And the two
// more registers that code makes of the one for calls.
#include <fmt/format.h>

#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;

}  // namespace

// A row of 64 bits, with its sign.
std::uint32_t MachineDecoder::wide_source(std::size_t i) {
  const Operand& o = at(i);
  if (o.absolute || o.complement || !o.modifiers.empty())
    unknown(fmt::format("its operand {} has a modifier", o.text));
  if (o.kind == Operand::Kind::kInteger) return joined(source(i, 2));
  const std::uint32_t row = joined(plain_source(o, 2));
  if (!o.negative) return row;
  const std::uint32_t none = joined(zero_), to = temporary();
  Inst& in = hidden_compute("sub.u64");
  in.d = to, in.a = none, in.b = row;
  return to;
}

// IADD.64 R0, a, b; UIADD3.64 UR4, UPT, UPT, a, b, URZ; with a carry out: IADD.64 R0, P0, a, b; in:
// IADD.64.X R0, a, ~b, P0
void MachineDecoder::add_wide() {
  std::size_t i = 1;
  std::uint32_t carry = kNoOffset;
  for (std::size_t n = 0; n < 2 && is_predicate(i); ++n)
    if (const std::uint32_t p = predicate_dest(i++); p != kNoOffset) {
      if (carry != kNoOffset) unknown("it gives two carries");
      carry = p;
    }
  if (has("X") || carry != kNoOffset) return add_with_carries(i, carry);
  std::uint32_t sum = wide_source(i++);
  if (i == count()) unknown("it adds nothing");
  for (; i < count(); ++i) {
    if (at(i).is_zero_register()) continue;
    const std::uint32_t b = wide_source(i), to = temporary();
    Inst& in = hidden_compute("add.u64");
    in.d = to, in.a = sum, in.b = b;
    sum = to;
  }
  from_row(sum, 8);
  code_.code.back().hidden = false;
}

// Two sums of 32 bits: the low one's carry is the high one's.
void MachineDecoder::add_with_carries(std::size_t i, std::uint32_t carry) {
  constexpr std::uint32_t kNegateB = 2, kExtended = 8, kNotCarry = 16;  // of lanes/machine.hpp
  const bool extended = has("X");
  Truth with{kNoOffset, false};
  if (extended) with = truth(i + 2);
  if (i + 2 + (extended ? 1 : 0) != count()) unknown("it has more operands than two and a carry");
  const auto pair = [&](std::size_t k, bool& negated) {
    const Operand& o = at(k);
    if (o.kind == Operand::Kind::kInteger) return source(k, 2);
    if (o.absolute || !o.modifiers.empty() || (extended ? o.negative : o.complement))
      unknown(fmt::format("its operand {} has a modifier", o.text));
    negated = o.negative || o.complement;
    return plain_source(o, 2);
  };
  bool x = false, y = false;
  const std::uint32_t a = pair(i, x), b = pair(i + 1, y), d = dest(0, 2), middle = temporary();
  if (x) unknown("its first operand is negated");
  for (std::uint32_t k = 0; k < 2; ++k) {
    Inst& to = compute("machine.sum3.carry");
    to.hidden = k != 0;
    to.d = d == sink_ ? sink_ : d + k * kRow, to.a = a == zero_ ? zero_ : a + k * kRow;
    to.b = b == zero_ ? zero_ : b + k * kRow, to.c = zero_;
    to.d2 = k == 0 ? middle : carry, to.extra = kNoOffset;
    to.e = k == 0 ? with.row : middle, to.target = kNoOffset;
    to.sub = (y ? kNegateB : 0) | (extended || k != 0 ? kExtended : 0) |
             (k == 0 && with.inverted ? kNotCarry : 0);
  }
}

void MachineDecoder::select_wide() {
  expect(4, 4);
  const std::uint32_t a = source(1, 2), b = source(2, 2), d = dest(0, 2);
  const Truth which = truth(3);
  for (std::uint32_t k = 0; k < 2; ++k) {
    Inst& to = compute("selp.b32");
    to.d = d == sink_ ? sink_ : d + k * kRow, to.hidden = k != 0;
    to.a = a == zero_ ? zero_ : a + k * kRow, to.b = b == zero_ ? zero_ : b + k * kRow;
    to.c = which.row, to.negate_c = which.inverted;
  }
}

void MachineDecoder::move_wide() {
  expect(2, 2);
  const std::uint32_t a = source(1, 2), pair = joined(a);
  from_row(pair, 8);  // the registers may overlap
  code_.code.back().hidden = false;
}

// ISETP.GE.S64.AND P0, P1, a, b, predicate
void MachineDecoder::compare_wide() {
  expect(5, 5);
  static constexpr std::pair<std::string_view, const char*> kHow[] = {
      {"LT", "lt"}, {"EQ", "eq"}, {"LE", "le"}, {"GT", "gt"}, {"NE", "ne"}, {"GE", "ge"}};
  const char* how = nullptr;
  for (const auto& [modifier, name] : kHow)
    if (has(modifier)) how = name;
  if (!how || has("EX")) unknown("its comparison is not known");
  const std::uint32_t a = wide_source(2), b = wide_source(3);
  const Truth with = truth(4);
  Inst& to = compute(fmt::format("setp.{}.{}", how, has("U64") ? "u64" : "s64"));
  to.d = predicate_dest(0), to.d2 = predicate_dest(1), to.a = a, to.b = b;
  join_with(to, with);
}

// IMNMX.S64 PT, PT, R0, a, b, predicate, !PT: the least where it is true
void MachineDecoder::minmax_wide() {
  expect(7, 7);
  if (predicate_dest(0) != kNoOffset || predicate_dest(1) != kNoOffset)
    unknown("it gives predicates");
  const Truth which = truth(5), more = truth(6);
  if (which.row != true_ || more.row != true_ || !more.inverted)
    unknown("predicates say which of them it takes");
  const std::uint32_t a = wide_source(3), b = wide_source(4), result = temporary();
  Inst& to =
      compute(fmt::format("{}.{}", which.inverted ? "max" : "min", has("U64") ? "u64" : "s64"));
  to.d = result, to.a = a, to.b = b;
  from_row(result, 8, 2);
}

// RPCMOV.32 Rpc.LO, R0; RPCMOV.32 R0, Rpc.HI
void MachineDecoder::move_spare() {
  expect(2, 2);
  const auto spare = [&](const Operand& o) -> std::uint32_t {
    if (o.text == "Rpc.LO") return spare_;
    return o.text == "Rpc.HI" ? spare_ + kRow : kNoOffset;
  };
  const std::uint32_t to_spare = spare(at(0)), from_spare = spare(at(1));
  if (!has("32") || (to_spare == kNoOffset) == (from_spare == kNoOffset))
    unknown("what it moves is not known");
  const std::uint32_t a = from_spare != kNoOffset ? from_spare : source(1);
  Inst& to = compute("mov.b32");
  to.d = to_spare != kNoOffset ? to_spare : dest(0), to.a = a;
}

}  // namespace warpmem::emulate
