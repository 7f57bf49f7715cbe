#include <bit>
#include <cstring>

#include "emulate/executor/execution.hpp"
#include "emulate/executor/matrix.hpp"

namespace warpmem::emulate {

// ldmatrix, stmatrix: lanes 8i to 8i+7 hold the addresses of the rows of matrix i; lane l has, of
// each matrix, the elements 2(l % 4) and 2(l % 4) + 1 of row l / 4 (of column l / 4 when turned).
void Execution::matrix_access(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access& a = code.accesses[in.extra];
  if ((mask | warp.gone()) != ~0u || warp.gone() != 0)
    fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "ldmatrix and stmatrix need all 32 lanes of the warp", kWholeWarp);
  Lanes rows;
  addresses(a, frame, rows);
  if (a.space == Space::kGeneric)
    for (std::uint64_t& r : rows) r -= kSharedWindow;
  const std::uint32_t used = a.elements == 4 ? ~0u : (1u << (8 * a.elements)) - 1;
  record(warp, in, code, a.op, trace::Space::kShared, 16, used, rows);
  resolve(warp, in, used, trace::Space::kShared, 16, "matrix access", rows, in.kind == Kind::kMatrixLoad ? Touch::kRead : Touch::kWrite);
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
  if (mask != ~0u) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "mma needs all 32 lanes of the warp", kWholeWarp);
  const Code& code = code_of(warp, part);
  const auto& list = code.lists[in.extra];
  const MatrixProduct& p = code.products[in.sub];
  std::uint8_t* registers[64];
  for (std::size_t i = 0; i < list.size(); ++i) registers[i] = reinterpret_cast<std::uint8_t*>(frame + list[i]);
  const std::size_t b = p.registers(Fragment::kA), c = b + p.registers(Fragment::kB), d = c + p.registers(Fragment::kC);
  multiply(p, registers, registers + b, registers + c, registers + d, p.sparse ? reinterpret_cast<const std::uint32_t*>(registers[list.size() - 1]) : nullptr);
}

void Execution::quad_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  if (mask != ~0u) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "mma needs all 32 lanes of the warp", kWholeWarp);
  const Code& code = code_of(warp, part);
  const auto& list = code.lists[in.extra];
  const QuadProduct& p = code.quad_products[in.sub];
  std::uint32_t* registers[20];
  for (std::size_t i = 0; i < list.size(); ++i) registers[i] = reinterpret_cast<std::uint32_t*>(frame + list[i]);
  multiply_quads(p, registers, registers + 2, registers + 4, registers + 4 + QuadProduct::registers(p.accumulator));
}

void Execution::matrix_turn(Warp& warp, const Inst& in, std::byte* frame, std::uint32_t mask) {
  if (mask != ~0u) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "movmatrix needs all 32 lanes of the warp", kWholeWarp);
  const auto* a = reinterpret_cast<const std::uint16_t*>(frame + in.a);
  std::uint16_t turned[64];  // lane l has the elements 2(l % 4) and the next of row l / 4
  for (std::uint32_t row = 0; row < 8; ++row)
    for (std::uint32_t column = 0; column < 8; ++column) turned[row * 8 + column] = a[column * 8 + row];
  std::memcpy(frame + in.d, turned, sizeof turned);
}

