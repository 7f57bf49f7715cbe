// Integer and bit operations of machine code.
#include <fmt/format.h>

#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kNegateA = 1, kNegateB = 2, kNegateC = 4, kExtended = 8, kNotCarry = 16,
                        kNotCarry2 = 32;  // of lanes/machine.hpp

}  // namespace

// IADD3 R0, [P0,] [P1,] a, b, c [, carry [, carry]]; UIADD3.
void MachineDecoder::add3() {
  if (has("64")) return add_wide();
  std::uint32_t out[2] = {kNoOffset, kNoOffset};
  std::size_t i = 1;
  bool carries = false;
  for (std::size_t n = 0; n < 2 && is_predicate(i); ++n)
    out[n] = predicate_dest(i++), carries = true;
  bool x = false, y = false, z = false;
  const bool two = line_->opcode == "IADD";  // since 12.0
  const std::uint32_t a = integer_source(i, x), b = integer_source(i + 1, y),
                      c = two ? zero_ : integer_source(i + 2, z);
  i += two ? 2 : 3;
  Truth in[2] = {{kNoOffset, false}, {kNoOffset, false}};
  for (std::size_t n = 0; n < 2 && i < count(); ++n)
    if (in[n] = truth(i++); in[n].row == true_ && in[n].inverted) in[n] = {kNoOffset, false};
    else carries = true;
  if (i != count()) unknown("it has more operands than a sum of three");
  const bool extended = has("X");
  Inst& to = compute(carries || extended ? "machine.sum3.carry" : "machine.sum3");
  to.d = dest(0), to.a = a, to.b = b, to.c = c;
  to.sub = (x ? kNegateA : 0) | (y ? kNegateB : 0) | (z ? kNegateC : 0) |
           (extended ? kExtended : 0) | (in[0].inverted ? kNotCarry : 0) |
           (in[1].inverted ? kNotCarry2 : 0);
  to.d2 = out[0], to.extra = out[1], to.e = in[0].row, to.target = in[1].row;
}

// VIADD R0, a, b; .16x2, .U8x4: of 16 and 8 bits each; .S32.ISAT: cut to what has a place
void MachineDecoder::add2() {
  expect(3, 3);
  if (has("16x2")) {
    const std::uint32_t a = source(1), b = source(2);
    Inst& to = compute("add.u16x2");
    to.d = dest(0), to.a = a, to.b = b;
    return;
  }
  bool x = false, y = false;
  const std::uint32_t a = integer_source(1, x), b = integer_source(2, y);
  if (has("ISAT")) {
    if (x || !has("S32")) unknown("its first operand is negated, or has no sign");
    Inst& to = compute(y ? "sub.sat.s32" : "add.sat.s32");
    to.d = dest(0), to.a = a, to.b = b;
    return;
  }
  if (has("U8x4")) {
    if (x) unknown("its first operand is negated");
    Video v{};
    v.op = y ? VideoOp::kSub : VideoOp::kAdd, v.parts = 4;
    Inst& to = compute("video.parts");
    to.d = dest(0), to.a = a, to.b = b, to.c = zero_, to.sub = v.pack();
    return;
  }
  Inst& to = compute(x || y ? "machine.sum3" : "add.u32");
  to.d = dest(0), to.a = a, to.b = b, to.c = zero_;
  to.sub = (x ? kNegateA : 0) | (y ? kNegateB : 0);
}

