// Conversions of machine code: as PTX's, between rows of the widths that those have.
#include <fmt/format.h>

#include "emulate/executor/half.hpp"
#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint8_t bytes_of(LaneKind k) {
  switch (k) {
    case LaneKind::kU64:
    case LaneKind::kS64:
    case LaneKind::kF64: return 8;
    case LaneKind::kF16:
    case LaneKind::kBf16: return 2;
    default: return 4;
  }
}

LaneKind integer_kind(std::string_view m) {
  if (m == "U8") return LaneKind::kU8;
  if (m == "S8") return LaneKind::kS8;
  if (m == "U16") return LaneKind::kU16;
  if (m == "S16") return LaneKind::kS16;
  if (m == "U32") return LaneKind::kU32;
  if (m == "S32") return LaneKind::kS32;
  if (m == "U64") return LaneKind::kU64;
  if (m == "S64") return LaneKind::kS64;
  return LaneKind::kNone;
}
LaneKind float_kind(std::string_view m) {
  if (m == "F16") return LaneKind::kF16;
  if (m == "BF16") return LaneKind::kBf16;
  if (m == "F32") return LaneKind::kF32;
  if (m == "F64") return LaneKind::kF64;
  return LaneKind::kNone;
}

std::uint8_t rounding_of(const MachineLine& line) {
  for (const std::string& m : line.modifiers) {
    if (m == "RZ" || m == "TRUNC") return kZero;
    if (m == "RM" || m == "FLOOR") return kDown;
    if (m == "RP" || m == "CEIL") return kUp;
  }
  return kNearest;
}

}  // namespace

// The source in a row as wide as the conversion takes it.
std::uint32_t MachineDecoder::half_row(std::size_t i, std::uint32_t shift_of_high) {
  const Operand& o = at(i);
  if (o.negative || o.absolute || o.complement)
    unknown(fmt::format("its operand {} has a sign", o.text));
  std::uint32_t shift = 0;
  for (const std::string& m : o.modifiers) {
    if (m == "H1" || m == "H1_H1") shift = shift_of_high;
    else if (m != "H0" && m != "H0_H0")
      unknown(fmt::format("its operand {} has a modifier", o.text));
  }
  return half_of_row(plain_source(o, 1), shift);
}

// A float of so many bytes.
std::uint32_t MachineDecoder::row_of_float(std::size_t i, std::uint32_t bytes) {
  return bytes == 8 ? double_row(i) : bytes == 2 ? half_row(i, 16) : float_source(i);
}

// Row `a` to operand 0, by way of a row as wide as the result.
void MachineDecoder::convert(const char* handler, const Conversion& c, std::uint32_t a) {
  const std::uint32_t result = c.to_bytes == 4 ? dest(0) : temporary();
  Inst& to = compute(handler);
  to.d = result, to.a = a, to.sub = c.pack();
  if (c.to_bytes != 4) from_row(result, c.to_bytes);
}

// I2F[.F64][.U32][.RP] R0, a; I2FP.F32.S32
void MachineDecoder::integer_to_float() {
  expect(2, 2);
  Conversion c{};
  c.from = LaneKind::kS32, c.to = LaneKind::kF32, c.rounding = rounding_of(*line_);
  for (const std::string& m : line_->modifiers) {
    if (const LaneKind k = integer_kind(m); k != LaneKind::kNone) c.from = k;
    if (const LaneKind k = float_kind(m); k != LaneKind::kNone) c.to = k;
  }
  const bool wide = bytes_of(c.from) == 8;
  std::uint32_t a;
  if (wide) {
    a = joined(source(1, 2));
  } else {
    const Operand& o = at(1);
    std::uint32_t shift = 0;
    for (const std::string& m : o.modifiers) {
      if (m == "B1") shift = 8;
      else if (m == "B2") shift = 16;
      else if (m == "B3") shift = 24;
      else if (m == "H1") shift = 16;
      else if (m != "B0" && m != "H0")
        unknown(fmt::format("its operand {} has a modifier", o.text));
    }
    if (o.absolute || o.complement || (o.negative && o.kind != Operand::Kind::kInteger))
      unknown(fmt::format("its operand {} has a sign", o.text));
    a = o.kind == Operand::Kind::kInteger ? source(1) : plain_source(o, 1);
    if (shift) {
      const std::uint32_t to = temporary(), by = constant({shift});
      Inst& in = hidden_compute("shr.u32");
      in.d = to, in.a = a, in.b = by;
      a = to;
    }
  }
  c.from_bytes = wide ? 8 : 4, c.to_bytes = bytes_of(c.to);
  convert("cvt.from_integer", c, a);
}

