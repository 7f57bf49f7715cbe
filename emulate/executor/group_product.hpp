// Matrix products of a warpgroup (wgmma): four warps, each with 16 of the 64 rows. A comes from
// shared memory or registers, B from shared memory, where a descriptor says how a tile lies.
//
// A tile is made of cores of eight rows by 16 bytes. "Rows" run along m or n. K-major: the 16 bytes
// run along k; eight rows lie one swizzle width apart, the next eight `stride` bytes on, the next
// 16 bytes of k right behind (without a swizzle `leading` bytes on). Turned: the 16 bytes run along
// m or n, as many cores side by side as the swizzle is wide, then `leading` bytes on; k goes one
// width apart, the next eight `stride` bytes on (without a swizzle the two change places).
#pragma once

#include <cstdint>

#include "emulate/executor/matrix.hpp"

namespace warpmem::emulate {

struct GroupProduct {
  MatrixProduct part;  // of one warp: 16 rows
  bool a_in_registers = false;
  bool a_turned = false, b_turned = false;  // m or n run along memory, not k
  bool negate_a = false, negate_b = false;
  std::uint32_t a = 0, b = 0;  // descriptors in the frame
  std::uint32_t keeps = 0;     // predicate: D takes part; kNoOffset: see `keeps_always`
  bool keeps_always = false, keeps_negated = false;
  // Of machine code: bytes at the start of a CTA's window that are not the program's, and that what
  // it reads leaves a record, as a recording has it.
  std::uint32_t reserved = 0;
  bool traced = false;
};

struct TileDescriptor {
  std::uint32_t start = 0, leading = 0, stride = 0;  // bytes
  std::uint32_t phase = 0;                           // of the swizzle's pattern at the start
  std::uint32_t width = 16;                          // bytes of the swizzle; 16: none

  static constexpr TileDescriptor unpack(std::uint64_t v) {
    constexpr std::uint32_t kWidth[] = {16, 128, 64, 32};
    return {static_cast<std::uint32_t>(v & 0x3fff) << 4,
            static_cast<std::uint32_t>(v >> 16 & 0x3fff) << 4,
            static_cast<std::uint32_t>(v >> 32 & 0x3fff) << 4,
            static_cast<std::uint32_t>(v >> 49 & 7), kWidth[v >> 62]};
  }
  // Shared address of the byte at `k_byte` of row `row`; turned: of element `k` of row `row`, two
  // bytes each.
  constexpr std::uint32_t place(std::uint32_t row, std::uint32_t k_byte) const {
    const std::uint32_t core = k_byte / 16;
    return swizzled(start + row % 8 * width + row / 8 * stride +
                    core * (width == 16 ? leading : 16) + k_byte % 16);
  }
  constexpr std::uint32_t place_turned(std::uint32_t row, std::uint32_t k) const {
    const std::uint32_t along = row * 2, next = width == 16 ? stride : leading,
                        k_next = width == 16 ? leading : stride;
    return swizzled(start + along / width * next + along % width + k % 8 * width + k / 8 * k_next);
  }

 private:
  constexpr std::uint32_t swizzled(std::uint32_t address) const {
    return address ^ ((address >> 7) & (width / 16 - 1)) << 4;
  }
};

}  // namespace warpmem::emulate
