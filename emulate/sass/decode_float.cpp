// Floats, doubles and halves of machine code.
#include <fmt/format.h>

#include "emulate/executor/half.hpp"
#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;
constexpr std::uint32_t kFlush = 4;  // Inst::fp

struct Comparison {
  std::string_view modifier;
  const char* name;
};
constexpr Comparison kComparisons[] = {
    {"LT", "lt"},   {"EQ", "eq"},   {"LE", "le"},   {"GT", "gt"},   {"NE", "ne"},
    {"GE", "ge"},   {"NUM", "num"}, {"NAN", "nan"}, {"LTU", "ltu"}, {"EQU", "equ"},
    {"LEU", "leu"}, {"GTU", "gtu"}, {"NEU", "neu"}, {"GEU", "geu"}};

const char* comparison_of(const MachineLine& line) {
  for (const std::string& m : line.modifiers)
    for (const Comparison& c : kComparisons)
      if (c.modifier == m) return c.name;
  return nullptr;
}

}  // namespace

void MachineDecoder::add_float() {
  expect(3, 3);
  const Operand& second = at(2);
  const bool subtracts = second.negative && !second.absolute &&
                         second.kind != Operand::Kind::kInteger &&
                         second.kind != Operand::Kind::kFloat && second.modifiers.empty();
  const std::uint32_t a = float_source(1),
                      b = subtracts ? plain_source(second, 1) : float_source(2);
  Inst& to = compute(subtracts ? "sub.f32" : "add.f32");
  to.d = dest(0), to.a = a, to.b = b;
  float_mode(to);
}

void MachineDecoder::multiply_float() {
  expect(3, 3);
  const std::uint32_t a = float_source(1), b = float_source(2);
  Inst& to = compute("mul.f32");
  to.d = dest(0), to.a = a, to.b = b;
  float_mode(to);
}

void MachineDecoder::fma_float() {
  expect(4, 4);
  const std::uint32_t a = float_source(1), b = float_source(2), c = float_source(3);
  Inst& to = compute("fma.f32");
  to.d = dest(0), to.a = a, to.b = b, to.c = c;
  float_mode(to);
}

// FMNMX R0, a, b, predicate: the least where it is true; .XORSIGN R0, |a|, |b|: with both signs
void MachineDecoder::minmax_float() {
  expect(4, 4);
  const bool crosses = has("XORSIGN");
  const std::uint32_t a = crosses ? magnitude(1) : float_source(1),
                      b = crosses ? magnitude(2) : float_source(2);
  const Truth which = truth(3);
  const std::string how = fmt::format("{}{}{}f32", has("FTZ") ? "ftz." : "",
                                      has("NAN") ? "NaN." : "", crosses ? "xorsign.abs." : "");
  choose_minmax(dest(0), a, b, which, "min." + how, "max." + how);
}

// |R4| of an operation that takes the sign itself.
std::uint32_t MachineDecoder::magnitude(std::size_t i) {
  const Operand& o = at(i);
  if (!o.absolute || o.negative || o.complement || !o.modifiers.empty())
    unknown(fmt::format("its operand {} is no magnitude", o.text));
  return plain_source(o, 1);
}

// FSETP.GT.FTZ.AND P0, P1, a, b, predicate; FSET.BF.GT.AND R0, a, b, predicate
void MachineDecoder::compare_floats() {
  const char* how = comparison_of(*line_);
  if (!how) unknown("its comparison is not known");
  const bool sets = line_->opcode == "FSET";
  expect(sets ? 4 : 5, sets ? 4 : 5);
  const std::size_t first = sets ? 1 : 2;
  const std::uint32_t a = float_source(first), b = float_source(first + 1);
  const Truth with = truth(first + 2);
  Inst& to = compute(fmt::format("{}.{}.f32", sets ? "set" : "setp", how));
  to.a = a, to.b = b;
  join_with(to, with);
  if (sets) to.d = dest(0), to.sub |= has("BF") ? 4 : 0;
  else to.d = predicate_dest(0), to.d2 = predicate_dest(1);
  float_mode(to);
}

void MachineDecoder::select_float() {
  expect(4, 4);
  const std::uint32_t a = float_source(1), b = float_source(2);
  const Truth which = truth(3);
  Inst& to = compute("selp.b32");
  to.d = dest(0), to.a = a, to.b = b, to.c = which.row, to.negate_c = which.inverted;
}