// IMAD[.MOV, .IADD, .SHL: as it is] R0, a, b, c; .X with a carry; .WIDE, .HI with a pair c.
void MachineDecoder::multiply_add() {
  const bool wide = has("WIDE"), high = has("HI");
  std::size_t i = 1;
  std::uint32_t out = kNoOffset;
  bool carries = false;
  if (is_predicate(i)) out = predicate_dest(i++), carries = true;
  bool x = false, y = false, z = false;
  const std::uint32_t a = integer_source(i, x), b = integer_source(i + 1, y);
  const Operand& third = at(i + 2);
  const std::uint32_t c = wide || high
                              ? (z = third.negative && third.kind != Operand::Kind::kInteger,
                                 third.kind == Operand::Kind::kInteger
                                     ? constant({static_cast<std::uint32_t>(third.value), 0})
                                     : plain_source(third, 2))
                              : integer_source(i + 2, z);
  i += 3;
  Truth in{kNoOffset, false};
  if (i < count()) in = truth(i++), carries = true;
  if (i != count()) unknown("it has more operands than a product and a sum");
  if (in.row == true_ && in.inverted) in = {kNoOffset, false};
  if (has("X")) carries = true;
  if (carries && (x || y || (z && (wide || high))))
    unknown("a product with a carry has a negated operand");
  if (third.complement && (wide || high)) {
    if (!has("X")) unknown(fmt::format("its operand {} has a modifier", third.text));
    z = true;  // ~R4 with a carry: what is subtracted
  }
  if (carries && !wide && !high && out != kNoOffset) unknown("a product of 32 bits gives a carry");
  const bool is_unsigned = has("U32");
  const std::string name = !wide && !high
                               ? (carries ? "machine.mad.carry" : "machine.mad")
                               : fmt::format("machine.mad.{}{}.{}", wide ? "wide" : "hi",
                                             carries ? ".carry" : "", is_unsigned ? "u32" : "s32");
  // What moves and shifts look like when there is no other unit free.
  const bool moves = name == "machine.mad" && a == zero_ && b == zero_ && !z;
  const bool multiplies = name == "machine.mad" && !x && !y && !z;
  Inst& to = compute(moves        ? "mov.b32"
                     : multiplies ? (c == zero_ ? "mul.lo.u32" : "mad.lo.u32")
                                  : name);
  to.d = dest(0, wide ? 2 : 1), to.a = moves ? c : a, to.b = b, to.c = c, to.d2 = out;
  to.e = in.row;
  to.sub = (x != y ? kNegateA : 0) | (z ? kNegateC : 0) | (in.inverted ? kNotCarry : 0);
}

// LEA R0, [P0,] a, b, shift; .HI: a, b, c, shift; .HI.X: … and a carry; .HI.SX32: a, b, shift
void MachineDecoder::lea() {
  const bool high = has("HI"), sign = has("SX32"), extended = has("X");
  std::size_t i = 1;
  std::uint32_t out = kNoOffset;
  if (is_predicate(i)) out = predicate_dest(i++);
  bool x = false, y = false;
  const std::uint32_t a = integer_source(i, x), b = integer_source(i + 1, y);
  i += 2;
  const std::uint32_t c = high && !sign ? source(i++) : zero_;
  const std::uint32_t shift = number(i++) & 31;
  Truth in{kNoOffset, false};
  if (i < count()) in = truth(i++);
  if (i != count()) unknown("it has more operands than a shift and a sum");
  if (in.row == true_ && in.inverted) in = {kNoOffset, false};
  if (high && x) unknown("the operand that it shifts is negated");
  if (!high && (in.row != kNoOffset || (extended && y))) unknown("it takes a carry");
  Inst& to = compute(high ? (sign ? "machine.lea.hi.sx32" : "machine.lea.hi")
                          : (out == kNoOffset ? "machine.lea" : "machine.lea.carry"));
  to.d = dest(0), to.d2 = out, to.a = a, to.b = b, to.c = c, to.e = in.row, to.extra = shift;
  to.sub = (x ? kNegateA : 0) | (y ? kNegateB : 0) | (extended ? kExtended : 0) |
           (in.inverted ? kNotCarry : 0);
}

// SHF.R.U32.HI R0, low, shift, high
void MachineDecoder::shift() {
  expect(4, 4);
  const bool right = has("R"), high = has("HI"), is_signed = has("S32") || has("S64");
  const bool wide = has("U64") || has("S64");
  const std::uint32_t a = source(1), b = source(2), c = source(3);
  const char* bits = wide ? "64" : "32";
  const std::string name =
      right ? fmt::format("machine.shf.r{}.{}.{}", high ? ".hi" : "", is_signed ? "s" : "u", bits)
            : fmt::format("machine.shf.l{}.{}", high ? ".hi" : "", bits);
  // Plain shifts of one register, by far the most of them.
  const bool left = !right && !high && !has("W");
  const bool plain_right = right && high && !wide && a == zero_ && !has("W");
  Inst& to = compute(left ? "shl.b32" : plain_right ? (is_signed ? "shr.s32" : "shr.u32") : name);
  to.d = dest(0), to.a = plain_right ? c : a, to.b = b, to.c = c;
  to.sub = has("W") ? 1 : 0;
}

