#include <bit>
#include <cstring>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"
#include "emulate/executor/matrix.hpp"
#include "emulate/executor/matrix_unit.hpp"

namespace warpmem::emulate {

void MatrixUnit::run(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                     std::uint32_t mask) {
  switch (in.kind) {
    case Kind::kMatrixLoad:
    case Kind::kMatrixStore: return matrix_access(warp, part, in, frame, mask);
    case Kind::kMatrixProduct: return matrix_product(warp, part, in, frame, mask);
    case Kind::kGroupProduct: return group_product(warp, part, in, frame, mask);
    case Kind::kMatrixTurn: return matrix_turn(warp, in, frame, mask);
    case Kind::kQuadProduct: return quad_product(warp, part, in, frame, mask);
    case Kind::kFragment: return fragment(warp, part, in, frame, mask);
    default: return;
  }
}

// ldmatrix, stmatrix: lanes 8i to 8i+7 hold the addresses of the rows of matrix i; lane l has, of
// each matrix, the elements 2(l % 4) and 2(l % 4) + 1 of row l / 4 (of column l / 4 when turned).
void MatrixUnit::matrix_access(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                               std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access& a = code.accesses[in.extra];
  if ((mask | warp.gone()) != ~0u || warp.gone() != 0)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "ldmatrix and stmatrix need all 32 lanes of the warp", kWholeWarp);
  Lanes rows;
  addresses(a, frame, rows);
  if (a.space == Space::kGeneric)
    for (std::uint64_t& r : rows) r -= kSharedWindow;
  const std::uint32_t used = a.elements == 4 ? ~0u : (1u << (8 * a.elements)) - 1;
  recorder_.record(warp, in, code, a.op, trace::Space::kShared, 16, used, rows);
  own_shared(run_, a, rows);
  memory_unit_.resolve(warp, in, used, trace::Space::kShared, 16, "matrix access", rows,
                       in.kind == Kind::kMatrixLoad ? Touch::kRead : Touch::kWrite);
  const bool load = in.kind == Kind::kMatrixLoad, turned = in.sub & 1;
  for (std::uint32_t i = 0; i < a.elements; ++i) {
    auto* r = reinterpret_cast<std::uint16_t*>(frame + a.values[i]);
    for (std::uint32_t l = 0; l < 32; ++l)
      for (std::uint32_t h = 0; h < 2; ++h) {
        const std::uint32_t major = l / 4, minor = l % 4 * 2 + h;
        std::byte* at = reinterpret_cast<std::byte*>(rows[8 * i + (turned ? minor : major)]) +
                        2 * (turned ? major : minor);
        if (load) std::memcpy(&r[2 * l + h], at, 2);
        else std::memcpy(at, &r[2 * l + h], 2);
      }
  }
}

void MatrixUnit::matrix_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                                std::uint32_t mask) {
  if (mask != ~0u)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "mma needs all 32 lanes of the warp", kWholeWarp);
  const Code& code = code_of(warp, part);
  const auto& list = code.lists[in.extra];
  const MatrixProduct& p = code.products[in.sub];
  std::uint8_t* registers[64];
  for (std::size_t i = 0; i < list.size(); ++i)
    registers[i] = reinterpret_cast<std::uint8_t*>(frame + list[i]);
  const std::size_t b = p.registers(Fragment::kA), c = b + p.registers(Fragment::kB),
                    d = c + p.registers(Fragment::kC);
  multiply(p, registers, registers + b, registers + c, registers + d,
           p.sparse ? reinterpret_cast<const std::uint32_t*>(registers[list.size() - 1]) : nullptr);
}

void MatrixUnit::quad_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                              std::uint32_t mask) {
  if (mask != ~0u)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "mma needs all 32 lanes of the warp", kWholeWarp);
  const Code& code = code_of(warp, part);
  const auto& list = code.lists[in.extra];
  const QuadProduct& p = code.quad_products[in.sub];
  std::uint32_t* registers[20];
  for (std::size_t i = 0; i < list.size(); ++i)
    registers[i] = reinterpret_cast<std::uint32_t*>(frame + list[i]);
  multiply_quads(p, registers, registers + 2, registers + 4,
                 registers + 4 + QuadProduct::registers(p.accumulator));
}

void MatrixUnit::matrix_turn(Warp& warp, const Inst& in, std::byte* frame, std::uint32_t mask) {
  if (mask != ~0u)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "movmatrix needs all 32 lanes of the warp", kWholeWarp);
  const auto* a = reinterpret_cast<const std::uint16_t*>(frame + in.a);
  std::uint16_t turned[64];  // lane l has the elements 2(l % 4) and the next of row l / 4
  for (std::uint32_t row = 0; row < 8; ++row)
    for (std::uint32_t column = 0; column < 8; ++column)
      turned[row * 8 + column] = a[column * 8 + row];
  std::memcpy(frame + in.d, turned, sizeof turned);
}

}  // namespace warpmem::emulate