// MUFU: what PTX's approximations are made of. It flushes, whatever stands around it, but for TANH.
void MachineDecoder::special_function() {
  expect(2, 2);
  if (has("F16") || has("BF16")) return special_function_of_half();
  struct One {
    std::string_view modifier;
    const char* handler;
  };
  static constexpr One kAll[] = {
      {"RCP", "rcp.f32"}, {"RSQ", "rsqrt.f32"}, {"SQRT", "sqrt.f32"},   {"EX2", "ex2.f32"},
      {"LG2", "lg2.f32"}, {"TANH", "tanh.f32"}, {"SIN", "machine.sin"}, {"COS", "machine.cos"}};
  for (const One& one : kAll) {
    if (!has(one.modifier)) continue;
    const std::uint32_t a = float_source(1);
    Inst& to = compute(one.handler);
    to.d = dest(0), to.a = a;
    if (one.modifier == "TANH") return;
    to.fp = kFlush, to.float_bytes = 4, to.inner = to.fn, to.fn = mode_wrapper();
    return;
  }
  // Of a double's high half, to a double's high half.
  if (!has("RCP64H") && !has("RSQ64H")) unknown("its function is not known");
  const std::uint32_t a = float_source(1);
  const std::uint32_t pair = temporary(), result = temporary();
  Inst& low = hidden_compute("mov.b32");
  low.d = pair, low.a = zero_;
  Inst& high = hidden_compute("mov.b32");
  high.d = pair + kRow, high.a = a;
  const std::uint32_t wide = joined(pair);
  Inst& to = compute(has("RCP64H") ? "rcp.approx.f64" : "rsqrt.approx.ftz.f64");
  to.d = result, to.a = wide;
  const std::uint32_t halves = temporary();
  Inst& split = hidden_compute("machine.split");
  split.d = halves, split.a = result;
  Inst& last = compute("mov.b32");
  last.hidden = true, last.d = dest(0), last.a = halves + kRow;
}

// MUFU.EX2.F16 R0, a[.H1]; .TANH; of bfloats EX2 flushes
void MachineDecoder::special_function_of_half() {
  if (!has("EX2") && !has("TANH")) unknown("of a half its function is not known");
  const bool bfloat = has("BF16");
  const std::uint32_t a = half_row(1, 16), result = temporary();
  Inst& to = compute(fmt::format("{}.{}", has("EX2") ? "ex2" : "tanh", bfloat ? "bf16" : "f16"));
  to.d = result, to.a = a, to.sub = bfloat && has("EX2") ? 2 : 0;
  from_row(result, 2);
}

void MachineDecoder::check_division() {
  expect(3, 3);
  const std::uint32_t a = float_source(1), b = float_source(2);
  const std::uint32_t d = predicate_dest(0);
  if (d == kNoOffset) return nothing();
  Inst& to = compute("machine.fchk");
  to.d = d, to.a = a, to.b = b;
}

// DADD, DMUL, DFMA
void MachineDecoder::double_arithmetic() {
  const bool fused = line_->opcode == "DFMA";
  expect(fused ? 4 : 3, fused ? 4 : 3);
  // A NaN keeps its sign: signs are the operation's.
  std::uint32_t signs = 0, rows[3] = {};
  for (std::uint32_t k = 0; k < (fused ? 3u : 2u); ++k) {
    bool negated = false, absolute = false;
    rows[k] = double_pair(1 + k, negated, &absolute);
    signs |= (negated ? 1u : 0) << k | (absolute ? 8u : 0) << k;
  }
  Inst& to = compute(fused                     ? "machine.dfma"
                     : line_->opcode == "DADD" ? "machine.dadd"
                                               : "machine.dmul");
  to.d = dest(0, 2), to.a = rows[0], to.b = rows[1], to.c = rows[2];
  to.sub = signs;
  float_mode(to);
}

std::uint32_t MachineDecoder::double_row(std::size_t i) {
  bool negated = false;
  const std::uint32_t pair = double_pair(i, negated);
  if (!negated) return joined(pair);
  const std::uint32_t to = temporary();
  Inst& low = hidden_compute("mov.b32");
  low.d = to, low.a = pair;
  Inst& high = hidden_compute("machine.sign");
  high.d = to + kRow, high.a = pair + kRow, high.target = ~0u, high.extra = 0x80000000u;
  return joined(to);
}

