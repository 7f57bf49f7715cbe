// The L1's tag stage: four banks, one line each a pass. Which bank a line sits in is linear in the
// line-address bits; the two-bit contribution of each bit was measured on an H200 (driver 580,
// CUDA 13.0, 2026-11-21; all 3 x 1,024 line pairs agree).
#pragma once

#include <array>
#include <cstdint>

#include "model/access.hpp"

namespace warpmem::model {

// Contribution of line-address bit b (address bit 7 + b). Bits above 24 were not measured.
inline constexpr std::array<std::uint8_t, 25> kTagBankOfBit = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3,
                                                               1, 3, 2, 1, 3, 2, 3, 2, 2, 1, 3, 3};

// Line-address bits whose parity is bit `bit` of the bank number.
constexpr std::uint64_t tag_bank_mask(int bit) {
  std::uint64_t m = 0;
  for (std::size_t b = 0; b < kTagBankOfBit.size(); ++b)
    if (kTagBankOfBit[b] >> bit & 1) m |= std::uint64_t{1} << b;
  return m;
}

inline std::uint32_t tag_bank(std::uint64_t line) {
  // Parity and not std::popcount, which is a library call where the host's instruction may not be
  // assumed.
  return static_cast<std::uint32_t>(__builtin_parityll(line & tag_bank_mask(0))) |
         static_cast<std::uint32_t>(__builtin_parityll(line & tag_bank_mask(1))) << 1;
}

// Passes through the tag stage: lines in the fullest bank.
inline int tag_passes(const LineList& lines) {
  std::array<int, 4> n{};
  for (const LineTouch& t : lines) ++n[tag_bank(t.line)];
  int most = 0;
  for (int k : n) most = k > most ? k : most;
  return most;
}

}  // namespace warpmem::model
