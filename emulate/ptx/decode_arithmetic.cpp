#include <fmt/format.h>

#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {
namespace {

std::uint8_t take_rounding(Modifiers& m) {
  const std::string_view r = m.take_one_of({"rn", "rz", "rm", "rp"});
  return r == "rz" ? 1 : r == "rm" ? 2 : r == "rp" ? 3 : 0;
}

bool is_half(Type t) {
  return t == Type::kF16 || t == Type::kF16x2 || t == Type::kBf16 || t == Type::kBf16x2;
}

int operands_of(std::string_view base) {
  for (const std::string_view n : {"add", "sub", "mul", "div", "rem", "min", "max", "and", "or",
                                   "xor", "shl", "shr", "copysign", "mul24"})
    if (n == base) return 2;
  for (const std::string_view n : {"mad", "fma", "sad", "mad24"})
    if (n == base) return 3;
  for (const std::string_view n : {"abs", "neg", "not", "cnot", "sqrt", "rcp", "rsqrt", "sin",
                                   "cos", "lg2", "ex2", "tanh", "popc", "clz", "brev", "bfind"})
    if (n == base) return 1;
  return 0;
}

}  // namespace

bool Decoder::arithmetic(Modifiers& m) {
  const std::string_view b = m.base();
  if (const int n = operands_of(b)) return plain(m, n), true;
  if (b == "setp" || b == "set") return compare(m), true;
  if (b == "selp" || b == "slct") return select(m), true;
  if (b == "bfe" || b == "bfi" || b == "shf" || b == "prmt" || b == "lop3" || b == "dp4a" ||
      b == "dp2a" || b == "testp" || b == "addc" || b == "subc" || b == "madc" || b == "fns" ||
      b == "bmsk" || b == "szext")
    return bits(m), true;
  return false;
}

// Destination and sources of one type, with the modes of floats.
void Decoder::plain(Modifiers& m, int operands) {
  const std::string base(m.base());
  const Type type = m.take_type();
  if (type == Type::kNone) unsupported();
  const auto& o = s_->operands;
  const bool three = (base == "min" || base == "max") && type == Type::kF32 && o.size() == 4;
  if (three) operands = 3;
  if (base != "bfind")
    expect_operands(static_cast<std::size_t>(operands) + 1, static_cast<std::size_t>(operands) + 1);
  if (type == Type::kPred) {
    all_taken(m);
    std::uint32_t sources[2] = {predicate(o[1]), operands > 1 ? predicate(o[2]) : kNoOffset};
    for (std::size_t i = 0; i < static_cast<std::size_t>(operands); ++i)
      if (o[i + 1].negated) {  // xor.pred %p, !%q, %r
        const std::uint32_t t = temporary(1);
        Inst& flip = emit_hidden(Kind::kCompute);
        flip.fn = find_handler("not.pred"), flip.a = sources[i], flip.d = t;
        sources[i] = t;
      }
    Inst& in = emit_handler(base + ".pred");
    in.d = predicate(o[0]), in.a = sources[0], in.b = sources[1];
    return;
  }
  std::string name = base;
  if (m.take("cc")) {
    const std::string_view part = m.take_one_of({"lo", "hi"});
    return carry_arithmetic(m, part.empty() ? base : fmt::format("{}.{}", base, part), operands,
                            type);
  }
  if (!is_float(type)) return integers(m, name, operands, type);
  const bool free_to_fuse = (base == "add" || base == "sub") && !m.has("rn") && !m.has("rz") &&
                            !m.has("rm") && !m.has("rp") && !m.has("sat");
  std::uint8_t fp = take_rounding(m);
  const bool approximate = m.take("approx");
  m.take("full");
  const bool ftz = m.take("ftz"), sat = m.take("sat");
  // What no rounding mode reaches flushes by itself; halves have a flag for it.
  const bool signs = base == "abs" || base == "neg" || base == "min" || base == "max";
  if (three) name += "3";
  if (signs && ftz && type == Type::kF32) name += ".ftz";
  if (m.take("NaN")) name += ".NaN";
  if (m.take("xorsign")) {
    if (!m.take("abs")) unsupported();
    name += ".xorsign.abs";
  }
  if (m.take("relu")) name += ".relu";
  all_taken(m);
  if (is_half(type)) return half_arithmetic(m, operands, type, name, sat, ftz);
  if (approximate &&
      (base == "div" || (type == Type::kF64 && (base == "rcp" || (base == "rsqrt" && ftz)))))
    name += base == "rsqrt" ? ".approx.ftz" : ".approx";
  if (ftz && !(signs && !three) && !(type == Type::kF64)) fp |= 4;
  if (sat) fp |= 8;
  if (free_to_fuse && contract(base, type, fp)) return;
  const std::uint32_t a = source(o[1], type);
  const std::uint32_t c = operands > 1 ? source(o[2], type) : kNoOffset;
  const std::uint32_t e = operands > 2 ? source(o[3], type) : kNoOffset;
  Inst& in = emit_handler(fmt::format("{}.{}", name, name_of(type)));
  in.a = a, in.b = c, in.c = e, in.d = dest(o[0], type);
  add_mode(in, fp, type);
}

