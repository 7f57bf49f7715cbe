// Where a line belongs in the L1: one of 512 sets, the lowest two bits of which are its tag bank.
//
// Both are linear in the bits of the line's virtual address: XOR what each bit that is set
// contributes. Measured on an H200 (kernels/micro/l1_hash.cu, driver 580, CUDA 13.0, 2026-11-22):
// of random lines that push one out of the L1, four are enough, and the differences between it and
// them span the same 29 dimensions of the 38 whichever line it is (64 lines for each address bit
// from 21 to 44, 132 for those below). Which four of a warp's lines the tag stage takes at once
// says which two dimensions of the nine are the bank (1,024 pairs). A set's
// name is its place in the order in which those of its bank give up lines
// (kernels/micro/l1_room.cu, 2026-11-23: a hand goes over the 128 sets as a counter does, of which
// each bit shifts the set).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/access/line_words.hpp"

namespace warpmem::model {

// Contribution of line-address bit b (address bit 7 + b). Bits above 37 were not measured, but that
// those that all addresses of a program have in common, 38 and 39 among them, shift the order of
// the sets as the last entry says.
inline constexpr std::array<std::uint16_t, 39> kL1SetOfBit = {
    1,   2,   389, 90,  435, 49,  202, 231, 446, 329, 490, 369, 303,
    473, 419, 510, 449, 367, 313, 183, 42,  83,  229, 431, 393, 462,
    283, 482, 505, 207, 189, 31,  386, 355, 325, 234, 343, 30,  496};
inline constexpr std::uint32_t kL1Sets = 512;

// What ten bits of a line address contribute together, by their value: bits [from, from + 10).
template <unsigned from>
inline constexpr std::array<std::uint16_t, 1024> kL1SetOfBits = [] {
  std::array<std::uint16_t, 1024> sets{};
  for (unsigned bits = 0; bits < 1024; ++bits)
    for (unsigned b = 0; b < 10 && from + b < kL1SetOfBit.size(); ++b)
      if (bits >> b & 1)
        sets[bits] = static_cast<std::uint16_t>(sets[bits] ^ kL1SetOfBit[from + b]);
  return sets;
}();

inline std::uint32_t l1_set(std::uint64_t line) {
  return static_cast<std::uint32_t>(
      kL1SetOfBits<0>[line & 1023] ^ kL1SetOfBits<10>[line >> 10 & 1023] ^
      kL1SetOfBits<20>[line >> 20 & 1023] ^ kL1SetOfBits<30>[line >> 30 & 1023]);
}

// The sets of a list's lines, which have their upper halves in common.
void l1_sets(const LineWords& words, std::uint32_t* set);

inline std::uint32_t tag_bank(std::uint64_t line) { return l1_set(line) & 3; }

}  // namespace warpmem::model