// wmma's loads and stores, as ptxas writes them for sm_90: a register at a time where its elements
// are neighbours in memory (accumulators of 32 bits in pairs), 16-bit ones across them as rows that
// are turned afterwards, and element by element otherwise. From shared memory operands may come by
// ldmatrix: those of which the machine code says so, and without any those of 16 bits.
void Execution::fragment(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  if (mask != ~0u) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "wmma needs all 32 lanes of the warp", kWholeWarp);
  const Code& code = code_of(warp, part);
  const Access& a = code.accesses[in.extra];
  const MatrixProduct& p = code.products[in.sub];
  const auto& list = code.lists[in.target];
  const auto f = static_cast<Fragment>(in.float_bytes);
  const bool row_major = in.negate_c, load = a.op == trace::Op::kLoad;
  const std::uint32_t bits = p.bits(f), per = p.per(f), count = p.registers(f), rows = f == Fragment::kB ? p.k : p.m, columns = f == Fragment::kA ? p.k : p.n;
  Lanes base;
  addresses(a, frame, base);
  trace::Space space = a.space == Space::kShared ? trace::Space::kShared : a.space == Space::kLocal ? trace::Space::kLocal : trace::Space::kGlobal;
  if (a.space == Space::kGeneric && base[0] - kSharedWindow < kWindowBytes) {
    space = trace::Space::kShared;
    for (std::uint64_t& v : base) v -= kSharedWindow;
  }
  const std::uint64_t stride = in.a == kNoOffset ? (row_major ? columns : rows) : *reinterpret_cast<const std::uint32_t*>(frame + in.a);
  const auto place = [&](std::uint32_t lane, std::uint32_t r, std::uint32_t e) {  // in bytes from the matrix's beginning
    const Element at = element_of(p, f, lane, r, e);
    return (row_major ? at.row * stride + at.column : at.column * stride + at.row) * bits / 8;
  };
  const auto move = [&](std::uint32_t r, std::uint32_t e, std::uint32_t bytes, std::uint32_t first) {  // `first`: the register's byte
    Lanes at;
    for (std::uint32_t l = 0; l < 32; ++l) at[l] = base[l] + place(l, r, e);
    resolve(warp, in, ~0u, space, bytes, load ? "matrix load" : "matrix store", at, load ? Touch::kRead : Touch::kWrite);
    const std::uint32_t width = p.register_bytes(f);
    for (std::uint32_t l = 0; l < 32; ++l) {
      auto* reg = frame + list[r] + l * width + first;
      if (load) std::memcpy(reg, reinterpret_cast<const void*>(at[l]), bytes);
      else std::memcpy(reinterpret_cast<void*>(at[l]), reg, bytes);
    }
  };
  const auto trace_rows = [&](std::uint32_t bytes, auto offset) {
    Lanes at;
    for (std::uint32_t l = 0; l < 32; ++l) at[l] = base[l] + offset(l);
    record(warp, in, code, a.op, space, bytes, ~0u, at);
  };
  const bool along = place(0, 0, per - 1) - place(0, 0, 0) == std::uint64_t{per - 1} * bits / 8;  // a register's elements are neighbours
  const bool paired = f == Fragment::kC && bits >= 32 && place(0, 1, 0) == place(0, 0, 0) + bits / 8;
  const FragmentForm form = tracer_ ? tracer_->fragment(code.first_pc + in.statement) : FragmentForm::kUnknown;
  const bool by_rows = form == FragmentForm::kRows ? bits == 16 || along : form == FragmentForm::kUnknown && bits == 16;
  if (by_rows && f != Fragment::kC && space == trace::Space::kShared) {
    for (std::uint32_t r = 0; r < count; r += 4) {  // ldmatrix: a lane an address of eight elements
      const std::uint32_t n = count - r < 4 ? count - r : 4;
      Lanes at;
      for (std::uint32_t l = 0; l < 8 * n; ++l) at[l] = base[0] + (along ? place(l % 8 * 4, r + l / 8, 0) : place(l % 8 / 2, r + l / 8, l % 2));
      record(warp, in, code, trace::Op::kMatrixLoad, space, 16, n == 4 ? ~0u : (1u << 8 * n) - 1, at);
    }
  } else if (along && per > 1) {
    for (std::uint32_t r = 0; r < count; ++r) trace_rows(4, [&](std::uint32_t l) { return place(l, r, 0); });
  } else if (bits == 16) {  // lane l reads two neighbours of the transposed block
    for (std::uint32_t r = 0; r < count; ++r) trace_rows(4, [&](std::uint32_t l) { return place(l % 4 * 8, r, 0) - place(0, r, 0) + place(l / 8, r, l / 4 % 2); });
  } else if (paired) {
    for (std::uint32_t r = 0; r < count; r += 2) trace_rows(bits / 4, [&](std::uint32_t l) { return place(l, r, 0); });
  } else {
    for (std::uint32_t r = 0; r < count; ++r)
      for (std::uint32_t e = 0; e < per; ++e) trace_rows(bits / 8, [&](std::uint32_t l) { return place(l, r, e); });
  }
  for (std::uint32_t r = 0; r < count; ++r) {
    if (along || per == 1) move(r, 0, p.register_bytes(f), 0);
    else for (std::uint32_t e = 0; e < per; ++e) move(r, e, bits / 8, e * bits / 8);
  }
  for (std::size_t r = count; r < list.size() && load; ++r) std::memcpy(frame + list[r], frame + list[r % count], 128);
}

}  // namespace warpmem::emulate
