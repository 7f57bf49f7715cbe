#include <fmt/format.h>

#include "emulate/executor/matrix.hpp"
#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {
namespace {

std::uint32_t size_in(std::string_view shape,
                      char letter) {  // the number behind a letter of m16n8k16
  const std::size_t at = shape.find(letter);
  std::uint32_t v = 0;
  for (std::size_t i = at + 1;
       at != shape.npos && i < shape.size() && shape[i] >= '0' && shape[i] <= '9'; ++i)
    v = v * 10 + static_cast<std::uint32_t>(shape[i] - '0');
  return v;
}

struct Shape {
  std::string_view name;
  Type type;  // of A and B
};
// What mma.sync has, by the type of A: shapes of another kind of element are other instructions.
constexpr Shape kMma[] = {
    {"m16n8k8", Type::kF16},   {"m16n8k16", Type::kF16},  {"m16n8k8", Type::kBf16},
    {"m16n8k16", Type::kBf16}, {"m16n8k4", Type::kTf32},  {"m16n8k8", Type::kTf32},
    {"m8n8k4", Type::kF64},    {"m16n8k4", Type::kF64},   {"m16n8k8", Type::kF64},
    {"m16n8k16", Type::kF64},  {"m16n8k16", Type::kE4m3}, {"m16n8k32", Type::kE4m3},
    {"m16n8k16", Type::kE5m2}, {"m16n8k32", Type::kE5m2}, {"m8n8k16", Type::kU8},
    {"m16n8k16", Type::kU8},   {"m16n8k32", Type::kU8},   {"m8n8k16", Type::kS8},
    {"m16n8k16", Type::kS8},   {"m16n8k32", Type::kS8},   {"m8n8k32", Type::kU4},
    {"m16n8k32", Type::kU4},   {"m16n8k64", Type::kU4},   {"m8n8k32", Type::kS4},
    {"m16n8k32", Type::kS4},   {"m16n8k64", Type::kS4},   {"m8n8k128", Type::kB1},
    {"m16n8k128", Type::kB1},  {"m16n8k256", Type::kB1}};
constexpr Shape kSparse[] = {
    {"m16n8k16", Type::kF16},  {"m16n8k32", Type::kF16},  {"m16n8k16", Type::kBf16},
    {"m16n8k32", Type::kBf16}, {"m16n8k8", Type::kTf32},  {"m16n8k16", Type::kTf32},
    {"m16n8k32", Type::kU8},   {"m16n8k64", Type::kU8},   {"m16n8k32", Type::kS8},
    {"m16n8k64", Type::kS8},   {"m16n8k64", Type::kE4m3}, {"m16n8k64", Type::kE5m2},
    {"m16n8k64", Type::kU4},   {"m16n8k128", Type::kU4},  {"m16n8k64", Type::kS4},
    {"m16n8k128", Type::kS4}};
constexpr Shape kWmma[] = {
    {"m16n16k16", Type::kF16},  {"m8n32k16", Type::kF16},  {"m32n8k16", Type::kF16},
    {"m16n16k16", Type::kBf16}, {"m8n32k16", Type::kBf16}, {"m32n8k16", Type::kBf16},
    {"m16n16k16", Type::kU8},   {"m8n32k16", Type::kU8},   {"m32n8k16", Type::kU8},
    {"m16n16k16", Type::kS8},   {"m8n32k16", Type::kS8},   {"m32n8k16", Type::kS8},
    {"m16n16k8", Type::kTf32},  {"m8n8k4", Type::kF64},    {"m8n8k32", Type::kU4},
    {"m8n8k32", Type::kS4},     {"m8n8k128", Type::kB1}};

template <std::size_t kCount>
bool known(const Shape (&list)[kCount], std::string_view shape, Type type) {
  for (const Shape& s : list)
    if (s.name == shape && s.type == type) return true;
  return false;
}
bool is_eight(Type t) { return t == Type::kE4m3 || t == Type::kE5m2; }
bool same_family(Type a, Type b) {
  const auto either = [&](Type x, Type y) { return (a == x || a == y) && (b == x || b == y); };
  return a == b || either(Type::kU8, Type::kS8) || either(Type::kU4, Type::kS4) ||
         either(Type::kE4m3, Type::kE5m2);
}
Type register_type(Type t) {
  return t == Type::kF64 ? Type::kF64 : t == Type::kF32 ? Type::kF32 : Type::kB32;
}

}  // namespace

