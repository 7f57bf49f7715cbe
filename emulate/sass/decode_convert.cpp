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
  const std::uint32_t row = plain_source(o, 1), to = temporary();
  Inst& in = hidden_compute("machine.half");
  in.d = to, in.a = row, in.sub = shift;
  return to;
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
  const std::uint32_t result = c.to_bytes == 4 ? dest(0) : temporary();
  Inst& to = compute("cvt.from_integer");
  to.d = result, to.a = a, to.sub = c.pack();
  if (c.to_bytes == 4) return;
  Inst& last = emit(Kind::kCompute);
  last.fn = find_handler(c.to_bytes == 8 ? "machine.split" : "machine.from_half"),
  last.hidden = true;
  last.d = dest(0, c.to_bytes / 4u), last.a = result;
}

// F2I[.FTZ][.U32][.F64][.TRUNC][.NTZ] R0, a
void MachineDecoder::float_to_integer() {
  expect(2, 2);
  Conversion c{};
  c.from = LaneKind::kF32, c.to = LaneKind::kS32, c.rounding = rounding_of(*line_);
  c.integral = true, c.saturate = true, c.flush = has("FTZ");
  for (const std::string& m : line_->modifiers) {
    if (const LaneKind k = integer_kind(m); k != LaneKind::kNone) c.to = k;
    if (const LaneKind k = float_kind(m); k != LaneKind::kNone) c.from = k;
  }
  c.from_bytes = bytes_of(c.from), c.to_bytes = bytes_of(c.to) == 8 ? 8 : 4;
  const std::uint32_t a = c.from_bytes == 8   ? double_row(1)
                          : c.from_bytes == 2 ? half_row(1, 16)
                                              : float_source(1);
  const std::uint32_t result = c.to_bytes == 4 ? dest(0) : temporary();
  Inst& to = compute("cvt.to_integer");
  to.d = result, to.a = a, to.sub = c.pack();
  if (c.to_bytes == 4) return;
  Inst& last = emit(Kind::kCompute);
  last.fn = find_handler("machine.split"), last.hidden = true;
  last.d = dest(0, 2), last.a = result;
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
  c.rounding = rounding_of(*line_), c.flush = has("FTZ"), c.saturate = has("SAT");
  c.from_bytes = bytes_of(c.from), c.to_bytes = bytes_of(c.to);
  const std::uint32_t a = c.from_bytes == 8   ? double_row(1)
                          : c.from_bytes == 2 ? half_row(1, 16)
                                              : float_source(1);
  const std::uint32_t result = c.to_bytes == 4 ? dest(0) : temporary();
  Inst& to = compute("cvt.floats");
  to.d = result, to.a = a, to.sub = c.pack();
  if (c.to_bytes == 4) return;
  Inst& last = emit(Kind::kCompute);
  last.fn = find_handler(c.to_bytes == 8 ? "machine.split" : "machine.from_half"),
  last.hidden = true;
  last.d = dest(0, c.to_bytes / 4u), last.a = result;
}

// HADD2.F32 R0, -RZ, R1.H0_H0: a half becomes a float
void MachineDecoder::half_to_float() {
  expect(3, 3);
  if (!at(1).is_zero_register() || !at(1).negative) unknown("it adds halves to a float");
  Conversion c{};
  c.from = LaneKind::kF16, c.to = LaneKind::kF32, c.from_bytes = 2, c.to_bytes = 4;
  const std::uint32_t a = half_row(2, 16);
  Inst& to = compute("cvt.floats");
  to.d = dest(0), to.a = a, to.sub = c.pack();
}

// F2FP.F16.F32.PACK_AB R0, high, low
void MachineDecoder::pack_floats() {
  if (!has("PACK_AB")) unknown("it does not pack two floats");
  expect(3, 3);
  const std::uint32_t a = float_source(1), b = float_source(2);
  Inst& to = compute("cvt.pair");
  to.d = dest(0), to.a = a, to.b = b;
  to.sub = rounding_of(*line_) | (has("BF16") ? 16u : 0) | (has("RELU") ? 32u : 0);
}

// FRND[.F64][.TRUNC] R0, a
void MachineDecoder::round_float() {
  expect(2, 2);
  const bool wide = has("F64");
  Conversion c{};
  c.from = c.to = wide ? LaneKind::kF64 : LaneKind::kF32;
  c.from_bytes = c.to_bytes = wide ? 8 : 4;
  c.integral = true, c.rounding = rounding_of(*line_), c.flush = has("FTZ");
  const std::uint32_t a = wide ? double_row(1) : float_source(1);
  const std::uint32_t result = wide ? temporary() : dest(0);
  Inst& to = compute("cvt.floats");
  to.d = result, to.a = a, to.sub = c.pack();
  if (!wide) return;
  Inst& last = emit(Kind::kCompute);
  last.fn = find_handler("machine.split"), last.hidden = true;
  last.d = dest(0, 2), last.a = result;
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
