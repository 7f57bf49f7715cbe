#include "model/general/touched_lines.hpp"

#include <algorithm>

namespace warpmem::model {

LineTouch& TouchedLines::line(std::uint64_t number) {
  const auto there = std::find_if(lines_.begin(), lines_.end(),
                                  [number](const LineTouch& t) { return t.line == number; });
  if (there != lines_.end()) return *there;
  lines_.emplace_back().line = number;
  return lines_.back();
}

void TouchedLines::add(std::uint64_t address, std::uint64_t length) {
  const std::uint64_t end = address + length;
  while (address < end) {
    LineTouch& touch = line(address / line_bytes_);
    const std::uint64_t sector_end = (address / kSectorBytes + 1) * kSectorBytes;
    const std::uint64_t here = std::min(end, sector_end) - address;
    const std::uint64_t s = address % line_bytes_ / kSectorBytes;
    const std::uint32_t bytes = here == kSectorBytes ? ~0u : (1u << here) - 1;
    touch.bytes[s] |= bytes << address % kSectorBytes;
    touch.sectors = static_cast<std::uint8_t>(touch.sectors | 1u << s);
    if (touch.bytes[s] == ~0u) touch.full = static_cast<std::uint8_t>(touch.full | 1u << s);
    address += here;
  }
}

void TouchedLines::add(const WarpAccess& a) {
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1)
    add(a.address[static_cast<std::size_t>(std::countr_zero(rest))], a.bytes);
}

std::uint64_t TouchedLines::sectors() const {
  std::uint64_t n = 0;
  for (const LineTouch& t : lines_) n += sectors_in(t.sectors);
  return n;
}

}  // namespace warpmem::model