// LOP3.LUT [P0,] R0, a, b, c, table, predicate
void MachineDecoder::logic3() {
  std::size_t i = 0;
  std::uint32_t out = kNoOffset;
  if (is_predicate(0)) out = predicate_dest(i++);
  const std::uint32_t d = dest(i++);
  const std::uint32_t a = source(i), b = source(i + 1), c = source(i + 2), table = number(i + 3);
  i += 4;
  Truth with{true_, true};
  if (i < count()) with = truth(i++);
  if (i != count()) unknown("it has more operands than three and a predicate");
  struct Plain {
    std::uint32_t table;
    const char* name;
  };
  static constexpr Plain kPlain[] = {{0xc0, "and.b32"}, {0xfc, "or.b32"}, {0x3c, "xor.b32"}};
  const char* name = "lop3.b32";
  if (out == kNoOffset && c == zero_)
    for (const Plain& p : kPlain)
      if (p.table == table) name = p.name;
  Inst& to = compute(name);
  to.d = d, to.a = a, to.b = b, to.c = c, to.d2 = out, to.e = with.row;
  to.negate_c = with.inverted;
  to.sub = table | (has("PAND") ? 1u : 2u) << 8;
}

// A predicate, or the sign of a register: R4.SIGN.
MachineDecoder::Truth MachineDecoder::truth_or_sign(std::size_t i) {
  const Operand& o = at(i);
  if (o.kind != Operand::Kind::kRegister) return truth(i);
  if (!o.has("SIGN") || o.modifiers.size() != 1 || o.negative || o.absolute)
    unknown(fmt::format("its operand {} is no predicate", o.text));
  const std::uint32_t a = plain_source(o, 1), to = temporary();
  Inst& in = hidden_compute("setp.lt.s32");
  in.d = to, in.d2 = kNoOffset, in.a = a, in.b = zero_, in.c = true_;
  return {to, o.complement};
}

// PLOP3.LUT P0, P1, a, b, c, table, table
void MachineDecoder::predicate_logic3() {
  expect(7, 7);
  const Truth a = truth_or_sign(2), b = truth_or_sign(3), c = truth_or_sign(4);
  Inst& to = compute("machine.plop3");
  to.d = predicate_dest(0), to.d2 = predicate_dest(1);
  to.a = a.row, to.b = b.row, to.c = c.row;
  to.sub = number(5) | (a.inverted ? 1u << 16 : 0) | (b.inverted ? 1u << 17 : 0) |
           (c.inverted ? 1u << 18 : 0);
  to.extra = number(6);
}

// P2R[.Bn] R0, PR, a, mask; R2P PR, R0[.Bn], mask
void MachineDecoder::predicate_bits() {
  expect(4, 4);
  const bool uniform = form_->uniform;
  if (at(1).text != (uniform ? "UPR" : "PR")) unknown("it takes other predicates than all");
  const std::uint32_t a = source(2), b = source(3);
  Inst& to = compute("machine.p2r");
  to.d = dest(0), to.a = a, to.b = b, to.sub = uniform ? uniform_predicates_ : predicates_;
  to.extra = has("B1") ? 1 : has("B2") ? 2 : has("B3") ? 3 : 0;
}

void MachineDecoder::bits_predicate() {
  const bool uniform = form_->uniform;
  expect(uniform ? 2 : 3, 3);
  if (at(0).text != (uniform ? "UPR" : "PR")) unknown("it gives other predicates than all");
  const Operand& from = at(1);
  const std::uint32_t a = plain_source(from, 1), b = count() == 3 ? source(2) : constant({0x7f});
  Inst& to = compute("machine.r2p");
  to.a = a, to.b = b, to.sub = uniform ? uniform_predicates_ : predicates_;
  to.extra = from.has("B1") ? 1 : from.has("B2") ? 2 : from.has("B3") ? 3 : 0;
}

// ISETP.GE.U32.AND[.EX] P0, P1, a, b, predicate [, of the low halves]
void MachineDecoder::compare_integers() {
  if (has("S64") || has("U64")) return compare_wide();
  const bool extended = has("EX");
  expect(extended ? 6 : 5, extended ? 6 : 5);
  static constexpr std::string_view kHow[] = {"LT", "EQ", "LE", "GT", "NE", "GE"};
  static constexpr const char* kName[] = {"lt", "eq", "le", "gt", "ne", "ge"};
  const char* how = nullptr;
  for (std::size_t k = 0; k < 6; ++k)
    if (has(kHow[k])) how = kName[k];
  if (!how) unknown("its comparison is not known");
  const std::uint32_t a = source(2), b = source(3);
  const Truth with = truth(4);
  const char* type = has("U32") ? "u32" : "s32";
  Inst& to = compute(fmt::format("{}setp.{}.{}", extended ? "machine." : "", how, type));
  to.d = predicate_dest(0), to.d2 = predicate_dest(1), to.a = a, to.b = b;
  join_with(to, with);
  if (!extended) return;
  const Truth low = truth(5);
  to.e = low.row;
  to.sub |= low.inverted ? kNotCarry : 0;
}