// The sums and differences whose rounding is free, with the mul that ptxas may fuse each operand
// with: of the same type, in the same block. A sum of a register with itself is none.
void Decoder::find_fusable() {
  fusable_.assign(f_.registers.size(), 0);
  left_ = mentions_;
  if (loaded_.module().debug) return;  // ptxas does not optimise it
  for (s_number_ = 0; s_number_ < f_.body.size(); ++s_number_) {
    s_ = &f_.body[s_number_];
    const std::string opcode = free_sum(*s_);
    if (opcode.empty()) continue;
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
      if (product_of(s_->operands[k], opcode)) ++fusable_[s_->operands[k].number];
  }
}

// The opcode of the products that go into a sum that has no rounding of its own; empty if it is no
// such sum.
std::string Decoder::free_sum(const Statement& s) const {
  if (s.guard >= 0 || s.operands.size() != 3) return {};
  for (const char* sum : {"add", "sub"})
    for (const char* rest : {".f32", ".ftz.f32", ".f64"})
      if (s.opcode == fmt::format("{}{}", sum, rest)) {
        const Operand &a = s.operands[1], &b = s.operands[2];
        const bool twice =
            a.kind == Operand::Kind::kRegister && b.kind == a.kind && a.number == b.number;
        return twice ? std::string{} : fmt::format("mul{}", rest);
      }
  return {};
}

// The product that `o` is, if what is multiplied is still there.
const Statement* Decoder::product_of(const Operand& o, std::string_view opcode) const {
  if (o.kind != Operand::Kind::kRegister || writes_[o.number] != 1) return nullptr;
  const std::uint32_t at = writer_[o.number];
  if (at >= s_number_ || block_of_[at] != block_of_[s_number_]) return nullptr;
  const Statement& s = f_.body[at];
  if (s.opcode != opcode || s.guard >= 0 || s.operands.size() != 3) return nullptr;
  for (std::size_t i = 1; i < 3; ++i) {
    const Operand& factor = s.operands[i];
    if (factor.kind != Operand::Kind::kRegister || writes_[factor.number] == 1) continue;
    for (std::uint32_t k = at + 1; k < s_number_; ++k)
      for (const Operand& to : f_.body[k].operands)
        if (to.kind == Operand::Kind::kRegister && to.number == factor.number &&
            &to == f_.body[k].operands.data())
          return nullptr;
  }
  return &s;
}

// Which operand of this sum ptxas fuses with its product; 0 for none. One that nothing else uses
// goes first, then the first of which all that is left of its uses are such sums: sums before this
// one that were fused with it no longer use it, but those that it was only added to in an fma do.
std::size_t Decoder::fused_operand(const std::string& opcode) const {
  const auto& o = s_->operands;
  std::size_t shared = 0;
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    if (!product_of(o[k], opcode) || left_[o[k].number] - 1 != fusable_[o[k].number]) continue;
    if (left_[o[k].number] == 2) return k;
    if (shared == 0) shared = k;
  }
  return shared;
}

