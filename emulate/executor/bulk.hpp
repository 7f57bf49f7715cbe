// Bulk copies: which lanes make one, and the mbarriers that wait for them.
//
// mbarrier objects: 64 bits in shared memory. Their layout is the emulator's own, as hardware's is
// not documented: bits 0-14 arrivals still pending, 15-29 arrivals of a phase, 30 the phase's
// parity, 32-63 bytes expected and not yet arrived (signed).
#pragma once

#include <bit>
#include <cstdint>

namespace warpmem::emulate {

enum class MbarrierOp : std::uint32_t {
  kInit,
  kInvalidate,
  kArrive,
  kExpect,
  kTest,
  kTestParity,
  kArriveDrop,
  kComplete,
  kPendingCount
};

struct Mbarrier {
  std::uint32_t pending = 0, count = 0;
  bool parity = false;
  std::int32_t bytes = 0;

  static Mbarrier unpack(std::uint64_t v) {
    return {static_cast<std::uint32_t>(v & 0x7fff), static_cast<std::uint32_t>(v >> 15 & 0x7fff),
            (v >> 30 & 1) != 0, static_cast<std::int32_t>(v >> 32)};
  }
  std::uint64_t pack() const {
    return (pending & 0x7fff) | static_cast<std::uint64_t>(count & 0x7fff) << 15 |
           static_cast<std::uint64_t>(parity) << 30 |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(bytes)) << 32;
  }
  void arrive(std::uint32_t n) {
    pending -= n < pending ? n : pending;
    settle();
  }
  void settle() {
    if (pending != 0 || bytes != 0) return;
    pending = count;
    parity = !parity;
  }
};

// The lanes that make a copy, of those that are to. A copy is an instruction of the whole warp with
// operands of the whole warp. For copies to global memory ptxas has it run once for each value that
// the lanes' operands have (R2UR.OR, BRA.U.ANY), so once where they agree; reductions, and copies
// that an mbarrier counts, once for each lane (ELECT).
template <typename Same>
std::uint32_t makers_of_copies(std::uint32_t lanes, Same same) {
  std::uint32_t makers = 0;
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    bool made = false;
    for (std::uint32_t other = makers; other && !made; other &= other - 1)
      made = same(lane, static_cast<std::uint32_t>(std::countr_zero(other)));
    if (!made) makers |= 1u << lane;
  }
  return makers;
}

}  // namespace warpmem::emulate
