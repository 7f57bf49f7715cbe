#include <fmt/format.h>

#include "emulate/executor/half.hpp"
#include "emulate/executor/special.hpp"
#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {
namespace {

LaneKind kind_of(Type t) {
  switch (t) {
    case Type::kU8:
    case Type::kB8: return LaneKind::kU8;
    case Type::kU16:
    case Type::kB16: return LaneKind::kU16;
    case Type::kU32:
    case Type::kB32: return LaneKind::kU32;
    case Type::kU64:
    case Type::kB64: return LaneKind::kU64;
    case Type::kS8: return LaneKind::kS8;
    case Type::kS16: return LaneKind::kS16;
    case Type::kS32: return LaneKind::kS32;
    case Type::kS64: return LaneKind::kS64;
    case Type::kF16: return LaneKind::kF16;
    case Type::kBf16: return LaneKind::kBf16;
    case Type::kF32: return LaneKind::kF32;
    case Type::kF64: return LaneKind::kF64;
    case Type::kTf32: return LaneKind::kTf32;
    default: return LaneKind::kNone;
  }
}

bool is_byte_pair(Type t) { return t == Type::kE4m3x2 || t == Type::kE5m2x2; }

}  // namespace

bool Decoder::conversion(Modifiers& m) {
  if (m.base() == "mov") return move(m), true;
  if (m.base() == "cvt") return convert(m), true;
  if (m.base() == "cvta") return convert_address(m), true;
  return false;
}

void Decoder::move(Modifiers& m) {
  const Type type = m.take_type();
  all_taken(m);
  expect_operands(2, 2);
  if (type == Type::kNone) unsupported();
  const auto& o = s_->operands;
  if (type == Type::kPred) {
    std::uint32_t sub = 0;
    Type special = Type::kNone;
    const bool is_special =
        o[1].kind == Operand::Kind::kSymbol && special_register(o[1].name, sub, special);
    if (is_special) {
      Inst& in = emit(Kind::kSpecial);
      in.d = predicate(o[0]), in.sub = sub;
      return;
    }
    const std::uint32_t a = predicate(o[1]);
    Inst& in = emit_handler(o[1].negated ? "not.pred" : "mov.pred");
    in.d = predicate(o[0]), in.a = a;
    return;
  }
  const std::uint32_t bytes = size_of(type);
  if (o[1].kind == Operand::Kind::kVector && o[0].kind != Operand::Kind::kVector) {  // pack
    const std::size_t parts = o[1].items.size();
    if (parts == 0 || bytes % parts != 0) fail("the parts do not make up the whole");
    const auto part = static_cast<std::uint32_t>(bytes / parts);
    const Type element = part == 2   ? Type::kB16
                         : part == 4 ? Type::kB32
                         : part == 8 ? Type::kB64
                                     : Type::kNone;
    if (element == Type::kNone) unsupported();
    std::uint32_t s[4] = {kNoOffset, kNoOffset, kNoOffset, kNoOffset};
    for (std::size_t i = 0; i < parts && i < 4; ++i) s[i] = source(o[1].items[i], element);
    Inst& in = emit_handler(fmt::format("pack.{}.{}", bytes, part));
    in.d = dest(o[0], type), in.a = s[0], in.b = s[1], in.c = s[2], in.e = s[3];
    return;
  }
  if (o[0].kind == Operand::Kind::kVector) {  // unpack
    const std::size_t parts = o[0].items.size();
    if (parts == 0 || bytes % parts != 0) fail("the parts do not make up the whole");
    const auto part = static_cast<std::uint32_t>(bytes / parts);
    const Type element = part == 2   ? Type::kB16
                         : part == 4 ? Type::kB32
                         : part == 8 ? Type::kB64
                                     : Type::kNone;
    if (element == Type::kNone) unsupported();
    std::uint32_t a = source(o[1], type);
    const std::uint32_t copy = temporary(bytes);  // a part may be the source itself
    Inst& keep = emit_handler(fmt::format("mov.b{}", bytes * 8));
    keep.hidden = true, keep.a = a, keep.d = copy;
    for (std::size_t i = 0; i < parts; ++i) {
      if (o[0].items[i].kind == Operand::Kind::kSink) continue;
      Inst& in = emit_handler(fmt::format("part.{}.{}", part, bytes));
      in.hidden = i != 0;
      in.d = dest(o[0].items[i], element), in.a = copy,
      in.sub = static_cast<std::uint32_t>(i * part * 8);
    }
    return;
  }
  std::uint32_t sub = 0;
  Type special = Type::kNone;
  if (o[1].kind == Operand::Kind::kSymbol && special_register(o[1].name, sub, special) &&
      size_of(special) == bytes) {
    Inst& in = emit(Kind::kSpecial);
    in.d = dest(o[0], type), in.sub = sub;
    return;
  }
  const std::uint32_t a = source(o[1], type);
  const Type plain = bytes == 2   ? Type::kB16
                     : bytes == 4 ? Type::kB32
                     : bytes == 8 ? Type::kB64
                                  : Type::kB128;
  Inst& in = emit_handler(fmt::format("mov.{}", name_of(plain)));
  in.d = dest(o[0], type), in.a = a;
}

