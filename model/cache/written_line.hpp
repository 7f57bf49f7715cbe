// What an L1 keeps of the sectors of a line that were stored to in part.
//
// Measured on an H200 (kernels/micro/l1_written.cu: 640 scripts of four to six random loads and
// stores of 1 to 8 bytes a lane, equal in every count; driver 580, CUDA 13.0, 2026-11-23):
//  - A store makes those words readable of which it has all four bytes; stores of less do not add
//  up
//    to a word. Once all eight words of a sector are, it is as good as one that was fetched.
//  - A load finds such a sector if the words it asks for are readable. If it asks in any such
//  sector
//    of a line for a word that is not, it finds nothing of that line, not even its whole sectors,
//    and all of it is forgotten: what the load asked for is fetched.
#pragma once

#include <cstdint>

#include "model/access/access.hpp"

namespace warpmem::model {

struct WrittenLine {
  std::uint32_t words = 0;   // readable ones of touched sectors; word w of sector s is bit 8 s + w
  std::uint8_t touched = 0;  // sectors of which something was stored that is not all there

  // Whether a load of these words finds all it asks for in the touched ones among its sectors.
  bool has(std::uint8_t sectors, std::uint32_t asked) const {
    return !(asked & ~words & words_of(sectors & touched));
  }
  // A store to sectors that are not readable, of bytes as a LineTouch has them: those that are now.
  std::uint8_t store(std::uint8_t sectors, const std::uint32_t* bytes) {
    std::uint8_t whole = 0;
    for (unsigned s = 0; s < kSectorsPerLine; ++s) {
      if (!(sectors >> s & 1)) continue;
      words |= whole_words(bytes[s]) << s * 8;
      if ((words >> s * 8 & 255) == 255) whole = static_cast<std::uint8_t>(whole | 1u << s);
    }
    touched |= sectors;
    drop(whole);
    return whole;
  }
  // Nothing is kept of these sectors.
  void drop(std::uint8_t sectors) {
    touched = static_cast<std::uint8_t>(touched & ~sectors);
    words &= ~words_of(sectors);
  }

 private:
  static std::uint32_t words_of(unsigned sectors) {
    return (sectors * 0x00204081u & 0x01010101u) * 255u;
  }
};

}  // namespace warpmem::model
