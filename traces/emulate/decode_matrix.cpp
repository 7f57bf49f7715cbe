#include <fmt/format.h>

#include "traces/emulate/decoder.hpp"
#include "traces/emulate/matrix.hpp"

namespace warpmem::emulate {

// Operands go into a list: registers of d, a, b, c one after the other.
bool Decoder::matrix(Modifiers& m) {
  const auto& o = s_->operands;
  const std::string_view b = m.base();
  const auto put = [&](std::vector<std::uint32_t>& list, const Operand& operand, std::size_t n, Type type, bool result) {
    const bool vector = operand.kind == Operand::Kind::kVector;
    if ((vector ? operand.items.size() : 1) != n) fail(fmt::format("{} registers are needed here", n), "", operand.at);
    for (std::size_t i = 0; i < n; ++i) {
      const Operand& item = vector ? operand.items[i] : operand;
      list.push_back(result ? dest(item, type) : source(item, type));
    }
  };
  if (b == "ldmatrix" || b == "stmatrix") {
    const bool load = b == "ldmatrix";
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
    put(list, o[load ? 0 : 1], a.elements, Type::kB32, load);
    address(o[load ? 1 : 0], a);
    for (std::size_t i = 0; i < list.size(); ++i) a.values[i] = list[i];
    Inst& in = emit(load ? Kind::kMatrixLoad : Kind::kMatrixStore);
    in.sub = trans ? 1 : 0;
    new_access(in) = a;
    return true;
  }
  if (b == "mma") {
    m.take("sync"), m.take("aligned");
    const std::string_view shape = m.take_prefix("m");
    if (!m.take("row") || !m.take("col")) unsupported();
    const Type tc = m.take_type(), tb = m.take_type(), ta = m.take_type(), td = m.take_type();
    all_taken(m);
    expect_operands(4, 4);
    MatrixProduct p;
    const bool narrow = ta == Type::kF16 || ta == Type::kBf16;
    if (ta != tb || td != tc) unsupported();
    if (shape == "m16n8k8" && narrow) p = {8, 2, ta, td};
    else if (shape == "m16n8k16" && narrow) p = {16, 2, ta, td};
    else if (shape == "m16n8k4" && ta == Type::kTf32) p = {4, 4, ta, td};
    else if (shape == "m16n8k8" && ta == Type::kTf32) p = {8, 4, ta, td};
    else unsupported();
    if (td != Type::kF32 && !(td == Type::kF16 && ta == Type::kF16)) unsupported();
    const std::size_t na = p.k * 16 * p.bytes / 128, nb = na / 2, nc = td == Type::kF32 ? 4 : 2;
    const Type c = td == Type::kF32 ? Type::kF32 : Type::kB32;
    std::vector<std::uint32_t> list{p.pack()};
    put(list, o[1], na, Type::kB32, false);
    put(list, o[2], nb, Type::kB32, false);
    put(list, o[3], nc, c, false);
    put(list, o[0], nc, c, true);
    Inst& in = emit(Kind::kMatrixProduct);
    in.extra = static_cast<std::uint32_t>(code_.lists.size());
    code_.lists.push_back(std::move(list));
    return true;
  }
  return false;
}

}  // namespace warpmem::emulate