// A sum with a product, neither with a rounding of its own, is one fma: PTX allows it and ptxas
// does it.
bool Decoder::contract(std::string_view base, Type type, std::uint8_t fp) {
  const auto& o = s_->operands;
  const std::string opcode = free_sum(*s_);
  const std::size_t k = opcode.empty() ? 0 : fused_operand(opcode);
  if (k == 0) return false;
  const Statement* product = product_of(o[k], opcode);
  --left_[o[k].number], --fusable_[o[k].number];
  if (const Operand& other = o[3 - k]; product_of(other, opcode)) --fusable_[other.number];
  std::uint32_t x = source(product->operands[1], type), z = source(o[3 - k], type);
  const std::uint32_t y = source(product->operands[2], type);
  if (base == "sub") {
    std::uint32_t& negative = k == 2 ? x : z;
    const std::uint32_t t = temporary(size_of(type));
    Inst& turn = emit_hidden(Kind::kCompute);
    turn.fn = find_handler(fmt::format("neg.{}", name_of(type))), turn.a = negative, turn.d = t;
    negative = t;
  }
  Inst& in = emit_handler(fmt::format("fma.{}", name_of(type)));
  in.a = x, in.b = y, in.c = z, in.d = dest(o[0], type);
  add_mode(in, fp, type);
  return true;
}

void Decoder::integers(Modifiers& m, std::string name, int operands, Type type) {
  const auto& o = s_->operands;
  const std::string_view base = m.base();
  if (base == "mul" || base == "mad" || base == "mul24" || base == "mad24") {
    const std::string_view part = m.take_one_of({"lo", "hi", "wide"});
    if (part.empty()) unsupported();
    name += fmt::format(".{}", part);
    if (part == "wide") {
      all_taken(m);
      const Type wide = size_of(type) == 2 ? Type::kU32 : Type::kU64;
      const std::uint32_t a = source(o[1], type), c = source(o[2], type),
                          e = operands == 3 ? source(o[3], wide) : kNoOffset;
      Inst& in = emit_handler(fmt::format("{}.{}", name, name_of(type)));
      in.a = a, in.b = c, in.c = e, in.d = dest(o[0], wide);
      return;
    }
  }
  if (m.take("sat")) name += ".sat";
  if (m.take("relu")) name += ".relu";
  if (base == "bfind" && m.take("shiftamt")) name += ".shiftamt";
  all_taken(m);
  const bool counts = base == "popc" || base == "clz" || base == "bfind";
  const bool shift = base == "shl" || base == "shr";
  const std::uint32_t a = source(o[1], type);
  const std::uint32_t c = operands > 1 ? source(o[2], shift ? Type::kU32 : type) : kNoOffset;
  const std::uint32_t e = operands > 2 ? source(o[3], type) : kNoOffset;
  Inst& in = emit_handler(fmt::format("{}.{}", name, name_of(type)));
  in.a = a, in.b = c, in.c = e, in.d = dest(o[0], counts ? Type::kU32 : type);
}

void Decoder::half_arithmetic(Modifiers&, int operands, Type type, const std::string& name,
                              bool sat, bool ftz) {
  const auto& o = s_->operands;
  const std::uint32_t a = source(o[1], type);
  const std::uint32_t c = operands > 1 ? source(o[2], type) : kNoOffset;
  const std::uint32_t e = operands > 2 ? source(o[3], type) : kNoOffset;
  Inst& in = emit_handler(fmt::format("{}.{}", name, name_of(type)));
  in.a = a, in.b = c, in.c = e, in.d = dest(o[0], type);
  in.sub = (sat ? 1u : 0u) | (ftz ? 2u : 0u);
}

// name: add, sub, mad.lo, mad.hi, with .cc already taken: the carry is written.
void Decoder::carry_arithmetic(Modifiers& m, const std::string& name, int operands, Type type) {
  all_taken(m);
  if (carry_ == kNoOffset) carry_ = allot(4);
  const auto& o = s_->operands;
  expect_operands(static_cast<std::size_t>(operands) + 1, static_cast<std::size_t>(operands) + 1);
  const bool mad = name.starts_with("mad");
  const std::uint32_t a = source(o[1], type), b = source(o[2], type),
                      c = operands > 2 ? source(o[3], type) : kNoOffset;
  Inst& in = emit_handler(mad ? fmt::format("carry.{}.{}", name, name_of(type))
                              : fmt::format("carry.{}.{}", name, size_of(type)));
  in.a = a, in.b = b, in.c = c, in.d = dest(o[0], type), in.e = carry_;
  in.sub = 2;
}

