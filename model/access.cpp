#include "model/access.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/wide_hosts.hpp"

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
  Finder(LineList& out, bool with_bytes) : out_(out), with_bytes_(with_bytes) {
    std::memset(at_, 0, sizeof at_);
  }
  // Where the line is in the list; it is added if it is new.
  std::size_t operator()(std::uint64_t line) {
    // Neighbouring lanes usually share the line, so look at the latest first.
    if (line == latest_line_) return latest_;
    latest_line_ = line;
    std::size_t slot = line * 0x9e3779b97f4a7c15ull >> 57;
    for (; at_[slot]; slot = (slot + 1) % std::size(at_))
      if (out_.line[at_[slot] - 1u] == line) return latest_ = at_[slot] - 1u;
    latest_ = count_++;
    at_[slot] = static_cast<std::uint16_t>(count_);
    out_.line[latest_] = line;
    out_.sectors[latest_] = 0;
    if (with_bytes_) out_.bytes[latest_] = {};
    return latest_;
  }
  int count() const { return static_cast<int>(count_); }

 private:
  LineList& out_;
  const bool with_bytes_;
  std::uint32_t count_ = 0;
  std::uint64_t latest_line_ = ~std::uint64_t{0};  // no address has it
  std::size_t latest_ = 0;
  std::uint16_t at_[128];  // position + 1; twice as many as lines can be
};

std::uint8_t sector_bit(std::uint64_t address) {
  return static_cast<std::uint8_t>(1u << address / kSectorBytes % kSectorsPerLine);
}

// A lane whose bytes may lie in several sectors.
void add_bytes(Finder& find, LineList& out, std::uint64_t address, std::uint64_t length,
               bool with_bytes) {
  while (length > 0) {
    const std::uint64_t offset = address % kSectorBytes;
    const std::uint64_t here = length < kSectorBytes - offset ? length : kSectorBytes - offset;
    const std::size_t at = find(address / kLineBytes);
    out.sectors[at] |= sector_bit(address);
    if (with_bytes)
      out.bytes[at][address % kLineBytes / kSectorBytes] |=
          byte_mask(static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(here));
    address += here;
    length -= here;
  }
}

std::uint8_t full_sectors(const std::array<std::uint32_t, kSectorsPerLine>& bytes) {
  unsigned full = 0;
  for (unsigned s = 0; s < kSectorsPerLine; ++s)
    full |= static_cast<unsigned>(bytes[s] == ~0u) << s;
  return static_cast<std::uint8_t>(full);
}

// Whether 32 keys all differ: each is compared with the sixteen behind it, in a ring.
WARPMEM_WIDE_HOSTS bool all_differ(const std::uint32_t* keys) {
  std::uint32_t ring[2 * kWarpLanes];
  for (int i = 0; i < 2 * kWarpLanes; ++i) ring[i] = keys[i % kWarpLanes];
  std::uint32_t same = 0;
  for (int apart = 1; apart <= kWarpLanes / 2; ++apart)
    for (int i = 0; i < kWarpLanes; ++i) same |= ring[i] == ring[i + apart];
  return !same;
}

// Lines and sectors of lanes that lie within a sector each, and what tells most lines apart.
WARPMEM_WIDE_HOSTS void lanes_alone(const std::uint64_t* __restrict address, LineList& out,
                                    std::uint32_t* __restrict key) {
  std::uint64_t* const __restrict line = out.line.data();
  for (int i = 0; i < kWarpLanes; ++i) {
    line[i] = address[i] / kLineBytes;
    key[i] = static_cast<std::uint32_t>(address[i] / kLineBytes);
  }
  std::uint8_t* const __restrict sectors = out.sectors.data();
  for (int i = 0; i < kWarpLanes; ++i)
    sectors[i] = static_cast<std::uint8_t>(
        1u << (static_cast<std::uint32_t>(address[i] / kSectorBytes) % kSectorsPerLine));
}

// A warp of strangers, with a line each, is most of what gathers are: no line has to be looked for
// among the others.
bool touch_strangers(const std::uint64_t* address, LineList& out) {
  if ((address[0] ^ address[1]) < kLineBytes) return false;  // neighbours are no strangers
  std::uint32_t keys[kWarpLanes];
  lanes_alone(address, out, keys);
  if (!all_differ(keys)) return false;
  out.count = kWarpLanes;
  return true;
}

}  // namespace

void touch_addresses(const std::uint64_t* address, int count, std::uint32_t bytes, bool with_bytes,
                     LineList& out) {
  std::uint64_t all = 0;
  for (int i = 0; i < count; ++i) all |= address[i];
  const bool in_one_sector =
      bytes <= kSectorBytes && !(bytes & (bytes - 1)) && !(all & (bytes - 1));
  if (in_one_sector && !with_bytes && count == kWarpLanes && touch_strangers(address, out)) return;
  Finder find(out, with_bytes);
  if (!in_one_sector) {
    for (int i = 0; i < count; ++i) add_bytes(find, out, address[i], bytes, with_bytes);
  } else if (with_bytes) {
    const std::uint32_t ones = byte_mask(0, bytes);
    for (int i = 0; i < count; ++i) {
      const std::size_t at = find(address[i] / kLineBytes);
      out.sectors[at] |= sector_bit(address[i]);
      out.bytes[at][address[i] / kSectorBytes % kSectorsPerLine] |= ones
                                                                    << address[i] % kSectorBytes;
    }
  } else {
    for (int i = 0; i < count; ++i) {
      const std::size_t at = find(address[i] / kLineBytes);
      out.sectors[at] |= sector_bit(address[i]);
    }
  }
  out.count = find.count();
  if (with_bytes)
    for (std::size_t i = 0; i < static_cast<std::size_t>(out.count); ++i)
      out.full[i] = full_sectors(out.bytes[i]);
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
    const auto at = static_cast<std::size_t>(out.count++);
    auto& bytes = out.bytes[at];
    const std::uint64_t start = line * kLineBytes;
    out.line[at] = line;
    if (start >= base && start + kLineBytes <= end) {  // all of it
      out.sectors[at] = out.full[at] = 15;
      bytes.fill(~0u);
      continue;
    }
    // Bytes [from, to) of the line.
    const auto from = static_cast<unsigned>(start < base ? base - start : 0);
    const auto to = static_cast<unsigned>(end - start < kLineBytes ? end - start : kLineBytes);
    const unsigned first = from / 32, last = (to - 1) / 32;
    out.sectors[at] = static_cast<std::uint8_t>((2u << last) - (1u << first));
    if (!with_bytes) continue;
    for (unsigned s = 0; s < kSectorsPerLine; ++s) bytes[s] = out.sectors[at] >> s & 1 ? ~0u : 0;
    bytes[first] &= ~0u << from % 32;
    bytes[last] &= ~0u >> (31 - (to - 1) % 32);
    out.full[at] = full_sectors(bytes);
  }
}

}  // namespace warpmem::model
