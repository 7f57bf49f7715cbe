// Where lines belong, one function a rule.
#pragma once

#include <array>
#include <cstdint>

namespace warpmem::twin {

// The L1's: XOR what each bit of the line's number that is set contributes. The numbers are those
// measured on an H200 (model/cache/index/l1_index.hpp), written down once more.
inline constexpr std::array<std::uint64_t, 39> kSetOfBit = {
    1,   2,   389, 90,  435, 49,  202, 231, 446, 329, 490, 369, 303,
    473, 419, 510, 449, 367, 313, 183, 42,  83,  229, 431, 393, 462,
    283, 482, 505, 207, 189, 31,  386, 355, 325, 234, 343, 30,  496};

inline std::uint64_t xor_matrix_of_512(std::uint64_t line) {
  std::uint64_t set = 0;
  for (unsigned bit = 0; bit < kSetOfBit.size(); ++bit)
    if (line >> bit & 1) set ^= kSetOfBit[bit];
  return set;
}

// … in caches of another number of sets, a power of two: further bits for more; in fewer, lines in
// a row take all sets by turns, in the same four banks.
inline std::uint64_t xor_matrix_set(std::uint64_t line, std::uint64_t sets) {
  const std::uint64_t of_512 = xor_matrix_of_512(line);
  if (sets == 512) return of_512;
  if (sets > 512) return (of_512 + (line / 512 ^ line / 262144) / 512 * 512) % sets;
  const std::uint64_t row = line ^ xor_matrix_of_512(line / sets * sets);
  return of_512 % 4 + row % sets / 4 * 4;
}

// The L2's: blocks of 1,024 lines of a side, each shuffled over 1,024 rows, blocks over columns.
// Address bit 12 takes no part, as it only says whose home a line is. Sets that are not whole
// columns of 1,024 are in rows of the largest power of two that divides them.
inline std::uint64_t mixed_rows_set(std::uint64_t line, std::uint64_t sets) {
  std::uint64_t rows = 1024;
  while (sets % rows != 0) rows /= 2;
  const std::uint64_t without_bit_12 = line / 64 * 32 + line % 32;
  const auto block = static_cast<std::uint32_t>(without_bit_12 / rows);
  std::uint32_t shuffle = block * 0x9e3779b1u;
  shuffle = (shuffle ^ shuffle >> 15) * 0x85ebca77u;
  shuffle ^= shuffle >> 13;
  return block % (sets / rows) * rows + (without_bit_12 ^ shuffle) % rows;
}

// 32 bits that a line's number draws, for latencies.
inline std::uint64_t draw(std::uint64_t line) { return line * 0xd1b54a32d192ed03ull >> 32; }

}  // namespace warpmem::twin