void Decoder::compare(Modifiers& m) {
  const bool setp = m.base() == "setp";
  const Type type = m.take_type();
  const Type to = setp ? Type::kPred : m.take_type();
  if (type == Type::kNone || to == Type::kNone) unsupported();
  if (m.pieces().empty()) unsupported();
  const std::string comparison(m.pieces().front());
  m.take(comparison);
  const std::string_view join = m.take_one_of({"and", "or", "xor"});
  const bool ftz = m.take("ftz");
  all_taken(m);
  const auto& o = s_->operands;
  expect_operands(join.empty() ? 3 : 4, join.empty() ? 3 : 4);
  const bool pairs = type == Type::kF16x2 || type == Type::kBf16x2;
  if (pairs && !join.empty()) unsupported();
  const std::uint32_t a = source(o[1], type), b = source(o[2], type);
  std::string head = setp ? "setp." : "set.";
  std::uint32_t form = 0;
  if (!setp) {
    if (is_float(to)) form = to == Type::kBf16 || to == Type::kBf16x2 ? 3 : 1;
    if (size_of(to) == 2 && is_half(type)) head = "set.half.";
    else if (size_of(to) != 4) unsupported();
  }
  if (ftz && is_half(type)) head += "ftz.";
  const std::uint32_t c = join.empty() ? kNoOffset : predicate(o[3]);
  Inst& in = emit_handler(fmt::format("{}{}.{}", head, comparison, name_of(type)));
  in.a = a, in.b = b, in.c = c;
  if (!join.empty()) in.negate_c = o[3].negated;
  in.sub = (join == "and" ? 1u : join == "or" ? 2u : join == "xor" ? 3u : 0u) | form << 2;
  if (!setp) {
    in.d = dest(o[0], to);
  } else if (o[0].kind == Operand::Kind::kPair) {
    in.d = predicate(o[0].items[0]), in.d2 = predicate(o[0].items[1]);
  } else {
    in.d = predicate(o[0]);
  }
  if (ftz && type == Type::kF32) add_mode(in, 4, type);
}

void Decoder::select(Modifiers& m) {
  const bool selp = m.base() == "selp";
  const Type by = selp ? Type::kPred : m.take_type();
  const Type type = m.take_type();
  if (type == Type::kNone || by == Type::kNone) unsupported();
  const bool ftz = m.take("ftz");
  all_taken(m);
  expect_operands(4, 4);
  const auto& o = s_->operands;
  const std::uint32_t a = source(o[1], type), b = source(o[2], type),
                      c = selp ? predicate(o[3]) : source(o[3], by);
  Inst& in = selp ? emit_handler(fmt::format("selp.{}", name_of(type)))
                  : emit_handler(
                        fmt::format("slct.{}.{}", by == Type::kF32 ? "f32" : "s32", name_of(type)));
  in.a = a, in.b = b, in.c = c, in.d = dest(o[0], type);
  in.negate_c = selp && o[3].negated;
  if (ftz) add_mode(in, 4, type);
}

