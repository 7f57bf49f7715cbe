#include <bit>
#include <cstring>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"
#include "emulate/executor/matrix.hpp"
#include "emulate/executor/matrix_unit.hpp"

namespace warpmem::emulate {

// A fragment's elements: which register of a lane has which, and where that lies in memory.
struct MatrixUnit::Tile {
  Warp& warp;
  const Inst& in;
  const Code& code;
  const Access& a;
  const MatrixProduct& p;
  const std::vector<std::uint32_t>& list;  // registers
  Fragment f;
  std::byte* frame;
  bool row_major, load;
  std::uint32_t bits, per, count;  // of an element; elements of a register; registers
  std::uint64_t stride;            // elements from a row, or a column, to the next
  trace::Space space;
  Lanes base;

  Tile(Warp& of, const Inst& inst, const Code& c, std::byte* registers)
      : warp(of),
        in(inst),
        code(c),
        a(code.accesses[in.extra]),
        p(code.products[in.sub]),
        list(code.lists[in.target]),
        f(static_cast<Fragment>(in.float_bytes)),
        frame(registers),
        row_major(in.negate_c),
        load(a.op == trace::Op::kLoad),
        bits(p.bits(f)),
        per(p.per(f)),
        count(p.registers(f)) {
    const std::uint32_t rows = f == Fragment::kB ? p.k : p.m,
                        columns = f == Fragment::kA ? p.k : p.n;
    stride = in.a == kNoOffset ? (row_major ? columns : rows)
                               : *reinterpret_cast<const std::uint32_t*>(frame + in.a);
    addresses(a, frame, base);
    space = a.space == Space::kShared  ? trace::Space::kShared
            : a.space == Space::kLocal ? trace::Space::kLocal
                                       : trace::Space::kGlobal;
    if (a.space != Space::kGeneric || base[0] - kSharedWindow >= kWindowBytes) return;
    space = trace::Space::kShared;
    for (std::uint64_t& v : base) v -= kSharedWindow;
  }
  // In bytes from the matrix's beginning.
  std::uint64_t place(std::uint32_t lane, std::uint32_t r, std::uint32_t e) const {
    const Element at = element_of(p, f, lane, r, e);
    return (row_major ? at.row * stride + at.column : at.column * stride + at.row) * bits / 8;
  }
  // A register's elements are neighbours.
  bool along() const {
    return place(0, 0, per - 1) - place(0, 0, 0) == std::uint64_t{per - 1} * bits / 8;
  }
  // … and those of an accumulator's next one.
  bool paired() const {
    return f == Fragment::kC && bits >= 32 && place(0, 1, 0) == place(0, 0, 0) + bits / 8;
  }
};

// ldmatrix: a lane an address of eight elements.
void MatrixUnit::record_rows(const Tile& t) {
  const bool along = t.along();
  for (std::uint32_t r = 0; r < t.count; r += 4) {
    const std::uint32_t n = t.count - r < 4 ? t.count - r : 4;
    Lanes at;
    for (std::uint32_t l = 0; l < 8 * n; ++l)
      at[l] = t.base[0] +
              (along ? t.place(l % 8 * 4, r + l / 8, 0) : t.place(l % 8 / 2, r + l / 8, l % 2));
    recorder_.record(t.warp, t.in, t.code, trace::Op::kMatrixLoad, t.space, 16,
                     n == 4 ? ~0u : (1u << 8 * n) - 1, at);
  }
}

void MatrixUnit::record_fragment(const Tile& t) {
  const bool along = t.along();
  if (t.bits == 16 && t.f != Fragment::kC && t.space == trace::Space::kShared)
    return record_rows(t);
  const auto record = [&](std::uint32_t bytes, auto offset) {
    Lanes at;
    for (std::uint32_t l = 0; l < 32; ++l) at[l] = t.base[l] + offset(l);
    recorder_.record(t.warp, t.in, t.code, t.a.op, t.space, bytes, ~0u, at);
  };
  if (along && t.per > 1) {
    for (std::uint32_t r = 0; r < t.count; ++r)
      record(4, [&](std::uint32_t l) { return t.place(l, r, 0); });
  } else if (t.bits == 16) {  // lane l reads two neighbours of the transposed block
    for (std::uint32_t r = 0; r < t.count; ++r)
      record(4, [&](std::uint32_t l) {
        return t.place(l % 4 * 8, r, 0) - t.place(0, r, 0) + t.place(l / 8, r, l / 4 % 2);
      });
  } else if (t.paired()) {
    for (std::uint32_t r = 0; r < t.count; r += 2)
      record(t.bits / 4, [&](std::uint32_t l) { return t.place(l, r, 0); });
  } else {
    for (std::uint32_t r = 0; r < t.count; ++r)
      for (std::uint32_t e = 0; e < t.per; ++e)
        record(t.bits / 8, [&](std::uint32_t l) { return t.place(l, r, e); });
  }
}

// From element `e` of register `r` on, `bytes` of it, which begin `first` bytes into the register.
void MatrixUnit::move_elements(const Tile& t, std::uint32_t r, std::uint32_t e, std::uint32_t bytes,
                               std::uint32_t first) {
  Lanes at;
  for (std::uint32_t l = 0; l < 32; ++l) at[l] = t.base[l] + t.place(l, r, e);
  memory_unit_.resolve(t.warp, t.in, ~0u, t.space, bytes, t.load ? "matrix load" : "matrix store",
                       at, t.load ? Touch::kRead : Touch::kWrite);
  const std::uint32_t width = t.p.register_bytes(t.f);
  for (std::uint32_t l = 0; l < 32; ++l) {
    auto* reg = t.frame + t.list[r] + l * width + first;
    if (t.load) std::memcpy(reg, reinterpret_cast<const void*>(at[l]), bytes);
    else std::memcpy(reinterpret_cast<void*>(at[l]), reg, bytes);
  }
}

// wmma's loads and stores, as ptxas writes them for sm_90: a register at a time where its elements
// are neighbours in memory (accumulators of 32 bits in pairs), 16-bit ones across them as rows that
// are turned afterwards, and element by element otherwise. From shared memory operands of 16 bits
// come by ldmatrix.
void MatrixUnit::fragment(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                          std::uint32_t mask) {
  if (mask != ~0u)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "wmma needs all 32 lanes of the warp", kWholeWarp);
  const Tile t(warp, in, code_of(warp, part), frame);
  record_fragment(t);
  const bool whole = t.along() || t.per == 1;
  for (std::uint32_t r = 0; r < t.count; ++r) {
    if (whole) move_elements(t, r, 0, t.p.register_bytes(t.f), 0);
    else
      for (std::uint32_t e = 0; e < t.per; ++e) move_elements(t, r, e, t.bits / 8, e * t.bits / 8);
  }
  for (std::size_t r = t.count; r < t.list.size() && t.load; ++r)
    std::memcpy(frame + t.list[r], frame + t.list[r % t.count], 128);
}

}  // namespace warpmem::emulate