void Decoder::convert(Modifiers& m) {
  const auto& o = s_->operands;
  if (m.take("pack")) return convert_packed(m);
  const Type from = m.take_type(), to = m.take_type();
  if (from == Type::kNone || to == Type::kNone) unsupported();
  Conversion c{kind_of(from), kind_of(to), 0, 0, kNearest, false, false, false, false, false};
  for (const auto& [name, mode] :
       {std::pair{"rn", kNearest}, {"rz", kZero}, {"rm", kDown}, {"rp", kUp}, {"rna", kAway}})
    if (m.take(name)) c.rounding = static_cast<std::uint8_t>(mode);
  for (const auto& [name, mode] :
       {std::pair{"rni", kNearest}, {"rzi", kZero}, {"rmi", kDown}, {"rpi", kUp}})
    if (m.take(name)) c.rounding = static_cast<std::uint8_t>(mode), c.integral = true;
  c.flush = m.take("ftz");
  c.saturate = m.take("sat");
  c.relu = m.take("relu"), c.finite = m.take("satfinite");
  if (is_byte_pair(to) || is_byte_pair(from)) return convert_bytes(m, to, from, c);
  if ((to == Type::kF16x2 || to == Type::kBf16x2) && from == Type::kF32) {
    const bool relu = c.relu, finite = c.finite || c.saturate;
    all_taken(m);
    expect_operands(3, 3);
    const std::uint32_t a = source(o[1], from), b = source(o[2], from);
    Inst& in = emit_handler("cvt.pair");
    in.a = a, in.b = b, in.d = dest(o[0], Type::kB32);
    in.sub =
        c.rounding | (to == Type::kBf16x2 ? 16u : 0u) | (relu ? 32u : 0u) | (finite ? 64u : 0u);
    return;
  }
  all_taken(m);
  expect_operands(2, 2);
  if (c.from == LaneKind::kNone || c.to == LaneKind::kNone) unsupported();
  if (c.from == LaneKind::kTf32) unsupported();
  const std::uint32_t a = source(o[1], from, !is_float(from));
  const std::uint32_t d = dest(o[0], to == Type::kTf32 ? Type::kB32 : to, !is_float(to));
  c.from_bytes = static_cast<std::uint8_t>(
      o[1].kind == Operand::Kind::kRegister ? register_bytes(o[1]) : std::max(2u, size_of(from)));
  c.to_bytes = static_cast<std::uint8_t>(
      o[0].kind == Operand::Kind::kRegister ? register_bytes(o[0]) : std::max(2u, size_of(to)));
  if ((c.relu || c.finite) &&
      (from != Type::kF32 || (to != Type::kF16 && to != Type::kBf16 && to != Type::kTf32)))
    unsupported();
  const bool plain = !c.saturate && !c.relu && !c.finite && !c.flush && !c.integral &&
                     c.rounding == kNearest && c.from_bytes == size_of(from) &&
                     c.to_bytes == size_of(to);
  std::string name;
  if (plain && (name = fmt::format("cvt.{}.{}", name_of(to), name_of(from)), find_handler(name))) {
  } else if (!is_float(from) && !is_float(to)) name = "cvt.integers";
  else if (is_float(from) && !is_float(to)) name = "cvt.to_integer";
  else if (!is_float(from)) name = "cvt.from_integer";
  else name = "cvt.floats";
  // Saturation to an integer is the same clamping that every float conversion has.
  Inst& in = emit_handler(name);
  in.a = a, in.d = d, in.sub = c.pack();
  if (name == "cvt.from_integer" && c.saturate) {
    if (c.to != LaneKind::kF32 && c.to != LaneKind::kF64) unsupported();
    add_mode(in, 8, to);
  }
}

