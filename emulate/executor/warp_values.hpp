// Values that a warp's lanes have in common, written to the registers of those of a mask. `frame`
// is the warp's registers, 32 lanes of 4 bytes each at an offset; a predicate is one bit a lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmem::emulate {

inline void put_lanes(std::byte* frame, std::uint32_t offset, std::uint32_t mask,
                      std::uint32_t value) {
  auto* d = reinterpret_cast<std::uint32_t*>(frame + offset);
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) d[l] = value;
}

inline void put_predicate(std::byte* frame, std::uint32_t offset, std::uint32_t mask, bool value) {
  auto& p = *reinterpret_cast<std::uint32_t*>(frame + offset);
  p = value ? p | mask : p & ~mask;
}

}  // namespace warpmem::emulate