void Decoder::put_registers(std::vector<std::uint32_t>& list, const Operand& operand, std::size_t n,
                            Type type, bool result) {
  const bool vector = operand.kind == Operand::Kind::kVector;
  if ((vector ? operand.items.size() : 1) != n)
    fail(fmt::format("{} registers are needed here", n), "", operand.at);
  for (std::size_t i = 0; i < n; ++i) {
    const Operand& item = vector ? operand.items[i] : operand;
    list.push_back(result ? dest(item, type) : source(item, type));
  }
}

bool Decoder::matrix(Modifiers& m) {
  const std::string_view b = m.base();
  if (b == "ldmatrix" || b == "stmatrix") return matrix_rows(m), true;
  if (b == "movmatrix") {
    m.take("sync"), m.take("aligned");
    if (!m.take("m8n8") || !m.take("trans") || !m.take("b16")) unsupported();
    all_taken(m);
    expect_operands(2, 2);
    const std::uint32_t a = source(s_->operands[1], Type::kB32);
    Inst& in = emit(Kind::kMatrixTurn);
    in.a = a, in.d = dest(s_->operands[0], Type::kB32);
    return true;
  }
  if (b == "mma") return product(m, false), true;
  if (b == "wgmma") return group(m);
  if (b == "wmma") {
    if (m.take("mma")) product(m, true);
    else fragment(m);
    return true;
  }
  return false;
}

void Decoder::matrix_rows(Modifiers& m) {
  const auto& o = s_->operands;
  const bool load = m.base() == "ldmatrix";
  m.take("sync"), m.take("aligned");
  if (!m.take("m8n8") || !m.take("b16")) unsupported();
  const std::string_view x = m.take_one_of({"x1", "x2", "x4"});
  const bool trans = m.take("trans");
  Access a;
  a.space = take_space(m, &a);
  all_taken(m);
  expect_operands(2, 2);
  if (x.empty()) unsupported();
  a.op = load ? trace::Op::kMatrixLoad : trace::Op::kMatrixStore;
  a.elements = static_cast<std::uint8_t>(x[1] - '0');
  a.element_bytes = 16;
  std::vector<std::uint32_t> list;
  put_registers(list, o[load ? 0 : 1], a.elements, Type::kB32, load);
  address(o[load ? 1 : 0], a);
  for (std::size_t i = 0; i < list.size(); ++i) a.values[i] = list[i];
  Inst& in = emit(load ? Kind::kMatrixLoad : Kind::kMatrixStore);
  in.sub = trans ? 1 : 0;
  new_access(in) = a;
}

