// The lane addresses of one warp-level access, and what they touch: lines, and the 32-byte sectors
// in them. Compute capability 7.0 and later (1.6 in the architecture notes of Nsight
// Compute's profiling guide): one request an instruction, whatever the width.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "model/fast/match.hpp"

namespace warpmem::model {

constexpr int kWarpLanes = 32;
constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kSectorBytes = 32;
constexpr int kSectorsPerLine = 4;  // at most

// How long lines are: a power of two of bytes, from one sector to four.
class LineSize {
 public:
  constexpr LineSize() = default;  // 128
  constexpr explicit LineSize(std::uint64_t bytes)
      : shift_(static_cast<unsigned>(std::countr_zero(bytes))) {}
  constexpr unsigned shift() const { return shift_; }
  constexpr std::uint64_t bytes() const { return std::uint64_t{1} << shift_; }
  constexpr unsigned sectors() const { return 1u << (shift_ - 5); }
  constexpr std::uint8_t whole() const { return static_cast<std::uint8_t>((1u << sectors()) - 1); }
  // Of an address: its line, and which sector of it.
  constexpr std::uint64_t line(std::uint64_t address) const { return address >> shift_; }
  constexpr unsigned sector(std::uint64_t address) const {
    return static_cast<unsigned>(address / kSectorBytes) & (sectors() - 1);
  }
  constexpr bool operator==(const LineSize&) const = default;

 private:
  unsigned shift_ = 7;
};

// Addresses of one warp access. address[l] is meaningful for lanes set in mask only.
struct WarpAccess {
  std::array<std::uint64_t, kWarpLanes> address;  // bytes
  std::uint32_t mask = 0;                         // active lanes
  std::uint32_t bytes = 4;                        // per lane: 1, 2, 4, 8, 16
};

// One line that an access touches.
struct LineTouch {
  std::uint64_t line = 0;                              // LineSize::line()
  std::uint8_t sectors = 0;                            // bit s: sector s is touched
  std::uint8_t full = 0;                               // bit s: every byte of sector s is touched
  std::array<std::uint32_t, kSectorsPerLine> bytes{};  // bit b: byte b of the sector is touched
};

// Distinct lines of a warp access, in the order in which the lowest lanes reach them. At most 64:
// a lane of an unaligned access can straddle two lines. An array for each of a LineTouch's members,
// as what is worked out for all lines is vectorised (base/wide_hosts.hpp).
struct LineList {
  static constexpr std::size_t kMost = std::size_t{2} * kWarpLanes;
  std::array<std::uint64_t, kMost> line;
  std::array<std::uint8_t, kMost> sectors;
  // Only where the list was made with bytes:
  std::array<std::uint8_t, kMost> full;
  std::array<std::array<std::uint32_t, kSectorsPerLine>, kMost> bytes;
  int count = 0;

