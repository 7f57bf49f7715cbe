// One access of a warp as it can be drawn: who takes part, at which addresses, and what the card's
// rules divide it into, in the numbers that its counters have.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace warpmem {

struct LaneAccess {
  // A sector or a transaction, which moves as a whole; `times`: rounds of an atomic.
  struct Piece {
    std::uint64_t address = 0;  // of its first byte
    std::uint32_t bytes = 0;
    std::uint32_t times = 1;
  };

  std::uint32_t mask = 0;                   // active lanes
  std::array<std::uint64_t, 32> address{};  // bytes; of lanes in the mask
  std::uint32_t bytes = 4;                  // a lane
  bool shared = false;                      // banks, not lines and sectors
  bool atomic = false;                      // lanes change what they find, each in its turn
  std::uint32_t line_bytes = 128;
  static constexpr std::uint32_t sector_bytes = 32;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;

  // Of global and local memory.
  std::vector<Piece> moved;
  std::uint64_t sectors = 0, ideal_sectors = 0;

  // Of shared memory.
  std::uint32_t banks = 32, bank_bytes = 4;
  std::uint32_t rows_together = 1;  // rows of words over all banks that come in one pass
  std::uint64_t passes = 0, ideal_passes = 0;
  std::uint32_t together = 32;  // lanes that are served together
  std::uint32_t bank = 0;       // of the banks the one that most is asked of
  std::uint32_t waiting = 0;    // bit l: it serves lane l in a pass of its own

  bool active(unsigned lane) const { return (mask >> lane & 1u) != 0; }
};

}  // namespace warpmem