// SEL R0, a, b, predicate
void MachineDecoder::select() {
  if (has("64")) return select_wide();
  expect(4, 4);
  const std::uint32_t a = source(1), b = source(2);
  const Truth which = truth(3);
  Inst& to = compute("selp.b32");
  to.d = dest(0), to.a = a, to.b = b, to.c = which.row, to.negate_c = which.inverted;
}

// MOV R0, a; UMOV
void MachineDecoder::move() {
  if (has("64")) return move_wide();
  if (count() == 3) (void)number(2);  // a mask of bytes, which is 0xf
  expect(2, 3);
  if (count() == 3 && number(2) != 0xf) unknown("it moves some of the bytes");
  std::uint32_t a;
  if (const auto word = request_.relocated.find(line_->pc); word != request_.relocated.end())
    a = constant({static_cast<std::uint32_t>(word->second)});
  else a = source(1);
  Inst& to = compute("mov.b32");
  to.d = dest(0), to.a = a;
}

void MachineDecoder::absolute() {
  expect(2, 2);
  bool negated = false;
  const std::uint32_t a = integer_source(1, negated);
  Inst& to = compute("abs.s32");
  to.d = dest(0), to.a = a;
}

// IMNMX, VIMNMX[.RELU] R0, [PT, PT,] a, b, predicate: the least where it is true; .S16x2, .U8x4: of
// each half and byte
void MachineDecoder::minmax() {
  if (has("S64") || has("U64")) return minmax_wide();
  std::size_t i = 1;
  for (std::size_t n = 0; n < 2 && is_predicate(i); ++n)
    if (predicate_dest(i++) != kNoOffset) unknown("it gives a predicate");
  expect(i + 3, i + 3);
  const std::uint32_t a = source(i), b = source(i + 1);
  if (has("U8x4")) {
    const Truth which = truth(i + 2);
    if (which.row != true_) unknown("a predicate says which of them it takes");
    Video v{};
    v.op = which.inverted ? VideoOp::kMax : VideoOp::kMin, v.parts = 4;
    Inst& to = compute("video.parts");
    to.d = dest(0), to.a = a, to.b = b, to.c = zero_, to.sub = v.pack();
    return;
  }
  const std::string type = fmt::format("{}{}", has("RELU") ? "relu." : "",
                                       has("U16x2")   ? "u16x2"
                                       : has("S16x2") ? "s16x2"
                                       : has("U32")   ? "u32"
                                                      : "s32");
  if (has("RELU") && (has("U16x2") || has("U32"))) unknown("numbers without a sign are cut at 0");
  choose_minmax(dest(0), a, b, truth(i + 2), "min." + type, "max." + type);
}

// VIMNMX3 R0, a, b, c, predicate: the least of three where it is true
void MachineDecoder::minmax_of_three() {
  expect(5, 5);
  const std::uint32_t a = source(1), b = source(2), c = source(3);
  const Truth which = truth(4);
  if (which.row != true_) unknown("a predicate says which of them it takes");
  const std::string how =
      fmt::format("{}.{}", which.inverted ? "max" : "min", has("U32") ? "u32" : "s32");
  const std::uint32_t two = temporary();
  Inst& first = hidden_compute(how);
  first.d = two, first.a = a, first.b = b;
  Inst& to = compute(how);
  to.d = dest(0), to.a = two, to.b = c;
}

// The least where `which` is true, else the most.
void MachineDecoder::choose_minmax(std::uint32_t d, std::uint32_t a, std::uint32_t b, Truth which,
                                   const std::string& least_of, const std::string& most_of,
                                   std::uint32_t sub) {
  if (which.row == true_) {
    Inst& to = compute(which.inverted ? most_of : least_of);
    to.d = d, to.a = a, to.b = b, to.sub = sub;
    return;
  }
  const std::uint32_t least = temporary(), most = temporary();
  Inst& low = hidden_compute(least_of);
  low.d = least, low.a = a, low.b = b, low.sub = sub;
  Inst& high = hidden_compute(most_of);
  high.d = most, high.a = a, high.b = b, high.sub = sub;
  Inst& to = compute("selp.b32");
  to.d = d, to.a = least, to.b = most, to.c = which.row, to.negate_c = which.inverted;
}

// VABSDIFF[.U32] R0, a, b, c: |a - b| + c; VABSDIFF4.U8[.ACC]: of each byte, .ACC: all and c added
void MachineDecoder::difference() {
  expect(4, 4);
  const bool four = line_->opcode == "VABSDIFF4";
  if (four && !has("U8")) unknown("its bytes have signs");
  const std::uint32_t a = source(1), b = source(2), c = source(3);
  Video v{};
  v.op = VideoOp::kAbsdiff, v.parts = four ? 4 : 1;
  v.signed_a = v.signed_b = v.signed_d = !four && !has("U32");
  v.second = !four || has("ACC") ? 1 : 0;
  Inst& to = compute(four ? "video.parts" : "video");
  to.d = dest(0), to.a = a, to.b = b, to.c = c, to.sub = v.pack();
}

