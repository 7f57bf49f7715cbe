// Products of a warpgroup: HGMMA, IGMMA, QGMMA, BGMMA. They happen where they are issued, so that
// WARPGROUP.ARRIVE and .DEPBAR, which order them, do nothing.
#include <fmt/format.h>

#include <charconv>

#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;

// "64x16x32": rows of the whole group, columns, k. False: it is something else.
bool shape_of(const MachineLine& line, MatrixProduct& p) {
  for (const std::string& m : line.modifiers) {
    std::uint32_t sizes[3] = {};
    const char *at = m.data(), *end = at + m.size();
    std::size_t known = 0;
    for (; known < 3; ++known) {
      const auto [rest, failed] = std::from_chars(at, end, sizes[known]);
      if (failed != std::errc{} || (known < 2 ? rest == end || *rest != 'x' : rest != end)) break;
      at = rest + 1;
    }
    if (known != 3 || sizes[0] != 64) continue;
    p.m = 16, p.n = sizes[1], p.k = sizes[2];
    return p.n != 0 && p.n <= 256 && p.n % 8 == 0;
  }
  return false;
}

}  // namespace

// gdesc[UR8], gdesc[UR8].tnspA.negB: four uniform registers, those of A first; with A in registers
// the first two say nothing.
void MachineDecoder::matrices_in_shared(GroupProduct& g, std::size_t i) {
  const Operand& o = at(i);
  if (o.kind != Operand::Kind::kMemory || !o.group || o.value != 0 ||
      o.base != trace::kNoRegister || o.uniform != trace::kNoRegister)
    unknown(fmt::format("its operand {} describes no matrix", o.text));
  const bool halves = g.part.bits(Fragment::kA) == 16, signs = g.part.accumulator != Type::kS32;
  for (const std::string& m : o.modifiers) {
    const bool of_a = m.ends_with('A') && !g.a_in_registers;
    if (m == "tnspA" && of_a && halves) g.a_turned = true;
    else if (m == "tnspB" && halves) g.b_turned = true;
    else if (m == "negA" && of_a && signs) g.negate_a = true;
    else if (m == "negB" && signs) g.negate_b = true;
    else unknown(fmt::format("its operand {} has a modifier", o.text));
  }
  const auto pair = [&](std::uint32_t first) {
    if (o.descriptor == trace::kZeroUniform) unknown("its matrices are URZ");
    return joined(uniform_base_ + kRow * (o.descriptor + first));
  };
  if (!g.a_in_registers) g.a = pair(0);
  g.b = pair(2);
}

// HGMMA.64x16x16.F32[.BF16] R24, [R32,] gdesc[UR8], R24 [, UP0] [, gsb0]: what R24 held takes part
// where UP0 says so. Sparse ones have metadata behind that, and, but for those of bytes, which of
// four lanes hold them: HGMMA.SP.64x16x32.F32 R24, gdesc[UR8], R24, UP0, R32, 0x1, gsb0
void MachineDecoder::group_product() {
  GroupProduct g;
  MatrixProduct& p = g.part;
  p.sparse = has("SP");
  if (!shape_of(*line_, p)) unknown("its shape is not known");
  kinds_of_product(p);
  p.ands = p.a == Type::kB1;
  if (p.k * p.bits(Fragment::kA) != (p.sparse ? 512u : 256u) || (p.sparse && p.a == Type::kB1))
    unknown("its shape is not known");
  std::size_t i = 0;
  const std::uint32_t d = dest(i++, p.registers(Fragment::kC));
  if (d == sink_ || at(0).number + p.registers(Fragment::kC) > trace::kZeroRegister)
    unknown("its result does not fit into registers");
  std::vector<std::uint32_t> list;
  const auto rows = [&](std::uint32_t first, Fragment f) {
    for (std::uint32_t k = 0; k < p.registers(f); ++k) list.push_back(first + k * kRow);
  };
  rows(d, Fragment::kC);
  if (at(i).kind == Operand::Kind::kRegister) {
    const Operand& a = at(i);
    if (a.absolute || a.complement || !a.modifiers.empty() || a.number > trace::kZeroRegister - 4 ||
        (a.negative && p.accumulator == Type::kS32))
      unknown(fmt::format("its operand {} is of a kind that it is not known to have", a.text));
    g.a_in_registers = true, g.negate_a = a.negative;
    rows(reg(a.number), Fragment::kA);
    ++i;
  }
  matrices_in_shared(g, i++);
  g.keeps = kNoOffset, g.keeps_always = !at(i).is_zero_register();
  if (g.keeps_always && (at(i).kind != Operand::Kind::kRegister || plain_source(at(i), 1) != d))
    unknown("it adds to other registers than those of its result");
  ++i;
  if (is_predicate(i)) {
    const Truth keeps = truth(i++);
    if (keeps.row == true_) g.keeps_always = g.keeps_always && !keeps.inverted;
    else if (g.keeps_always) g.keeps = keeps.row, g.keeps_negated = keeps.inverted;
  }
  if (p.sparse) {
    list.push_back(source(i++));
    if (p.bits(Fragment::kA) >= 16) select_metadata(p, i++);
  }
  if (i < count() && at(i).text.starts_with("gsb")) ++i;
  if (i != count()) unknown("it has more operands than a product takes");
  g.reserved = request_.reserved_shared, g.traced = true;
  Inst& in = emit(Kind::kGroupProduct);
  in.extra = static_cast<std::uint32_t>(code_.lists.size());
  in.sub = static_cast<std::uint32_t>(code_.group_products.size());
  code_.lists.push_back(std::move(list));
  code_.group_products.push_back(g);
}

// USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8: whether there were so many registers; .DEALLOC 0x28
void MachineDecoder::change_registers() {
  if (!has("TRY_ALLOC")) return expect(1, 1), nothing();
  expect(2, 2);
  const std::uint32_t p = predicate_dest(0);
  if (p == kNoOffset) return nothing();
  Inst& in = compute("mov.pred");
  in.d = p, in.a = true_;
}

}  // namespace warpmem::emulate