void Decoder::bits(Modifiers& m) {
  const std::string base(m.base());
  const auto& o = s_->operands;
  if (base == "addc" || base == "subc" || base == "madc") {
    const Type type = m.take_type();
    const bool writes = m.take("cc");
    const std::string_view part = m.take_one_of({"lo", "hi"});
    const int operands = base == "madc" ? 3 : 2;
    carry_arithmetic(m,
                     base == "addc"   ? "add"
                     : base == "subc" ? "sub"
                                      : fmt::format("mad.{}", part),
                     operands, type);
    code_.code.back().sub = writes ? 3 : 1;
    return;
  }
  if (base == "dp4a" || base == "dp2a") {
    const Type b = m.take_type(), a = m.take_type();
    const std::string_view part = base == "dp2a" ? m.take_one_of({"lo", "hi"}) : std::string_view{};
    all_taken(m);
    expect_operands(4, 4);
    const std::uint32_t x = source(o[1], a), y = source(o[2], b), z = source(o[3], Type::kU32);
    Inst& in = emit_handler(fmt::format("{}.{}.{}", base, name_of(a), name_of(b)));
    in.a = x, in.b = y, in.c = z, in.d = dest(o[0], Type::kU32), in.sub = part == "hi" ? 1 : 0;
    return;
  }
  const std::string_view permutation =
      base == "prmt" ? m.take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
                     : std::string_view{};
  const Type type = m.take_type();
  if (type == Type::kNone) unsupported();
  if (base == "lop3" && !m.pieces().empty()) return lop3_join(m, type);
  if (base == "fns" || base == "bmsk" || base == "szext") {
    const std::string_view mode = m.take_one_of({"wrap", "clamp"});
    all_taken(m);
    const bool three = base == "fns";
    expect_operands(three ? 4 : 3, three ? 4 : 3);
    const std::uint32_t a = source(o[1], Type::kU32), b = source(o[2], Type::kU32),
                        c = three ? source(o[3], Type::kS32) : kNoOffset;
    Inst& in = emit_handler(three ? "fns.b32" : fmt::format("{}.{}.{}", base, mode, name_of(type)));
    in.a = a, in.b = b, in.c = c, in.d = dest(o[0], Type::kU32);
    return;
  }
  if (base == "testp") {
    const std::string_view what =
        m.take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    all_taken(m);
    expect_operands(2, 2);
    const std::uint32_t a = source(o[1], type);
    Inst& in = emit_handler(fmt::format("testp.{}.{}", what, name_of(type)));
    in.a = a, in.d = predicate(o[0]);
    return;
  }
  std::string name = base;
  std::uint32_t sub = 0;
  std::size_t operands = 3;
  if (base == "shf") {
    const std::string_view side = m.take_one_of({"l", "r"}),
                           mode = m.take_one_of({"wrap", "clamp"});
    name += fmt::format(".{}.{}", side, mode);
  } else if (base == "prmt") {
    constexpr std::string_view kModes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    for (std::uint32_t i = 1; i < 7; ++i)
      if (kModes[i] == permutation) sub = i;
  } else if (base == "lop3" || base == "bfi") {
    operands = 4;
  } else if (base != "bfe") {
    unsupported();
  }
  all_taken(m);
  expect_operands(operands + 1, operands + 1);
  const std::uint32_t a = source(o[1], type);
  const std::uint32_t b = source(o[2], base == "bfe" ? Type::kU32 : type);
  const std::uint32_t c = source(o[3], Type::kU32);
  const std::uint32_t e = base == "bfi" ? source(o[4], Type::kU32) : kNoOffset;
  if (base == "lop3") {
    sub = static_cast<std::uint32_t>(number(o[4]));
    if (sub > 255) fail("lop3's table must be at most 255", "", o[4].at);
  }
  Inst& in = emit_handler(fmt::format("{}.{}", name, name_of(type)));
  in.a = a, in.b = b, in.c = c, in.e = e, in.d = dest(o[0], type), in.sub = sub;
}

// lop3.{and,or}.b32 d|p, a, b, c, table, q: p = (d != 0) and/or q.
void Decoder::lop3_join(Modifiers& m, Type type) {
  const std::string_view how = m.take_one_of({"and", "or"});
  all_taken(m);
  expect_operands(6, 6);
  const auto& o = s_->operands;
  if (how.empty() || o[0].kind != Operand::Kind::kPair) unsupported();
  const std::uint64_t table = number(o[4]);
  if (table > 255) fail("lop3's table must be at most 255", "", o[4].at);
  const std::uint32_t a = source(o[1], type), b = source(o[2], type), c = source(o[3], type),
                      q = predicate(o[5]);
  Inst& in = emit_handler("lop3.b32");
  in.a = a, in.b = b, in.c = c, in.e = q, in.negate_c = o[5].negated;
  in.d = dest(o[0].items[0], type), in.d2 = predicate(o[0].items[1]);
  in.sub = static_cast<std::uint32_t>(table) | (how == "and" ? 256u : 512u);
}

}  // namespace warpmem::emulate
