// One access of a warp as it can be drawn: who takes part, at which addresses, and what the
// hardware divides them into.
#pragma once

#include <array>
#include <cstdint>

namespace warpmem {

struct LaneAccess {
  std::uint32_t mask = 0;                   // active lanes
  std::array<std::uint64_t, 32> address{};  // bytes; of lanes in the mask
  std::uint32_t bytes = 4;                  // a lane
  bool shared = false;                      // banks, not lines and sectors
  std::uint32_t sector_bytes = 32, line_bytes = 128;
  std::uint32_t banks = 32, bank_bytes = 4;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;

  bool active(unsigned lane) const { return (mask >> lane & 1u) != 0; }
};

}  // namespace warpmem
