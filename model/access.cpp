#include "model/access.hpp"

namespace warpmem::model {
namespace {

// Bytes [first, first + length) of a 32-byte sector as a mask.
std::uint32_t byte_mask(std::uint32_t first, std::uint32_t length) {
  const std::uint32_t ones = length >= 32 ? ~0u : (1u << length) - 1;
  return ones << first;
}

// Lines by number, for the length of one access: a warp of strangers has 32, and comparing each
// with all before it would cost more than the caches behind.
class Finder {
 public:
  explicit Finder(LineList& out) : out_(out) { at_.fill(0); }
  LineTouch& operator()(std::uint64_t line) {
    // Neighbouring lanes usually share the line, so look at the latest first.
    if (out_.count > 0 && out_.item[static_cast<std::size_t>(out_.count - 1)].line == line)
      return out_.item[static_cast<std::size_t>(out_.count - 1)];
    std::size_t slot = line * 0x9e3779b97f4a7c15ull >> 57;
    for (; at_[slot]; slot = (slot + 1) % at_.size())
      if (out_.item[at_[slot] - 1u].line == line) return out_.item[at_[slot] - 1u];
    LineTouch& t = out_.item[static_cast<std::size_t>(out_.count)];
    at_[slot] = static_cast<std::uint8_t>(++out_.count);
    t = LineTouch{};
    t.line = line;
    return t;
  }

 private:
  LineList& out_;
  std::array<std::uint8_t, 128> at_;  // position + 1; twice as many as lines can be
};

void add_bytes(Finder& find, std::uint64_t address, std::uint64_t length, bool with_bytes) {
  while (length > 0) {
    const std::uint64_t offset = address % kSectorBytes;
    const std::uint64_t here = length < kSectorBytes - offset ? length : kSectorBytes - offset;
    LineTouch& t = find(address / kLineBytes);
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
  Finder find(out);
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1)
    add_bytes(find, access.address[std::countr_zero(rest)], access.bytes, with_bytes);
}

void touch_contiguous(std::uint64_t base, std::uint64_t length, bool with_bytes, LineList& out) {
  out.count = 0;
  const std::uint64_t end = base + length;
  for (std::uint64_t line = base / kLineBytes; line * kLineBytes < end; ++line) {
    LineTouch& t = out.item[static_cast<std::size_t>(out.count++)];
    const std::uint64_t start = line * kLineBytes;
    // Bytes [from, to) of the line.
    const auto from = static_cast<unsigned>(start < base ? base - start : 0);
    const auto to = static_cast<unsigned>(end - start < kLineBytes ? end - start : kLineBytes);
    const unsigned first = from / 32, last = (to - 1) / 32;
    t.line = line;
    t.sectors = static_cast<std::uint8_t>((2u << last) - (1u << first));
    if (!with_bytes) continue;
    for (unsigned s = 0; s < kSectorsPerLine; ++s) t.bytes[s] = t.sectors >> s & 1 ? ~0u : 0;
    t.bytes[first] &= ~0u << from % 32;
    t.bytes[last] &= ~0u >> (31 - (to - 1) % 32);
    t.full = t.sectors;
    if (t.bytes[first] != ~0u) t.full = static_cast<std::uint8_t>(t.full & ~(1u << first));
    if (t.bytes[last] != ~0u) t.full = static_cast<std::uint8_t>(t.full & ~(1u << last));
  }
}

}  // namespace warpmem::model