  LineTouch operator[](int i) const {
    const auto at = static_cast<std::size_t>(i);
    return {line[at], sectors[at], full[at], bytes[at]};
  }
};

// Some lines of a list, in its order, and what of them: never none.
struct LineParts {
  std::array<std::uint8_t, LineList::kMost> index, sectors;
  std::size_t count = 0;
};

// Lists the lines of an access. `with_bytes` fills LineList::bytes and full (stores need them).
void touch_lines(const WarpAccess& access, bool with_bytes, LineList& out, LineSize size = {});

// The same for addresses that stand one after the other, lowest lane first.
void touch_addresses(const std::uint64_t* address, int count, std::uint32_t bytes, bool with_bytes,
                     LineList& out, LineSize size = {});

// The same for the common case: all lanes of `mask` set from lane 0 up without a gap, lane l at
// base + l * bytes. Only `sectors` and, when with_bytes, `full` and `bytes` are filled.
void touch_span(std::uint64_t base, std::uint64_t length, bool with_bytes, LineList& out,
                LineSize size = {});
inline void touch_contiguous(std::uint64_t base, std::uint64_t length, bool with_bytes,
                             LineList& out, LineSize size = {}) {
  if (length != kLineBytes || base % kLineBytes != 0 || size != LineSize()) [[unlikely]]
    return touch_span(base, length, with_bytes, out, size);
  out.line[0] = base / kLineBytes;  // what most accesses are
  out.sectors[0] = out.full[0] = 15;
  out.bytes[0] = {~0u, ~0u, ~0u, ~0u};
  out.count = 1;
}

// Sectors of a line that are set in the mask: its low four bits (std::popcount is a library call
// where the host's instruction may not be assumed).
inline constexpr std::array<std::uint8_t, 16> kSectorsIn = {0, 1, 1, 2, 1, 2, 2, 3,
                                                            1, 2, 2, 3, 2, 3, 3, 4};
constexpr unsigned sectors_in(std::uint8_t mask) { return kSectorsIn[mask & 15]; }

// Sectors in the first `count` masks of the lines of a list.
inline unsigned sectors_in(const std::array<std::uint8_t, LineList::kMost>& masks,
                           std::size_t count) {
  return bits_in_low_halves(masks.data(), count);
}

// The 4-byte words of a sector (bit w: word w) of which all bytes are among these; or any is.
constexpr std::uint32_t words_of_nibbles(std::uint32_t lowest_bits) {
  std::uint32_t words = lowest_bits & 0x11111111u;
  words = (words | words >> 3) & 0x03030303u;
  words = (words | words >> 6) & 0x000f000fu;
  return (words | words >> 12) & 0xffu;
}
constexpr std::uint32_t whole_words(std::uint32_t bytes) {
  const std::uint32_t pairs = bytes & bytes >> 1;
  return words_of_nibbles(pairs & pairs >> 2);
}
constexpr std::uint32_t touched_words(std::uint32_t bytes) {
  const std::uint32_t pairs = bytes | bytes >> 1;
  return words_of_nibbles(pairs | pairs >> 2);
}
// Words of a line (bit w: word w) of which a touch, or an access, touches anything.
constexpr std::uint32_t touched_words(const LineTouch& touch) {
  std::uint32_t words = 0;
  for (unsigned s = 0; s < kSectorsPerLine; ++s)
    words |= touched_words(touch.bytes[s]) << s * kSectorBytes / 4;
  return words;
}
std::uint32_t touched_words(const WarpAccess& access, std::uint64_t line, LineSize size = {});
// Bytes of a sector, from an address on, as LineTouch::bytes has them.
constexpr std::uint32_t bytes_in_sector(std::uint64_t address, std::uint64_t length) {
  return (length >= kSectorBytes ? ~0u : (1u << length) - 1) << address % kSectorBytes;
}
// Sectors of which all bytes are there.
constexpr std::uint8_t full_sectors(const std::array<std::uint32_t, kSectorsPerLine>& bytes) {
  unsigned full = 0;
  for (unsigned s = 0; s < kSectorsPerLine; ++s)
    full |= static_cast<unsigned>(bytes[s] == ~0u) << s;
  return static_cast<std::uint8_t>(full);
}
// Sectors of a line that a store writes anything in: before compute capability 7.0 others may
// travel with them.
constexpr std::uint8_t written_sectors(const LineTouch& stored) {
  std::uint8_t sectors = 0;
  for (unsigned s = 0; s < kSectorsPerLine; ++s)
    if (stored.bytes[s]) sectors = static_cast<std::uint8_t>(sectors | 1u << s);
  return sectors;
}

// Sectors in the list.
inline int sector_count(const LineList& lines) {
  if (lines.count == 1) return static_cast<int>(sectors_in(lines.sectors[0]));
  return static_cast<int>(sectors_in(lines.sectors, static_cast<std::size_t>(lines.count)));
}

}  // namespace warpmem::model