// mma.sync and wmma.mma: registers of a, b, c, d one after the other.
void Decoder::product(Modifiers& m, bool wide) {
  const auto& o = s_->operands;
  MatrixProduct p;
  p.sparse = !wide && (m.take("sp") || m.take("sp::ordered_metadata"));
  m.take("sync"), m.take("aligned");
  p.ands = m.take("and");
  const bool bits = m.take("xor") || p.ands;
  if (bits && !m.take("popc")) unsupported();
  const std::string_view shape = m.take_prefix("m");
  if (!wide && !p.sparse && shape == "m8n8k4" && m.has("f16")) return quad_product(m);
  // The layouts of A and B, in order; wmma's fragments have lost theirs when they were loaded.
  const std::string_view rows = m.take_one_of({"row"}), columns = m.take_one_of({"col"});
  if (!wide && (rows.empty() || columns.empty())) unsupported();
  m.take("row"), m.take("col");
  p.saturates = m.take("satfinite");
  m.take_one_of({"rn"});
  std::vector<Type> types;
  for (Type t = m.take_type(); t != Type::kNone; t = m.take_type()) types.insert(types.begin(), t);
  all_taken(m);
  expect_operands(p.sparse ? 6 : 4, p.sparse ? 6 : 4);
  if (types.size() == 2) {  // wmma of halves: D and C
    p.a = p.b = Type::kF16, p.result = types[0], p.accumulator = types[1];
  } else if (types.size() == 4) {
    p.result = types[0], p.a = types[1], p.b = types[2], p.accumulator = types[3];
  } else {
    unsupported();
  }
  const bool exists = p.sparse ? known(kSparse, shape, p.a)
                      : wide   ? known(kWmma, shape, p.a)
                               : known(kMma, shape, p.a);
  if (!same_family(p.a, p.b) || !exists || bits != (p.a == Type::kB1)) unsupported();
  p.m = size_in(shape, 'm'), p.n = size_in(shape, 'n'), p.k = size_in(shape, 'k');
  const bool whole = p.accumulator == Type::kS32, twice = p.accumulator == Type::kF64;
  if (whole != (p.a == Type::kU8 || p.a == Type::kS8 || p.a == Type::kU4 || p.a == Type::kS4 ||
                p.a == Type::kB1) ||
      twice != (p.a == Type::kF64))
    unsupported();
  if (!whole && !twice && p.accumulator != Type::kF32 &&
      !(p.accumulator == Type::kF16 && (p.a == Type::kF16 || is_eight(p.a))))
    unsupported();
  if (p.result != p.accumulator &&
      !(wide && p.a == Type::kF16 && (p.result == Type::kF16 || p.result == Type::kF32)))
    unsupported();
  MatrixProduct q = p;
  q.accumulator = p.result;
  const auto count = [&](const MatrixProduct& which, Fragment f) {
    return fragment_registers(which, f, wide);
  };
  const Type ab = p.a == Type::kF64 ? Type::kF64 : Type::kB32;
  std::vector<std::uint32_t> list;
  put_registers(list, o[1], count(p, Fragment::kA), ab, false);
  list.resize(p.registers(Fragment::kA));  // what follows is a copy
  const std::size_t b = list.size();
  put_registers(list, o[2], count(p, Fragment::kB), ab, false);
  list.resize(b + p.registers(Fragment::kB));
  put_registers(list, o[3], count(p, Fragment::kC), register_type(p.accumulator), false);
  put_registers(list, o[0], count(q, Fragment::kC), register_type(p.result), true);
  if (p.sparse) {
    put_registers(list, o[4], 1, Type::kB32, false);
    select_metadata(p, o[5]);
  }
  Inst& in = emit(Kind::kMatrixProduct);
  in.extra = static_cast<std::uint32_t>(code_.lists.size());
  in.sub = static_cast<std::uint32_t>(code_.products.size());
  code_.lists.push_back(std::move(list));
  code_.products.push_back(p);
}

// Volta's: layouts at choice, registers of a, b, c, d one after the other.
void Decoder::quad_product(Modifiers& m) {
  const auto& o = s_->operands;
  QuadProduct p;
  const auto by_columns = [&] {
    const bool columns = m.left() == "col";
    if (!columns && m.left() != "row") unsupported();
    m.take(m.left());
    return columns;
  };
  p.a_columns = by_columns(), p.b_rows = !by_columns();
  std::vector<Type> types;
  for (Type t = m.take_type(); t != Type::kNone; t = m.take_type()) types.insert(types.begin(), t);
  all_taken(m);
  const auto floats = [](Type t) { return t == Type::kF16 || t == Type::kF32; };
  if (types.size() != 4 || types[1] != Type::kF16 || types[2] != Type::kF16 || !floats(types[0]) ||
      !floats(types[3]))
    unsupported();
  p.result = types[0], p.accumulator = types[3];
  expect_operands(4, 4);
  std::vector<std::uint32_t> list;
  put_registers(list, o[1], 2, Type::kB32, false);
  put_registers(list, o[2], 2, Type::kB32, false);
  put_registers(list, o[3], QuadProduct::registers(p.accumulator), register_type(p.accumulator),
                false);
  put_registers(list, o[0], QuadProduct::registers(p.result), register_type(p.result), true);
  Inst& in = emit(Kind::kQuadProduct);
  in.extra = static_cast<std::uint32_t>(code_.lists.size());
  in.sub = static_cast<std::uint32_t>(code_.quad_products.size());
  code_.lists.push_back(std::move(list));
  code_.quad_products.push_back(p);
}