void MachineDecoder::compare_doubles() {
  expect(5, 5);
  if (has("MAX") || has("MIN")) return extreme_of_doubles();
  const char* how = comparison_of(*line_);
  if (!how) unknown("its comparison is not known");
  const std::uint32_t a = double_row(2), b = double_row(3);
  const Truth with = truth(4);
  Inst& to = compute(fmt::format("setp.{}.f64", how));
  to.a = a, to.b = b;
  join_with(to, with);
  to.d = predicate_dest(0), to.d2 = predicate_dest(1);
}

// DSETP.MAX.AND P0, P1, a, b, PT: whether a is the larger one; whether both are no numbers
void MachineDecoder::extreme_of_doubles() {
  const std::uint32_t a = double_row(2), b = double_row(3);
  const Truth with = truth(4);
  if (!has("AND") || with.row != true_ || with.inverted)
    unknown("it joins its result with a predicate");
  Inst& to = compute(has("MAX") ? "machine.dsetp.max" : "machine.dsetp.min");
  to.d = predicate_dest(0), to.d2 = predicate_dest(1), to.a = a, to.b = b;
}

void MachineDecoder::minmax_double() {
  expect(4, 4);
  const std::uint32_t a = double_row(1), b = double_row(2);
  const Truth which = truth(3);
  if (which.row != true_) unknown("a predicate says which of them it takes");
  const std::uint32_t result = temporary();
  Inst& to = compute(which.inverted ? "max.f64" : "min.f64");
  to.d = result, to.a = a, to.b = b;
  from_row(result, 8);
}

// Two halves: of a register, as its selection says, or of an immediate, which is two operands.
std::uint32_t MachineDecoder::half_pair(std::size_t& i, bool bfloat, bool signs) {
  const Operand& o = at(i);
  const auto is_number = [](const Operand& n) {
    return n.kind == Operand::Kind::kFloat || n.kind == Operand::Kind::kInteger;
  };
  if (is_number(o)) {
    if (!is_number(at(i + 1))) unknown("an immediate has one half only");
    const auto half = [&](const Operand& n) -> std::uint32_t {
      if (n.nan) return 0x7fff;
      return bfloat ? bfloat_of(n.real) : half_of(n.real);
    };
    const std::uint32_t value = half(o) << 16 | half(at(i + 1));
    i += 2;
    return constant({value});
  }
  std::uint32_t row = plain_source(o, 1);
  ++i;
  std::uint32_t choice = 0;
  for (const std::string& m : o.modifiers) {
    if (m == "H0_H0") choice = 0x1010;
    else if (m == "H1_H1") choice = 0x3232;
    else if (m != "H1_H0") unknown(fmt::format("its operand {} has a modifier", o.text));
  }
  if (choice) {
    const std::uint32_t to = temporary(), how = constant({choice});
    Inst& in = hidden_compute("prmt.b32");
    in.d = to, in.a = row, in.b = zero_, in.c = how;
    row = to;
  }
  if (!signs || (!o.negative && !o.absolute)) return row;
  const std::uint32_t to = temporary();
  Inst& in = hidden_compute("machine.sign");
  in.d = to, in.a = row, in.target = o.absolute ? 0x7fff7fffu : ~0u;
  in.extra = o.negative ? 0x80008000u : 0;
  return to;
}

