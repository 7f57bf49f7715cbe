#include <bit>
#include <cstring>

#include "traces/emulate/execution.hpp"
#include "traces/emulate/half.hpp"
#include "traces/emulate/matrix.hpp"

namespace warpmem::emulate {

// ldmatrix, stmatrix: lanes 8i to 8i+7 hold the addresses of the rows of matrix i; lane l has, of
// each matrix, the elements 2(l % 4) and 2(l % 4) + 1 of row l / 4 (of column l / 4 when turned).
void Execution::matrix_access(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access& a = code.accesses[in.extra];
  if ((mask | warp.gone()) != ~0u || warp.gone() != 0)
    fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "ldmatrix and stmatrix need all 32 lanes of the warp");
  Lanes rows;
  addresses(a, frame, rows);
  if (a.space == Space::kGeneric)
    for (std::uint64_t& r : rows) r -= kSharedWindow;
  const std::uint32_t used = a.elements == 4 ? ~0u : (1u << (8 * a.elements)) - 1;
  record(warp, in, code, a.op, trace::Space::kShared, 16, used, rows);
  resolve(warp, in, used, trace::Space::kShared, 16, "matrix access", rows);
  const bool load = in.kind == Kind::kMatrixLoad, turned = in.sub & 1;
  for (std::uint32_t i = 0; i < a.elements; ++i) {
    auto* r = reinterpret_cast<std::uint16_t*>(frame + a.values[i]);
    for (std::uint32_t l = 0; l < 32; ++l)
      for (std::uint32_t h = 0; h < 2; ++h) {
        const std::uint32_t major = l / 4, minor = l % 4 * 2 + h;
        std::byte* at = reinterpret_cast<std::byte*>(rows[8 * i + (turned ? minor : major)]) + 2 * (turned ? major : minor);
        if (load) std::memcpy(&r[2 * l + h], at, 2);
        else std::memcpy(at, &r[2 * l + h], 2);
      }
  }
}

void Execution::matrix_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  if (mask != ~0u) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "mma needs all 32 lanes of the warp");
  const auto& list = code_of(warp, part).lists[in.extra];
  const MatrixProduct p = MatrixProduct::unpack(list[0]);
  const std::uint32_t per = 4 / p.bytes;  // elements a register
  const std::uint32_t na = p.k * 16 * p.bytes / 128, nb = na / 2, nc = p.accumulator == Type::kF32 ? 4 : 2;
  const auto value = [&](std::uint32_t reg, std::uint32_t lane, std::uint32_t part_of) -> double {
    const std::uint32_t bits = reinterpret_cast<const std::uint32_t*>(frame + reg)[lane];
    if (p.type == Type::kTf32) return bits_as<float>(bits & 0xffffe000u);
    const auto h = static_cast<std::uint16_t>(bits >> (16 * part_of));
    return p.type == Type::kF16 ? half_value(h) : bfloat_value(h);
  };
  // A: lane group g = l / 4 has rows g and g + 8; registers go row pair first, then k.
  double a[16][16] = {}, b[16][8] = {};
  for (std::uint32_t l = 0; l < 32; ++l) {
    for (std::uint32_t r = 0; r < na; ++r)
      for (std::uint32_t e = 0; e < per; ++e) a[l / 4 + 8 * (r & 1)][(r >> 1) * 4 * per + l % 4 * per + e] = value(list[1 + r], l, e);
    for (std::uint32_t r = 0; r < nb; ++r)
      for (std::uint32_t e = 0; e < per; ++e) b[r * 4 * per + l % 4 * per + e][l / 4] = value(list[1 + na + r], l, e);
  }
  const std::uint32_t c0 = 1 + na + nb;
  for (std::uint32_t l = 0; l < 32; ++l)
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t row = l / 4 + 8 * (i / 2), column = l % 4 * 2 + i % 2;
      const bool wide = nc == 4;
      double sum = wide ? reinterpret_cast<const float*>(frame + list[c0 + i])[l]
                        : half_value(reinterpret_cast<const std::uint16_t*>(frame + list[c0 + i / 2])[2 * l + i % 2]);
      for (std::uint32_t k = 0; k < p.k; ++k) sum += a[row][k] * b[k][column];
      if (wide) {
        const auto f = static_cast<float>(sum);
        reinterpret_cast<float*>(frame + list[c0 + nc + i])[l] = f != f ? bits_as<float>(0x7fffffffu) : f;
      } else {
        reinterpret_cast<std::uint16_t*>(frame + list[c0 + nc + i / 2])[2 * l + i % 2] = half_of(sum);
      }
    }
}

}  // namespace warpmem::emulate
