// The L1's tag stage: four banks, one line each a pass. Which bank a line sits in is linear in the
// line-address bits; the two-bit contribution of each bit was measured on an H200 (driver 580,
// CUDA 13.0, 2026-11-21; all 3 x 1,024 line pairs agree).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/access.hpp"

namespace warpmem::model {

// Contribution of line-address bit b (address bit 7 + b). Bits above 24 were not measured.
inline constexpr std::array<std::uint8_t, 25> kTagBankOfBit = {
    1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3, 2, 1, 3, 2, 3, 2, 2, 1, 3, 3};

// The bank that some bits of a line address contribute, by their value: bits [from, from + 9).
template <unsigned from>
inline constexpr std::array<std::uint8_t, 512> kTagBankOfBits = [] {
  std::array<std::uint8_t, 512> banks{};
  for (unsigned bits = 0; bits < 512; ++bits)
    for (unsigned b = 0; b < 9 && from + b < kTagBankOfBit.size(); ++b)
      if (bits >> b & 1)
        banks[bits] = static_cast<std::uint8_t>(banks[bits] ^ kTagBankOfBit[from + b]);
  return banks;
}();

inline std::uint32_t tag_bank(std::uint64_t line) {
  return static_cast<std::uint32_t>(kTagBankOfBits<0>[line & 511] ^
                                    kTagBankOfBits<9>[line >> 9 & 511] ^
                                    kTagBankOfBits<18>[line >> 18 & 511]);
}

// Passes through the tag stage: lines in the fullest bank.
class TagPasses {
 public:
  void add(std::uint32_t bank) { in_bank_ += 1u << bank * 8; }
  int count() const {
    int most = 0;
    for (std::uint32_t rest = in_bank_; rest; rest >>= 8)
      most = std::max(most, static_cast<int>(rest & 255));
    return most;
  }

 private:
  std::uint32_t in_bank_ = 0;  // a byte a bank; there are at most 64 lines
};

inline int tag_passes(const LineList& lines) {
  TagPasses passes;
  for (const LineTouch& t : lines) passes.add(tag_bank(t.line));
  return passes.count();
}

}  // namespace warpmem::model
