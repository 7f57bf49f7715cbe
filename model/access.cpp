#include "model/access.hpp"

#include <cstring>
#include <iterator>

namespace warpmem::model {
namespace {

// Bytes [first, first + length) of a 32-byte sector as a mask.
std::uint32_t byte_mask(std::uint32_t first, std::uint32_t length) {
  const std::uint32_t ones = length >= 32 ? ~0u : (1u << length) - 1;
  return ones << first;
}

// Lines by number, for the length of one access: a warp of strangers has 32, and comparing each
// with all before it would cost more than the caches behind. What it works with are copies of its
// own, which the compiler can keep in registers while the list is written.
class Finder {
 public:
  explicit Finder(LineList& out) : item_(out.item.data()) { std::memset(at_, 0, sizeof at_); }
  LineTouch& operator()(std::uint64_t line) {
    // Neighbouring lanes usually share the line, so look at the latest first.
    if (line == latest_line_) return *latest_;
    latest_line_ = line;
    std::size_t slot = line * 0x9e3779b97f4a7c15ull >> 57;
    for (; at_[slot]; slot = (slot + 1) % std::size(at_))
      if (item_[at_[slot] - 1u].line == line) return *(latest_ = &item_[at_[slot] - 1u]);
    latest_ = &item_[count_];
    at_[slot] = static_cast<std::uint16_t>(++count_);
    *latest_ = LineTouch{};
    latest_->line = line;
    return *latest_;
  }
  int count() const { return static_cast<int>(count_); }

 private:
  LineTouch* item_;
  std::uint32_t count_ = 0;
  std::uint64_t latest_line_ = ~std::uint64_t{0};  // no address has it
  LineTouch* latest_ = nullptr;
  std::uint16_t at_[128];  // position + 1; twice as many as lines can be
};

// A lane whose bytes may lie in several sectors.
void add_bytes(Finder& find, std::uint64_t address, std::uint64_t length, bool with_bytes) {
  while (length > 0) {
    const std::uint64_t offset = address % kSectorBytes;
    const std::uint64_t here = length < kSectorBytes - offset ? length : kSectorBytes - offset;
    LineTouch& t = find(address / kLineBytes);
    const unsigned sector = static_cast<unsigned>(address % kLineBytes / kSectorBytes);
    t.sectors = static_cast<std::uint8_t>(t.sectors | 1u << sector);
    if (with_bytes)
      t.bytes[sector] |=
          byte_mask(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(here));
    address += here;
    length -= here;
  }
}

std::uint8_t full_sectors(const LineTouch& t) {
  unsigned full = 0;
  for (unsigned s = 0; s < kSectorsPerLine; ++s)
    full |= static_cast<unsigned>(t.bytes[s] == ~0u) << s;
  return static_cast<std::uint8_t>(full);
}

}  // namespace

void touch_addresses(const std::uint64_t* address, int count, std::uint32_t bytes, bool with_bytes,
                     LineList& out) {
  Finder find(out);
  std::uint64_t all = 0;
  for (int i = 0; i < count; ++i) all |= address[i];
  if (bytes > kSectorBytes || (bytes & (bytes - 1)) || (all & (bytes - 1))) {
    for (int i = 0; i < count; ++i) add_bytes(find, address[i], bytes, with_bytes);
  } else if (with_bytes) {
    const std::uint32_t ones = byte_mask(0, bytes);
    for (int i = 0; i < count; ++i) {
      LineTouch& t = find(address[i] / kLineBytes);
      const auto sector = static_cast<unsigned>(address[i] / kSectorBytes % kSectorsPerLine);
      t.sectors = static_cast<std::uint8_t>(t.sectors | 1u << sector);
      t.bytes[sector] |= ones << address[i] % kSectorBytes;
    }
  } else {
    for (int i = 0; i < count; ++i) {
      LineTouch& t = find(address[i] / kLineBytes);
      const auto sector = static_cast<unsigned>(address[i] / kSectorBytes % kSectorsPerLine);
      t.sectors = static_cast<std::uint8_t>(t.sectors | 1u << sector);
    }
  }
  out.count = find.count();
  if (with_bytes)
    for (int i = 0; i < out.count; ++i) {
      LineTouch& t = out.item[static_cast<std::size_t>(i)];
      t.full = full_sectors(t);
    }
}

void touch_lines(const WarpAccess& access, bool with_bytes, LineList& out) {
  std::array<std::uint64_t, kWarpLanes> active;
  int count = 0;
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1)
    active[count++] = access.address[std::countr_zero(rest)];
  touch_addresses(active.data(), count, access.bytes, with_bytes, out);
}

void touch_span(std::uint64_t base, std::uint64_t length, bool with_bytes, LineList& out) {
  out.count = 0;
  const std::uint64_t end = base + length;
  for (std::uint64_t line = base / kLineBytes; line * kLineBytes < end; ++line) {
    LineTouch& t = out.item[static_cast<std::size_t>(out.count++)];
    const std::uint64_t start = line * kLineBytes;
    t.line = line;
    if (start >= base && start + kLineBytes <= end) {  // all of it
      t.sectors = t.full = 15;
      t.bytes.fill(~0u);
      continue;
    }
    // Bytes [from, to) of the line.
    const auto from = static_cast<unsigned>(start < base ? base - start : 0);
    const auto to = static_cast<unsigned>(end - start < kLineBytes ? end - start : kLineBytes);
    const unsigned first = from / 32, last = (to - 1) / 32;
    t.sectors = static_cast<std::uint8_t>((2u << last) - (1u << first));
    if (!with_bytes) continue;
    for (unsigned s = 0; s < kSectorsPerLine; ++s) t.bytes[s] = t.sectors >> s & 1 ? ~0u : 0;
    t.bytes[first] &= ~0u << from % 32;
    t.bytes[last] &= ~0u >> (31 - (to - 1) % 32);
    t.full = full_sectors(t);
  }
}

}  // namespace warpmem::model
