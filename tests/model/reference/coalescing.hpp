// Slow and obvious: what a warp access touches, byte by byte.
#pragma once

#include <map>
#include <set>

#include "model/access/access.hpp"

namespace warpmem::reference {

// Every byte address that an active lane touches.
inline std::set<std::uint64_t> bytes_touched(const model::WarpAccess& a) {
  std::set<std::uint64_t> bytes;
  for (int lane = 0; lane < 32; ++lane)
    if (a.mask >> lane & 1)
      for (std::uint32_t b = 0; b < a.bytes; ++b)
        bytes.insert(a.address[static_cast<std::size_t>(lane)] + b);
  return bytes;
}

struct Line {
  std::set<unsigned> sectors;
  std::map<unsigned, std::uint32_t> bytes;  // by sector
};

inline std::map<std::uint64_t, Line> lines_touched(const std::set<std::uint64_t>& bytes) {
  std::map<std::uint64_t, Line> lines;
  for (std::uint64_t b : bytes) {
    Line& line = lines[b / 128];
    const unsigned sector = static_cast<unsigned>(b % 128 / 32);
    line.sectors.insert(sector);
    line.bytes[sector] |= 1u << b % 32;
  }
  return lines;
}

}  // namespace warpmem::reference
