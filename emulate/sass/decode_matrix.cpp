// Products of matrices of machine code: which registers hold which fragment.
#include <fmt/format.h>

#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;

struct Shape {
  std::string_view opcode, modifier;
  std::uint32_t m, n, k;
  bool sparse = false;  // of each four elements of A along k two are there
};
constexpr Shape kShapes[] = {
    {"HMMA", "1684", 16, 8, 4},         {"HMMA", "1688", 16, 8, 8},
    {"HMMA", "16816", 16, 8, 16},       {"IMMA", "8816", 8, 8, 16},
    {"IMMA", "8832", 8, 8, 32},         {"IMMA", "16816", 16, 8, 16},
    {"IMMA", "16832", 16, 8, 32},       {"IMMA", "16864", 16, 8, 64},
    {"BMMA", "88128", 8, 8, 128},       {"BMMA", "168128", 16, 8, 128},
    {"BMMA", "168256", 16, 8, 256},     {"DMMA", "884", 8, 8, 4},
    {"DMMA", "8x8x4", 8, 8, 4},         {"DMMA", "16x8x4", 16, 8, 4},
    {"DMMA", "16x8x8", 16, 8, 8},       {"DMMA", "16x8x16", 16, 8, 16},
    {"QMMA", "16832", 16, 8, 32},       {"QMMA", "16816", 16, 8, 16},
    {"HMMA", "1688", 16, 8, 8, true},   {"HMMA", "16816", 16, 8, 16, true},
    {"HMMA", "16832", 16, 8, 32, true}, {"IMMA", "16832", 16, 8, 32, true},
    {"IMMA", "16864", 16, 8, 64, true}, {"IMMA", "168128", 16, 8, 128, true},
    {"QMMA", "16864", 16, 8, 64, true}};

std::vector<Type> factors_of(const MachineLine& line) {
  struct One {
    std::string_view modifier;
    Type type;
  };
  static constexpr One kAll[] = {{"S8", Type::kS8}, {"U8", Type::kU8},     {"S4", Type::kS4},
                                 {"U4", Type::kU4}, {"E4M3", Type::kE4m3}, {"E5M2", Type::kE5m2}};
  std::vector<Type> out;
  for (const std::string& m : line.modifiers)
    for (const One& one : kAll)
      if (one.modifier == m) out.push_back(one.type);
  return out;
}

}  // namespace

// HMMA and HGMMA, IMMA and IGMMA, …: of a warp and of a warpgroup.
void MachineDecoder::kinds_of_product(MatrixProduct& p) const {
  const std::string_view name = line_->opcode;
  const char kind = name.front();
  if (kind == 'H') {
    p.a = p.b = has("BF16") ? Type::kBf16 : has("TF32") ? Type::kTf32 : Type::kF16;
    p.accumulator = has("F32") ? Type::kF32 : Type::kF16;
  } else if (kind == 'B') {
    if (!has("POPC") || has("AND") == has("XOR")) unknown("what it does with bits is not known");
    p.a = p.b = Type::kB1, p.accumulator = Type::kS32, p.ands = has("AND");
  } else if (kind == 'D') {
    p.a = p.b = p.accumulator = Type::kF64;
  } else {
    const std::vector<Type> factors = factors_of(*line_);
    if (factors.size() != 2) unknown("it does not say what it multiplies");
    p.a = factors[0], p.b = factors[1];
    p.accumulator = kind == 'I' ? Type::kS32 : has("F32") ? Type::kF32 : Type::kF16;
    p.saturates = has("SAT");
  }
  p.result = p.accumulator;
}

// Which of four lanes hold the metadata of a sparse product; the row of metadata stands before it.
void MachineDecoder::select_metadata(MatrixProduct& p, std::size_t i) const {
  p.selector = number(i);
  const std::uint32_t width = p.bits(Fragment::kA);
  const std::uint32_t lanes = width >= 16 ? p.k * (width == 32 ? 2 : 1) / 16 : p.k * width / 128;
  if (lanes == 0 || p.selector >= 4 / lanes) unknown("no lanes hold such metadata");
}

// HMMA.16816.F32[.BF16, .TF32] R4, a, b, c; IMMA.16832.S8.S8; BMMA.168128.XOR.POPC; DMMA.8x8x4;
// QMMA.16832.F32.E4M3.E4M3. Sparse ones have metadata behind c, and the number of the lanes that
// hold them: HMMA.SP.16832.F32 R4, a, b, c, R0, 0x1
void MachineDecoder::matrix_product() {
  MatrixProduct p;
  p.k = 0, p.sparse = has("SP");
  expect(p.sparse ? 6 : 4, p.sparse ? 6 : 4);
  for (const Shape& s : kShapes)
    if (s.opcode == line_->opcode && s.sparse == p.sparse && has(s.modifier))
      p.m = s.m, p.n = s.n, p.k = s.k;
  if (p.k == 0) unknown("its shape is not known");
  kinds_of_product(p);
  // Bytes of a fragment that fill no register: such factors have no such shape.
  if (p.registers(Fragment::kA) == 0 || p.registers(Fragment::kB) == 0)
    unknown("its shape is none of its factors'");
  std::vector<std::uint32_t> list;
  // Numbers of 64 bits lie in pairs of registers, and the product takes rows of them.
  const auto rows = [&](std::size_t i, Fragment f) {
    const Operand& o = at(i);
    for (const std::string& m : o.modifiers)
      if (m != "ROW" && m != "COL") unknown(fmt::format("its operand {} has a modifier", o.text));
    if (o.negative || o.absolute || o.complement)
      unknown(fmt::format("its operand {} has a sign", o.text));
    if (o.kind != Operand::Kind::kRegister)
      unknown(fmt::format("its operand {} is no register", o.text));
    const bool twice = p.register_bytes(f) == 8;
    const std::uint32_t first = i == 0 ? dest(0, 4) : plain_source(o, 4);
    for (std::uint32_t k = 0; k < p.registers(f); ++k) {
      const std::uint32_t step = first == zero_ || first == sink_ ? 0 : (twice ? 2 : 1) * kRow;
      list.push_back(!twice ? first + k * step : i == 0 ? temporary() : joined(first + k * step));
    }
  };
  rows(1, Fragment::kA), rows(2, Fragment::kB), rows(3, Fragment::kC), rows(0, Fragment::kC);
  const std::size_t results = list.size() - p.registers(Fragment::kC);
  if (p.sparse) list.push_back(source(4)), select_metadata(p, 5);
  Inst& in = emit(Kind::kMatrixProduct);
  in.extra = static_cast<std::uint32_t>(code_.lists.size());
  in.sub = static_cast<std::uint32_t>(code_.products.size());
  code_.lists.push_back(list);
  code_.products.push_back(p);
  if (p.register_bytes(Fragment::kC) != 8) return;
  for (std::size_t k = results; k < list.size(); ++k) {
    Inst& split = compute("machine.split");
    split.hidden = true;
    split.d = dest(0, 2) + static_cast<std::uint32_t>(k - results) * 2 * kRow, split.a = list[k];
  }
}

}  // namespace warpmem::emulate
