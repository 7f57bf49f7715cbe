#include "model/access.hpp"

namespace warpmem::model {
namespace {

// Bytes [first, first + length) of a 32-byte sector as a mask.
std::uint32_t byte_mask(std::uint32_t first, std::uint32_t length) {
  const std::uint32_t ones = length >= 32 ? ~0u : (1u << length) - 1;
  return ones << first;
}

LineTouch& find_or_add(LineList& out, std::uint64_t line) {
  // Neighbouring lanes usually share the line, so look at the latest first.
  for (int i = out.count - 1; i >= 0; --i)
    if (out.item[i].line == line) return out.item[i];
  LineTouch& t = out.item[out.count++];
  t = LineTouch{};
  t.line = line;
  return t;
}

void add_bytes(LineList& out, std::uint64_t address, std::uint64_t length, bool with_bytes) {
  while (length > 0) {
    const std::uint64_t offset = address % kSectorBytes;
    const std::uint64_t here = length < kSectorBytes - offset ? length : kSectorBytes - offset;
    LineTouch& t = find_or_add(out, address / kLineBytes);
    const unsigned sector = static_cast<unsigned>(address % kLineBytes / kSectorBytes);
    t.sectors = static_cast<std::uint8_t>(t.sectors | 1u << sector);
    if (with_bytes) {
      t.bytes[sector] |= byte_mask(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(here));
      if (t.bytes[sector] == ~0u) t.full = static_cast<std::uint8_t>(t.full | 1u << sector);
    }
    address += here;
    length -= here;
  }
}

}  // namespace

void touch_lines(const WarpAccess& access, bool with_bytes, LineList& out) {
  out.count = 0;
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1)
    add_bytes(out, access.address[std::countr_zero(rest)], access.bytes, with_bytes);
}

void touch_contiguous(std::uint64_t base, std::uint64_t length, bool with_bytes, LineList& out) {
  out.count = 0;
  const std::uint64_t end = base + length;
  for (std::uint64_t line = base / kLineBytes; line * kLineBytes < end; ++line) {
    LineTouch& t = out.item[out.count++];
    t.line = line;
    t.sectors = t.full = 0;
    const std::uint64_t start = line * kLineBytes;
    for (unsigned s = 0; s < kSectorsPerLine; ++s) {
      const std::uint64_t low = start + s * kSectorBytes, high = low + kSectorBytes;
      const std::uint64_t from = low > base ? low : base, to = high < end ? high : end;
      t.bytes[s] = 0;
      if (from >= to) continue;
      t.sectors = static_cast<std::uint8_t>(t.sectors | 1u << s);
      if (!with_bytes) continue;
      t.bytes[s] = byte_mask(static_cast<std::uint32_t>(from - low), static_cast<std::uint32_t>(to - from));
      if (t.bytes[s] == ~0u) t.full = static_cast<std::uint8_t>(t.full | 1u << s);
    }
  }
}

}  // namespace warpmem::model