void Decoder::select_metadata(MatrixProduct& p, const Operand& selector) {
  p.selector = static_cast<std::uint32_t>(number(selector));
  // Lanes of four that hold metadata: all, two, or one.
  const std::uint32_t width = p.bits(Fragment::kA);
  const std::uint32_t lanes = width >= 16 ? p.k * (width == 32 ? 2 : 1) / 16 : p.k * width / 128;
  if (p.selector >= 4 / lanes) fail("the sparsity selector is too large", "", selector.at);
}

bool Decoder::group(Modifiers& m) {
  const bool product = m.take("mma_async");
  if (!product && !m.take("fence") && !m.take("commit_group") && !m.take("wait_group"))
    return false;
  m.take("sync"), m.take("aligned");
  if (product) return group_product(m), true;
  all_taken(m);
  emit(Kind::kNothing);  // the product happens where it is issued
  return true;
}

// D, A (a descriptor or registers), B's descriptor, of a sparse A the metadata and their selector,
// whether D takes part; of floats the signs of A and B; of 16 bits whether they are turned.
void Decoder::group_product(Modifiers& m) {
  const auto& o = s_->operands;
  GroupProduct g;
  MatrixProduct& p = g.part;
  p.sparse = m.take("sp");
  m.take("sync"), m.take("aligned");
  const std::string_view shape = m.take_prefix("m64");
  p.ands = m.take("and");
  if (p.ands && !m.take("popc")) unsupported();
  p.saturates = m.take("satfinite");
  std::vector<Type> types;
  for (Type t = m.take_type(); t != Type::kNone; t = m.take_type()) types.insert(types.begin(), t);
  all_taken(m);
  if (types.size() != 3) unsupported();
  p.result = p.accumulator = types[0], p.a = types[1], p.b = types[2];
  p.m = 16, p.n = size_in(shape, 'n'), p.k = size_in(shape, 'k');
  const bool halves = p.a == Type::kF16 || p.a == Type::kBf16;
  const bool whole = p.a == Type::kU8 || p.a == Type::kS8 || p.a == Type::kB1;
  const bool fits = whole ? p.accumulator == Type::kS32
                          : p.accumulator == Type::kF32 || (p.accumulator == Type::kF16 &&
                                                            (p.a == Type::kF16 || is_eight(p.a)));
  if (!same_family(p.a, p.b) || p.n == 0 || p.n > 256 || p.n % 8 != 0 || !fits ||
      p.ands != (p.a == Type::kB1) || !(halves || whole || is_eight(p.a) || p.a == Type::kTf32) ||
      p.k * p.bits(Fragment::kA) != (p.sparse ? 512u : 256u) || (p.sparse && p.ands))
    unsupported();
  g.a_in_registers = o.size() > 1 && o[1].kind == Operand::Kind::kVector;
  const std::size_t turns = halves ? (g.a_in_registers ? 1 : 2) : 0;
  const std::size_t at = p.sparse ? 5 : 3;  // behind the descriptors and the metadata
  expect_operands(at + 1 + (whole ? 0 : 2) + turns, at + 1 + (whole ? 0 : 2) + turns);
  std::vector<std::uint32_t> list;
  put_registers(list, o[0], p.registers(Fragment::kC), register_type(p.accumulator), true);
  if (g.a_in_registers) put_registers(list, o[1], p.registers(Fragment::kA), Type::kB32, false);
  else g.a = source(o[1], Type::kB64);
  g.b = source(o[2], Type::kB64);
  g.keeps = kNoOffset;
  if (o[at].kind == Operand::Kind::kRegister)
    g.keeps = predicate(o[at]), g.keeps_negated = o[at].negated;
  else g.keeps_always = number(o[at]) != 0;
  if (!whole)
    g.negate_a = static_cast<std::int64_t>(number(o[at + 1])) < 0,
    g.negate_b = static_cast<std::int64_t>(number(o[at + 2])) < 0;
  if (turns == 2) g.a_turned = number(o[at + 3]) != 0;
  if (turns != 0) g.b_turned = number(o[at + 2 + turns]) != 0;
  if (p.sparse) {
    put_registers(list, o[3], 1, Type::kB32, false);
    select_metadata(p, o[4]);
  }
  Inst& in = emit(Kind::kGroupProduct);
  in.extra = static_cast<std::uint32_t>(code_.lists.size());
  in.sub = static_cast<std::uint32_t>(code_.group_products.size());
  code_.lists.push_back(std::move(list));
  code_.group_products.push_back(g);
}