// Pairs of 8-bit floats: from two floats or a pair of halves, and to one.
void Decoder::convert_bytes(Modifiers& m, Type to, Type from, const Conversion& c) {
  all_taken(m);
  const auto& o = s_->operands;
  const bool two = from == Type::kF32;
  expect_operands(two ? 3 : 2, two ? 3 : 2);
  std::string name = "cvt.bytes";
  if (from == Type::kF16x2 || from == Type::kBf16x2) name = "cvt.halves_to_bytes";
  else if (is_byte_pair(from) && to == Type::kF16x2) name = "cvt.bytes_to_halves";
  else if (!two) unsupported();
  if (is_byte_pair(to) && !c.finite) unsupported();
  const bool wide = to == Type::kE5m2x2 || from == Type::kE5m2x2;
  const std::uint32_t a = source(o[1], is_byte_pair(from) ? Type::kB16
                                       : two              ? Type::kF32
                                                          : Type::kB32),
                      b = two ? source(o[2], Type::kF32) : kNoOffset;
  Inst& in = emit_handler(name);
  in.a = a, in.b = b, in.d = dest(o[0], is_byte_pair(to) ? Type::kB16 : Type::kB32);
  in.sub = (wide ? 1u : 0u) | (c.relu ? 2u : 0u) | (from == Type::kBf16x2 ? 4u : 0u);
}

// cvt.pack.sat.{u16,s16}.s32 d, a, b; .{u8,s8}.s32.b32 d, a, b, c.
void Decoder::convert_packed(Modifiers& m) {
  const auto& o = s_->operands;
  const bool three = o.size() == 4;
  if (three && m.take_type() != Type::kB32) unsupported();
  const Type from = m.take_type();
  m.take("sat");
  const std::string_view to = m.take_one_of({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  all_taken(m);
  expect_operands(3, 4);
  const std::uint32_t bits = to.empty()           ? 0
                             : to.ends_with("16") ? 16
                                                  : static_cast<std::uint32_t>(to.back() - '0');
  if (from != Type::kS32 || bits == 0 || (three && bits == 16)) unsupported();
  const std::uint32_t a = source(o[1], Type::kS32), b = source(o[2], Type::kS32),
                      c = three ? source(o[3], Type::kB32) : kNoOffset;
  Inst& in = emit_handler("cvt.pack");
  in.a = a, in.b = b, in.c = c, in.d = dest(o[0], Type::kB32);
  in.sub = bits << 1 | (to[0] == 's' ? 1u : 0u);
}

void Decoder::convert_address(Modifiers& m) {
  const bool to = m.take("to");
  const std::string_view space =
      m.take_one_of({"global", "shared", "shared::cta", "shared::cluster", "local", "const",
                     "param", "param::entry"});
  const Type type = m.take_type();
  all_taken(m);
  expect_operands(2, 2);
  if (size_of(type) != 8) unsupported();
  std::uint64_t window = 0;
  if (space.starts_with("shared")) window = kSharedWindow;
  else if (space == "local") window = kLocalWindow;
  else if (space.empty()) unsupported();
  const auto& o = s_->operands;
  const std::uint32_t a = source(o[1], Type::kU64);
  if (window == 0) {
    Inst& in = emit_handler("mov.b64");
    in.d = dest(o[0], Type::kU64), in.a = a;
    return;
  }
  const std::uint32_t by = constant(window, 8);
  Inst& in = emit_handler(to ? "sub.u64" : "add.u64");
  in.d = dest(o[0], Type::kU64), in.a = a, in.b = by;
}

}  // namespace warpmem::emulate
