// What of a line comes together: aligned pieces of one, two or four sectors, of which a miss brings
// all (DRAM's, those that cross the L2, an L1's).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpmem::model {

// By sectors in a piece, then sectors (bits): all of the pieces that these lie in.
inline constexpr auto kInPieces = [] {
  std::array<std::array<std::uint8_t, 16>, 5> all{};
  for (unsigned piece = 0; piece < all.size(); ++piece)
    for (unsigned sectors = 0; sectors < 16; ++sectors) {
      const unsigned pairs = (sectors | sectors >> 1) & 5u;
      const unsigned whole = piece == 2 ? pairs * 3 : piece == 4 && sectors ? 15 : sectors;
      all[piece][sectors] = static_cast<std::uint8_t>(whole);
    }
  return all;
}();
inline const std::uint8_t* pieces_of(std::uint32_t piece) {
  return kInPieces[std::min(piece, 4u)].data();
}
inline std::uint8_t in_pieces(std::uint8_t sectors, std::uint32_t piece) {
  return pieces_of(piece)[sectors & 15];
}

}  // namespace warpmem::model