// F2I[.FTZ][.U32][.F64][.TRUNC][.NTZ] R0, a
void MachineDecoder::float_to_integer() {
  expect(2, 2);
  Conversion c{};
  c.from = LaneKind::kF32, c.to = LaneKind::kS32, c.rounding = rounding_of(*line_);
  c.integral = true, c.saturate = true, c.flush = c.flush_all = has("FTZ");
  c.nan = has("NTZ") ? NanAs::kZero : NanAs::kMost;
  for (const std::string& m : line_->modifiers) {
    if (const LaneKind k = integer_kind(m); k != LaneKind::kNone) c.to = k;
    if (const LaneKind k = float_kind(m); k != LaneKind::kNone) c.from = k;
  }
  c.from_bytes = bytes_of(c.from), c.to_bytes = bytes_of(c.to) == 8 ? 8 : 4;
  convert("cvt.to_integer", c, row_of_float(1, c.from_bytes));
}

// F2F.F64.F32 R0, a: what it becomes, what it is
void MachineDecoder::float_to_float() {
  expect(2, 2);
  Conversion c{};
  std::vector<LaneKind> kinds;
  for (const std::string& m : line_->modifiers)
    if (const LaneKind k = float_kind(m); k != LaneKind::kNone) kinds.push_back(k);
  if (kinds.size() != 2) unknown("it does not say what becomes what");
  c.to = kinds[0], c.from = kinds[1];
  c.rounding = rounding_of(*line_), c.flush_all = has("FTZ"), c.saturate = has("SAT");
  c.from_bytes = bytes_of(c.from), c.to_bytes = bytes_of(c.to);
  convert_floats(c);
}

// A NaN keeps its sign, whatever the operand's is.
void MachineDecoder::convert_floats(Conversion c) {
  const Operand& o = at(1);
  if (c.from_bytes == 2 || (!o.negative && !o.absolute))
    return convert("cvt.floats", c, row_of_float(1, c.from_bytes));
  c.negate = o.negative, c.absolute = o.absolute;
  if (o.complement || !o.modifiers.empty())
    unknown(fmt::format("its operand {} has a modifier", o.text));
  const std::uint32_t a = plain_source(o, c.from_bytes / 4);
  convert("cvt.floats", c, c.from_bytes == 8 ? joined(a) : a);
}

// HADD2.F32 R0, -RZ, R1.H0_H0: a half becomes a float; HADD2 R0, R1.F32, -RZ.H0_H0: a float a half,
// cut off
void MachineDecoder::half_to_float() {
  expect(3, 3);
  const std::size_t which = at(1).is_zero_register() ? 2 : 1;
  const Operand& zero = at(3 - which);
  if (!zero.is_zero_register() || !zero.negative) unknown("it adds halves to a float");
  Conversion c{};
  c.saturate = has("SAT");
  if (has("F32")) {
    c.flush_all = has("FTZ");
    c.from = LaneKind::kF16, c.to = LaneKind::kF32, c.from_bytes = 2, c.to_bytes = 4;
    const std::uint32_t a = half_row(which, 16);
    Inst& to = compute("cvt.floats");
    to.d = dest(0), to.a = a, to.sub = c.pack();
    return;
  }
  c.from = LaneKind::kF32, c.to = LaneKind::kF16, c.from_bytes = 4, c.to_bytes = 2;
  c.rounding = kZero;
  const std::uint32_t a = plain_source(at(which), 1), result = temporary();
  Inst& to = compute("cvt.floats");
  to.d = result, to.a = a, to.sub = c.pack();
  from_row(result, 2);
}

// F2FP.F16.F32.PACK_AB R0, high, low; .MERGE_C R0, a, RZ: one of them; .TF32.F32.PACK_B R0, a
void MachineDecoder::pack_floats() {
  if (has("E4M3") || has("E5M2")) return pack_bytes();
  if (has("TF32")) {
    expect(2, 2);
    if (!has("PACK_B")) unknown("what it makes of a float is not known");
    Conversion c{};
    c.from = LaneKind::kF32, c.to = LaneKind::kTf32, c.from_bytes = c.to_bytes = 4;
    c.rounding = rounding_of(*line_), c.relu = has("RELU");
    const std::uint32_t a = float_source(1);
    Inst& to = compute("cvt.floats");
    to.d = dest(0), to.a = a, to.sub = c.pack();
    return;
  }
  expect(3, 3);
  const std::uint32_t how = rounding_of(*line_) | (has("BF16") ? 16u : 0) |
                            (has("RELU") ? 32u : 0) | (has("SATFINITE") ? 64u : 0);
  std::uint32_t a = zero_, b = zero_;
  if (has("MERGE_C")) {
    if (!at(2).is_zero_register()) unknown("what it merges is not known");
    b = float_source(1);
  } else if (has("PACK_AB")) {
    a = float_source(1), b = float_source(2);
  } else {
    unknown("it does not pack two floats");
  }
  Inst& to = compute("cvt.pair");
  to.d = dest(0), to.a = a, to.b = b, to.sub = how;
}

