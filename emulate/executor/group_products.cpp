#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/group_product.hpp"
#include "emulate/executor/matrix_unit.hpp"

namespace warpmem::emulate {
namespace {

using Row = std::uint32_t[32];  // a register of all lanes

// The sign bits of a register's elements.
std::uint32_t signs(const MatrixProduct& p, Fragment f) {
  switch (p.bits(f)) {
    case 8: return 0x80808080u;
    case 16: return 0x80008000u;
    default: return 0x80000000u;
  }
}

}  // namespace

// One record a warp, of what all four of them read.
void MatrixUnit::record_reads(Warp& warp, const Inst& in, const Code& code, const GroupProduct& g,
                              std::uint32_t start) {
  const MatrixProduct& p = g.part;
  const std::uint32_t a = g.a_in_registers ? 0 : 4 * p.m * p.k_of(Fragment::kA), b = p.n * p.k;
  const std::uint32_t bytes = (a * p.bits(Fragment::kA) + b * p.bits(Fragment::kB)) / 8;
  Lanes at;
  std::fill_n(at, 32, std::uint64_t{start});
  recorder_.record(warp, in, code, trace::Op::kProductRead, trace::Space::kShared, bytes, ~0u, at);
}

// Nobody may touch the operands before the program has waited for the product, so it happens here
// and now; and since a warp's rows need no other warp, each warp computes its own.
void MatrixUnit::group_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                               std::uint32_t mask) {
  if (mask != ~0u)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "wgmma needs all 32 lanes of the warp", kWholeWarp);
  const Code& code = code_of(warp, part);
  const GroupProduct& g = code.group_products[in.sub];
  const auto& list =
      code.lists[in.extra];  // D, then A when it is in registers, then the metadata of a sparse A
  const MatrixProduct& p = g.part;
  const std::uint32_t a_count = p.registers(Fragment::kA), b_count = p.registers(Fragment::kB),
                      d_count = p.registers(Fragment::kC);
  const auto read = [&](const TileDescriptor& tile, Fragment f, std::uint32_t first_row,
                        bool turned, bool negated, Row* rows) {
    if (tile.phase != 0)
      fault(run_, warp, in, 0, "a matrix descriptor with a base offset is not supported",
            "align the matrix in shared memory to 1,024 bytes");
    const std::uint32_t bytes = turned ? 2 : 4;
    for (std::uint32_t r = 0; r < p.registers(f); ++r)
      for (std::uint32_t l = 0; l < 32; ++l) {
        std::uint32_t value = 0;
        for (std::uint32_t e = 0; e < 4 / bytes; ++e) {
          const Element at = element_of(p, f, l, r, e);
          const std::uint32_t row = first_row + (f == Fragment::kA ? at.row : at.column),
                              k = f == Fragment::kA ? at.column : at.row;
          const std::uint32_t from =
              (turned ? tile.place_turned(row, k) : tile.place(row, k * p.bits(f) / 8)) -
              g.reserved;
          if (std::uint64_t{from} + bytes > run_.shared_bytes)
            fault(run_, warp, in, l,
                  fmt::format("wgmma reads {} bytes at shared address {:#x}; the CTA has {} bytes "
                              "of shared memory",
                              bytes, from, run_.shared_bytes),
                  "check the descriptor's address, strides and the dynamic shared memory of the "
                  "launch");
          std::memcpy(reinterpret_cast<std::byte*>(&value) + e * bytes,
                      run_.cta->shared.data() + from, bytes);
        }
        rows[r][l] = negated ? value ^ signs(p, f) : value;
      }
  };
  const auto descriptor = [&](std::uint32_t offset) {
    return TileDescriptor::unpack(*reinterpret_cast<const std::uint64_t*>(frame + offset));
  };
  if (g.traced) record_reads(warp, in, code, g, descriptor(g.b).start);
  Row a[8], b[128];
  const Row zeros{};
  if (g.a_in_registers) {
    for (std::uint32_t r = 0; r < a_count; ++r) {
      std::memcpy(a[r], frame + list[d_count + r], sizeof a[r]);
      if (!g.negate_a) continue;
      for (std::uint32_t& v : a[r]) v ^= signs(p, Fragment::kA);
    }
  } else {
    read(descriptor(g.a), Fragment::kA, warp.index % 4 * 16, g.a_turned, g.negate_a, a);
  }
  read(descriptor(g.b), Fragment::kB, 0, g.b_turned, g.negate_b, b);
  bool keeps = g.keeps_always;
  if (g.keeps != kNoOffset)
    keeps =
        ((*reinterpret_cast<const std::uint32_t*>(frame + g.keeps) & 1) != 0) != g.keeps_negated;
  const std::uint8_t *as[8], *bs[128], *cs[128];
  std::uint8_t* ds[128];
  for (std::uint32_t r = 0; r < a_count; ++r) as[r] = reinterpret_cast<const std::uint8_t*>(a[r]);
  for (std::uint32_t r = 0; r < b_count; ++r) bs[r] = reinterpret_cast<const std::uint8_t*>(b[r]);
  for (std::uint32_t r = 0; r < d_count; ++r) {
    ds[r] = reinterpret_cast<std::uint8_t*>(frame + list[r]);
    cs[r] = keeps ? ds[r] : reinterpret_cast<const std::uint8_t*>(zeros);
  }
  multiply(p, as, bs, cs, ds,
           p.sparse ? reinterpret_cast<const std::uint32_t*>(frame + list.back()) : nullptr);
}

}  // namespace warpmem::emulate