// VIADDMNMX R0, a, b, c, predicate: the least of a + b and c where it is true
void MachineDecoder::add_minmax() {
  expect(5, 5);
  bool x = false, y = false;
  const std::uint32_t a = integer_source(1, x), b = integer_source(2, y), c = source(3);
  const Truth which = truth(4);
  if (which.row != true_) unknown("a predicate says which of them it takes");
  const std::uint32_t sum = temporary();
  Inst& add = hidden_compute("machine.sum3");
  add.d = sum, add.a = a, add.b = b, add.c = zero_;
  add.sub = (x ? kNegateA : 0) | (y ? kNegateB : 0);
  Inst& to =
      compute(fmt::format("{}.{}", which.inverted ? "max" : "min", has("U32") ? "u32" : "s32"));
  to.d = dest(0), to.a = sum, to.b = c;
}

// PRMT R0, low, choice, high
void MachineDecoder::permute() {
  expect(4, 4);
  const std::uint32_t a = source(1), choice = source(2), b = source(3);
  static constexpr std::string_view kModes[] = {"", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};
  Inst& to = compute("prmt.b32");
  to.d = dest(0), to.a = a, to.b = b, to.c = choice;
  for (std::uint32_t k = 1; k < 7; ++k)
    if (has(kModes[k])) to.sub = k;
}

void MachineDecoder::count_bits() {
  expect(2, 2);
  bool inverted = false;
  std::uint32_t a = integer_source(1, inverted);
  if (inverted) {
    const std::uint32_t to = temporary();
    Inst& in = hidden_compute("not.b32");
    in.d = to, in.a = a;
    a = to;
  }
  Inst& to = compute("popc.b32");
  to.d = dest(0), to.a = a;
}

// FLO[.U32][.SH] R0, a
void MachineDecoder::find_bit() {
  std::size_t i = 1;
  if (is_predicate(i) && predicate_dest(i++) != kNoOffset) unknown("it gives a predicate");
  if (i + 1 != count()) unknown("it has other operands than one");
  bool inverted = false;
  std::uint32_t a = integer_source(i, inverted);
  if (inverted) {
    const std::uint32_t to = temporary();
    Inst& in = hidden_compute("not.b32");
    in.d = to, in.a = a;
    a = to;
  }
  Inst& to =
      compute(fmt::format("bfind{}.{}", has("SH") ? ".shiftamt" : "", has("U32") ? "u32" : "s32"));
  to.d = dest(0), to.a = a;
}

void MachineDecoder::reverse() {
  expect(2, 2);
  const std::uint32_t a = source(1);
  Inst& to = compute("brev.b32");
  to.d = dest(0), to.a = a;
}

// SGXT[.W][.U32] R0, a, bits
void MachineDecoder::extend_sign() {
  expect(3, 3);
  const std::uint32_t a = source(1), b = source(2);
  Inst& to =
      compute(fmt::format("szext.{}.{}", has("W") ? "wrap" : "clamp", has("U32") ? "u32" : "s32"));
  to.d = dest(0), to.a = a, to.b = b;
}

// BMSK[.W] R0, place, bits
void MachineDecoder::bit_mask() {
  expect(3, 3);
  const std::uint32_t a = source(1), b = source(2);
  Inst& to = compute(has("W") ? "bmsk.wrap.b32" : "bmsk.clamp.b32");
  to.d = dest(0), to.a = a, to.b = b;
}

// IDP.4A.S8.S8 R0, a, b, c; .2A.LO.S16.S8
void MachineDecoder::dot() {
  expect(4, 4);
  const bool four = has("4A");
  const auto& m = line_->modifiers;
  if (m.size() < 3) unknown("it does not say what it multiplies");
  const std::string first = m[m.size() - 2], second = m.back();
  const std::uint32_t a = source(1), b = source(2), c = source(3);
  Inst& to = compute(fmt::format("dp{}a.{}32.{}32", four ? 4 : 2, first[0] == 'S' ? "s" : "u",
                                 second[0] == 'S' ? "s" : "u"));
  to.d = dest(0), to.a = a, to.b = b, to.c = c, to.sub = has("HI") ? 1 : 0;
}

}  // namespace warpmem::emulate
