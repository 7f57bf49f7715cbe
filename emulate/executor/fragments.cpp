#include <bit>
#include <cstring>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"
#include "emulate/executor/matrix.hpp"
#include "emulate/executor/matrix_unit.hpp"

namespace warpmem::emulate {

// wmma's loads and stores, as ptxas writes them for sm_90: a register at a time where its elements
// are neighbours in memory (accumulators of 32 bits in pairs), 16-bit ones across them as rows that
// are turned afterwards, and element by element otherwise. From shared memory operands may come by
// ldmatrix: those of which the machine code says so, and without any those of 16 bits.
void MatrixUnit::fragment(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                          std::uint32_t mask) {
  if (mask != ~0u)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "wmma needs all 32 lanes of the warp", kWholeWarp);
  const Code& code = code_of(warp, part);
  const Access& a = code.accesses[in.extra];
  const MatrixProduct& p = code.products[in.sub];
  const auto& list = code.lists[in.target];
  const auto f = static_cast<Fragment>(in.float_bytes);
  const bool row_major = in.negate_c, load = a.op == trace::Op::kLoad;
  const std::uint32_t bits = p.bits(f), per = p.per(f), count = p.registers(f),
                      rows = f == Fragment::kB ? p.k : p.m, columns = f == Fragment::kA ? p.k : p.n;
  Lanes base;
  addresses(a, frame, base);
  trace::Space space = a.space == Space::kShared  ? trace::Space::kShared
                       : a.space == Space::kLocal ? trace::Space::kLocal
                                                  : trace::Space::kGlobal;
  if (a.space == Space::kGeneric && base[0] - kSharedWindow < kWindowBytes) {
    space = trace::Space::kShared;
    for (std::uint64_t& v : base) v -= kSharedWindow;
  }
  const std::uint64_t stride = in.a == kNoOffset
                                   ? (row_major ? columns : rows)
                                   : *reinterpret_cast<const std::uint32_t*>(frame + in.a);
  const auto place = [&](std::uint32_t lane, std::uint32_t r,
                         std::uint32_t e) {  // in bytes from the matrix's beginning
    const Element at = element_of(p, f, lane, r, e);
    return (row_major ? at.row * stride + at.column : at.column * stride + at.row) * bits / 8;
  };
  const auto move = [&](std::uint32_t r, std::uint32_t e, std::uint32_t bytes,
                        std::uint32_t first) {  // `first`: the register's byte
    Lanes at;
    for (std::uint32_t l = 0; l < 32; ++l) at[l] = base[l] + place(l, r, e);
    memory_unit_.resolve(warp, in, ~0u, space, bytes, load ? "matrix load" : "matrix store", at,
                         load ? Touch::kRead : Touch::kWrite);
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
    recorder_.record(warp, in, code, a.op, space, bytes, ~0u, at);
  };
  const bool along = place(0, 0, per - 1) - place(0, 0, 0) ==
                     std::uint64_t{per - 1} * bits / 8;  // a register's elements are neighbours
  const bool paired =
      f == Fragment::kC && bits >= 32 && place(0, 1, 0) == place(0, 0, 0) + bits / 8;
  const FragmentForm form =
      run_.tracer ? run_.tracer->fragment(code.first_pc + in.statement) : FragmentForm::kUnknown;
  const bool by_rows = form == FragmentForm::kRows ? bits == 16 || along
                                                   : form == FragmentForm::kUnknown && bits == 16;
  if (by_rows && f != Fragment::kC && space == trace::Space::kShared) {
    for (std::uint32_t r = 0; r < count; r += 4) {  // ldmatrix: a lane an address of eight elements
      const std::uint32_t n = count - r < 4 ? count - r : 4;
      Lanes at;
      for (std::uint32_t l = 0; l < 8 * n; ++l)
        at[l] =
            base[0] + (along ? place(l % 8 * 4, r + l / 8, 0) : place(l % 8 / 2, r + l / 8, l % 2));
      recorder_.record(warp, in, code, trace::Op::kMatrixLoad, space, 16,
                       n == 4 ? ~0u : (1u << 8 * n) - 1, at);
    }
  } else if (along && per > 1) {
    for (std::uint32_t r = 0; r < count; ++r)
      trace_rows(4, [&](std::uint32_t l) { return place(l, r, 0); });
  } else if (bits == 16) {  // lane l reads two neighbours of the transposed block
    for (std::uint32_t r = 0; r < count; ++r)
      trace_rows(4, [&](std::uint32_t l) {
        return place(l % 4 * 8, r, 0) - place(0, r, 0) + place(l / 8, r, l / 4 % 2);
      });
  } else if (paired) {
    for (std::uint32_t r = 0; r < count; r += 2)
      trace_rows(bits / 4, [&](std::uint32_t l) { return place(l, r, 0); });
  } else {
    for (std::uint32_t r = 0; r < count; ++r)
      for (std::uint32_t e = 0; e < per; ++e)
        trace_rows(bits / 8, [&](std::uint32_t l) { return place(l, r, e); });
  }
  for (std::uint32_t r = 0; r < count; ++r) {
    if (along || per == 1) move(r, 0, p.register_bytes(f), 0);
    else
      for (std::uint32_t e = 0; e < per; ++e) move(r, e, bits / 8, e * bits / 8);
  }
  for (std::size_t r = count; r < list.size() && load; ++r)
    std::memcpy(frame + list[r], frame + list[r % count], 128);
}

}  // namespace warpmem::emulate