// wmma has always eight registers of A and B in half precision, some of them copies.
std::size_t Decoder::fragment_registers(const MatrixProduct& p, Fragment f, bool wide) {
  if (wide && f != Fragment::kC && p.a == Type::kF16) return 8;
  return p.registers(f);
}

// wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type registers, [address]{, stride};
// wmma.store.d.
void Decoder::fragment(Modifiers& m) {
  const auto& o = s_->operands;
  const bool load = m.take("load");
  if (!load && !m.take("store")) unsupported();
  const std::string_view which = m.take_one_of({"a", "b", "c", "d"});
  m.take("sync"), m.take("aligned");
  const bool row = m.take("row");
  if (!row && !m.take("col")) unsupported();
  const std::string_view shape = m.take_prefix("m");
  const Type type = m.take_type();
  Access a;
  a.space = take_space(m, &a);
  all_taken(m);
  expect_operands(2, 3);
  MatrixProduct p;
  p.m = size_in(shape, 'm'), p.n = size_in(shape, 'n'), p.k = size_in(shape, 'k');
  const Fragment f = which == "a" ? Fragment::kA : which == "b" ? Fragment::kB : Fragment::kC;
  if (which.empty() || (f == Fragment::kC && which == (load ? "d" : "c"))) unsupported();
  bool exists = false;
  if (f == Fragment::kC) {
    for (const Shape& s : kWmma) exists |= s.name == shape;
    p.accumulator = p.result = type;
    exists = exists &&
             (type == Type::kF16 || type == Type::kF32 || type == Type::kF64 || type == Type::kS32);
  } else {
    exists = known(kWmma, shape, type);
    p.a = p.b = type;
  }
  if (!exists) unsupported();
  // Elements of less than a byte lie along k, in both.
  if (p.bits(f) < 8 && row != (f == Fragment::kA)) unsupported();
  std::vector<std::uint32_t> list;
  put_registers(list, o[load ? 0 : 1], fragment_registers(p, f, true), register_type(type), load);
  address(o[load ? 1 : 0], a);
  a.op = load ? trace::Op::kLoad : trace::Op::kStore;
  const std::uint32_t stride = o.size() > 2 ? source(o[2], Type::kU32) : kNoOffset;
  Inst& in = emit(Kind::kFragment);
  in.extra = static_cast<std::uint32_t>(code_.accesses.size());
  in.a = stride;
  in.sub = static_cast<std::uint32_t>(code_.products.size());
  in.target = static_cast<std::uint32_t>(code_.lists.size());
  in.float_bytes = static_cast<std::uint8_t>(f);
  in.negate_c = row;
  code_.accesses.push_back(a);
  code_.products.push_back(p);
  code_.lists.push_back(std::move(list));
}

}  // namespace warpmem::emulate