// F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, high, low, c; .E5M2.F16.UNPACK_B_MERGE_C R0, pair,
// c: the upper half is what the lower one of c was; .F16.E4M3.UNPACK_B R0, pair[.H1]
void MachineDecoder::pack_bytes() {
  const std::uint32_t how = (has("E5M2") ? 1u : 0) | (has("RELU") ? 2u : 0);
  if (has("UNPACK_B")) {
    expect(2, 2);
    const std::uint32_t a = half_row(1, 16);
    Inst& to = compute("cvt.bytes_to_halves");
    to.d = dest(0), to.a = a, to.sub = how;
    return;
  }
  if (!has("SATFINITE")) unknown("what is too large is not cut");
  const bool floats = has("PACK_AB_MERGE_C");
  if (!floats && !has("UNPACK_B_MERGE_C")) unknown("what it packs is not known");
  expect(floats ? 4 : 3, floats ? 4 : 3);
  const std::uint32_t a = floats ? float_source(1) : source(1), b = floats ? float_source(2) : a,
                      result = temporary();
  Inst& to = compute(floats ? "cvt.bytes" : "cvt.halves_to_bytes");
  to.d = result, to.a = a, to.b = b, to.sub = how | (!floats && has("BF16") ? 4u : 0);
  const std::size_t rest = floats ? 3 : 2;
  if (at(rest).is_zero_register()) return from_row(result, 2);
  const std::uint32_t c = source(rest), low = temporary(), high = temporary(), by = constant({16});
  Inst& lower = hidden_compute("machine.from_half");
  lower.d = low, lower.a = result;
  Inst& upper = hidden_compute("shl.b32");
  upper.d = high, upper.a = c, upper.b = by;
  Inst& both = compute("or.b32");
  both.hidden = true, both.d = dest(0), both.a = low, both.b = high;
}

// F2IP.U8.F32[.TRUNC].NTZ R0, RZ, a, RZ: the low byte
void MachineDecoder::pack_converted() {
  expect(4, 4);
  if (!at(1).is_zero_register() || !at(3).is_zero_register())
    unknown("where its other bytes come from is not known");
  Conversion c{};
  c.from = LaneKind::kF32, c.to = LaneKind::kU8, c.from_bytes = c.to_bytes = 4;
  c.integral = c.saturate = true, c.rounding = rounding_of(*line_);
  c.nan = has("NTZ") ? NanAs::kZero : NanAs::kMost;
  const std::uint32_t a = float_source(2);
  Inst& to = compute("cvt.to_integer");
  to.d = dest(0), to.a = a, to.sub = c.pack();
}

// I2IP.S8.S32.SAT R0, a, b, c: c, a and b from the high bits down
void MachineDecoder::pack_integers() {
  expect(4, 4);
  const LaneKind kind = integer_kind(line_->modifiers.empty() ? "" : line_->modifiers[0]);
  const bool narrow = kind == LaneKind::kU8 || kind == LaneKind::kS8,
             is_signed = kind == LaneKind::kS8 || kind == LaneKind::kS16;
  if (!has("SAT") || !has("S32") || (!narrow && kind != LaneKind::kU16 && kind != LaneKind::kS16))
    unknown("what it packs is not known");
  if (!narrow && !at(3).is_zero_register()) unknown("it has no room for a third one");
  const std::uint32_t a = source(1), b = source(2), c = source(3);
  Inst& to = compute("cvt.pack");
  to.d = dest(0), to.a = a, to.b = b, to.c = narrow ? c : kNoOffset;
  to.sub = (narrow ? 8u : 16u) << 1 | (is_signed ? 1u : 0);
}

// FRND[.F64, .F16][.TRUNC] R0, a
void MachineDecoder::round_float() {
  expect(2, 2);
  Conversion c{};
  c.from = c.to = has("F64")    ? LaneKind::kF64
                  : has("F16")  ? LaneKind::kF16
                  : has("BF16") ? LaneKind::kBf16
                                : LaneKind::kF32;
  c.from_bytes = c.to_bytes = bytes_of(c.from);
  c.integral = true, c.rounding = rounding_of(*line_), c.flush = c.flush_all = has("FTZ");
  convert_floats(c);
}

// I2I.U8.S32.SAT R0, a
void MachineDecoder::convert_integer() {
  expect(2, 2);
  std::vector<LaneKind> kinds;
  for (const std::string& m : line_->modifiers)
    if (const LaneKind k = integer_kind(m); k != LaneKind::kNone) kinds.push_back(k);
  if (kinds.size() != 2) unknown("it does not say what becomes what");
  Conversion c{};
  c.to = kinds[0], c.from = kinds[1], c.from_bytes = c.to_bytes = 4, c.saturate = has("SAT");
  const std::uint32_t a = source(1);
  Inst& to = compute("cvt.integers");
  to.d = dest(0), to.a = a, to.sub = c.pack();
}

}  // namespace warpmem::emulate