// HADD2, HMUL2, HFMA2
void MachineDecoder::half_arithmetic() {
  const bool bfloat = has("BF16_V2") || has("BF16");
  if (has("F32") || (count() > 1 && at(1).has("F32"))) return half_to_float();
  const bool fused = line_->opcode == "HFMA2";
  std::size_t i = 1;
  // The way to a constant that keeps other units free: -0 x 0 and two halves.
  if (fused && at(1).is_zero_register() && at(2).is_zero_register() && count() == 5) {
    i = 3;
    const std::uint32_t value = half_pair(i, bfloat);
    Inst& to = compute("mov.b32");
    to.d = dest(0), to.a = value;
    return;
  }
  const std::uint32_t a = half_pair(i, bfloat), b = half_pair(i, bfloat),
                      c = fused ? half_pair(i, bfloat) : a;
  if (i != count()) unknown("it has more operands than it takes");
  const char* type = bfloat ? "bf16x2" : "f16x2";
  Inst& to = compute(fmt::format("{}{}.{}",
                                 fused                      ? "fma"
                                 : line_->opcode == "HADD2" ? "add"
                                                            : "mul",
                                 has("RELU") ? ".relu" : "", type));
  to.d = dest(0), to.a = a, to.b = b, to.c = c;
  to.sub = (has("SAT") ? 1 : 0) | (has("FTZ") ? 2 : 0);
}

// HSETP2.GT.AND P0, P1, a, b, predicate
void MachineDecoder::compare_halves() {
  const char* how = comparison_of(*line_);
  if (!how || !has("AND")) unknown("its comparison is not known");
  const bool bfloat = has("BF16_V2") || has("BF16");
  std::size_t i = 2;
  const std::uint32_t a = half_pair(i, bfloat), b = half_pair(i, bfloat);
  const Truth with = truth(i);
  if (i + 1 != count() || with.row != true_ || with.inverted)
    unknown("it joins its result with a predicate");
  Inst& to = compute(
      fmt::format("setp.{}{}.{}", has("FTZ") ? "ftz." : "", how, bfloat ? "bf16x2" : "f16x2"));
  to.d = predicate_dest(0), to.d2 = predicate_dest(1), to.a = a, to.b = b;
}

// HSET2[.BF].GEU[.FTZ].AND R0, a, b, PT: 1.0 or all ones in each half
void MachineDecoder::set_halves() {
  const char* how = comparison_of(*line_);
  if (!how || !has("AND")) unknown("its comparison is not known");
  const bool bfloat = has("BF16_V2");
  std::size_t i = 1;
  const std::uint32_t a = half_pair(i, bfloat), b = half_pair(i, bfloat);
  const Truth with = truth(i);
  if (i + 1 != count() || with.row != true_ || with.inverted)
    unknown("it joins its result with a predicate");
  Inst& to = compute(
      fmt::format("set.{}{}.{}", has("FTZ") ? "ftz." : "", how, bfloat ? "bf16x2" : "f16x2"));
  to.d = dest(0), to.a = a, to.b = b;
  to.sub = (!has("BF") ? 2u : bfloat ? 3u : 1u) << 2;
}

// VHMNMX R0, a, b, c, predicate: the least of three halves where it is true
void MachineDecoder::minmax_of_three_halves() {
  std::size_t i = 1;
  const std::uint32_t a = half_pair(i, false), b = half_pair(i, false), c = half_pair(i, false),
                      two = temporary();
  if (i + 1 != count()) unknown("it has other operands than three and a predicate");
  const Truth which = truth(i);
  if (which.row != true_) unknown("a predicate says which of them it takes");
  const char* how = which.inverted ? "max.f16x2" : "min.f16x2";
  Inst& first = hidden_compute(how);
  first.d = two, first.a = a, first.b = b;
  Inst& to = compute(how);
  to.d = dest(0), to.a = two, to.b = c;
}

// HMNMX2[.FTZ][.NAN] R0, a, b, predicate: the least where it is true; .XORSIGN R0, |a|, |b|
void MachineDecoder::minmax_halves() {
  const bool bfloat = has("BF16_V2"), crosses = has("XORSIGN");
  std::size_t i = 1;
  const auto pair = [&] {
    if (!crosses) return half_pair(i, bfloat);
    if (!at(i).absolute || at(i).negative)
      unknown(fmt::format("its operand {} is no magnitude", at(i).text));
    return half_pair(i, bfloat, false);
  };
  const std::uint32_t a = pair(), b = pair();
  if (i + 1 != count()) unknown("it has other operands than two and a predicate");
  const std::string how = fmt::format("{}{}{}", has("NAN") ? "NaN." : "",
                                      crosses ? "xorsign.abs." : "", bfloat ? "bf16x2" : "f16x2");
  choose_minmax(dest(0), a, b, truth(i), "min." + how, "max." + how, has("FTZ") ? 2 : 0);
}

}  // namespace warpmem::emulate
