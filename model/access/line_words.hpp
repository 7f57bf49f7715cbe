// The lower halves of the numbers of a list's lines, for what is worked out for all of them side by
// side (base/wide_hosts.hpp): sixteen of 32 bits fit where eight of 64 do, and hosts multiply them
// in one instruction. Lines of an access nearly always have the upper halves in common: where they
// have not (`alike` false), each is worked out by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/access/access.hpp"

namespace warpmem::model {

struct LineWords {
  // Loops over words go on to the end of a step, so that they need no rest: behind the last line
  // the first is repeated.
  static constexpr std::size_t kStep = 32;

  std::array<std::uint32_t, LineList::kMost> low;
  std::uint32_t upper = 0;  // bits 32 to 63 of all
  bool alike = false;
  std::size_t count = 0;  // of words, a multiple of kStep

  explicit LineWords(const LineList& lines);
  std::uint64_t upper_bits() const { return std::uint64_t{upper} << 32; }
};

}  // namespace warpmem::model
