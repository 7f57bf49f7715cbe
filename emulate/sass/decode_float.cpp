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

// FMNMX R0, a, b, predicate: the least where it is true
void MachineDecoder::minmax_float() {
  expect(4, 4);
  const std::uint32_t a = float_source(1), b = float_source(2);
  const Truth which = truth(3);
  const std::string how =
      fmt::format("{}{}f32", has("FTZ") ? "ftz." : "", has("NAN") ? "NaN." : "");
  if (which.row == true_) {
    Inst& to = compute((which.inverted ? "max." : "min.") + how);
    to.d = dest(0), to.a = a, to.b = b;
    return;
  }
  const std::uint32_t least = temporary(), most = temporary();
  Inst& low = hidden_compute("min." + how);
  low.d = least, low.a = a, low.b = b;
  Inst& high = hidden_compute("max." + how);
  high.d = most, high.a = a, high.b = b;
  Inst& to = compute("selp.b32");
  to.d = dest(0), to.a = least, to.b = most, to.c = which.row, to.negate_c = which.inverted;
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
  to.a = a, to.b = b, to.c = with.row, to.negate_c = with.inverted;
  const bool always = with.row == true_ && !with.inverted && has("AND");
  to.sub = always ? 0 : has("AND") ? 1 : has("OR") ? 2 : 3;
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

// MUFU: what PTX's approximations are made of. It flushes, whatever stands around it.
void MachineDecoder::special_function() {
  expect(2, 2);
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
  Inst& last = emit(Kind::kCompute);
  last.fn = find_handler("mov.b32"), last.hidden = true;
  last.d = dest(0), last.a = halves + kRow;
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
  bool x = false, y = false, z = false;
  const std::uint32_t a = double_pair(1, x), b = double_pair(2, y),
                      c = fused ? double_pair(3, z) : a;
  Inst& to = compute(fused                     ? "machine.dfma"
                     : line_->opcode == "DADD" ? "machine.dadd"
                                               : "machine.dmul");
  to.d = dest(0, 2), to.a = a, to.b = b, to.c = c;
  to.sub = (x ? 1 : 0) | (y ? 2 : 0) | (z ? 4 : 0);
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
  const char* how = comparison_of(*line_);
  if (!how) unknown("its comparison is not known");
  const std::uint32_t a = double_row(2), b = double_row(3);
  const Truth with = truth(4);
  Inst& to = compute(fmt::format("setp.{}.f64", how));
  to.a = a, to.b = b, to.c = with.row, to.negate_c = with.inverted;
  const bool always = with.row == true_ && !with.inverted && has("AND");
  to.sub = always ? 0 : has("AND") ? 1 : has("OR") ? 2 : 3;
  to.d = predicate_dest(0), to.d2 = predicate_dest(1);
}

void MachineDecoder::minmax_double() {
  expect(4, 4);
  const std::uint32_t a = double_row(1), b = double_row(2);
  const Truth which = truth(3);
  if (which.row != true_) unknown("a predicate says which of them it takes");
  const std::uint32_t result = temporary();
  Inst& to = compute(which.inverted ? "max.f64" : "min.f64");
  to.d = result, to.a = a, to.b = b;
  Inst& split = emit(Kind::kCompute);
  split.fn = find_handler("machine.split"), split.hidden = true;
  split.d = dest(0, 2), split.a = result;
}

// Two halves: of a register, as its selection says, or of an immediate, which is two operands.
std::uint32_t MachineDecoder::half_pair(std::size_t& i, bool bfloat) {
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
  if (!o.negative && !o.absolute) return row;
  const std::uint32_t to = temporary();
  Inst& in = hidden_compute("machine.sign");
  in.d = to, in.a = row, in.target = o.absolute ? 0x7fff7fffu : ~0u;
  in.extra = o.negative ? 0x80008000u : 0;
  return to;
}

// HADD2, HMUL2, HFMA2
void MachineDecoder::half_arithmetic() {
  const bool bfloat = has("BF16_V2") || has("BF16");
  if (has("F32")) return half_to_float();
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

}  // namespace warpmem::emulate
