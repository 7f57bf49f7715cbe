#include "model/access/any_lines.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::model {
namespace {

// Where the list has a line: at its end if it is new.
std::size_t place_of(std::uint64_t line, LineList& list) {
  const auto count = static_cast<std::size_t>(list.count);
  const auto end = list.line.begin() + static_cast<std::ptrdiff_t>(count);
  const auto there = std::find(list.line.begin(), end, line);
  if (there != end) return static_cast<std::size_t>(there - list.line.begin());
  list.line[count] = line;
  list.sectors[count] = list.full[count] = 0;
  list.bytes[count] = {};
  ++list.count;
  return count;
}

}  // namespace

void touch_any(std::uint64_t address, std::uint64_t length, std::uint32_t line_bytes,
               LineList& out) {
  const std::uint64_t end = address + length;
  while (address < end) {
    const std::size_t at = place_of(address / line_bytes, out);
    const std::uint64_t sector_end = (address / kSectorBytes + 1) * kSectorBytes;
    const std::uint64_t here = std::min(end, sector_end) - address;
    const std::uint64_t s = address % line_bytes / kSectorBytes;
    const std::uint32_t bytes = here == kSectorBytes ? ~0u : (1u << here) - 1;
    std::uint32_t& touched = out.bytes[at][s];
    touched |= bytes << address % kSectorBytes;
    out.sectors[at] = static_cast<std::uint8_t>(out.sectors[at] | 1u << s);
    if (touched == ~0u) out.full[at] = static_cast<std::uint8_t>(out.full[at] | 1u << s);
    address += here;
  }
}

void list_any(const WarpAccess& a, std::uint32_t line_bytes, LineList& out) {
  out.count = 0;
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1)
    touch_any(a.address[static_cast<std::size_t>(std::countr_zero(rest))], a.bytes, line_bytes,
              out);
}

}  // namespace warpmem::model
