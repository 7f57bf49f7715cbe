// The lane addresses of one warp-level access, and what they touch: 128-byte lines and the 32-byte
// sectors in them. Compute capability 7.0 and later (1.6 in the architecture notes of Nsight
// Compute's profiling guide): one request an instruction, whatever the width.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace warpmem::model {

constexpr int kWarpLanes = 32;
constexpr std::uint64_t kLineBytes = 128;
constexpr std::uint64_t kSectorBytes = 32;
constexpr int kSectorsPerLine = 4;

// Addresses of one warp access. address[l] is meaningful for lanes set in mask only.
struct WarpAccess {
  std::array<std::uint64_t, kWarpLanes> address;  // bytes
  std::uint32_t mask = 0;                         // active lanes
  std::uint32_t bytes = 4;                        // per lane: 1, 2, 4, 8, 16
};

// One line that an access touches.
struct LineTouch {
  std::uint64_t line = 0;                              // address / 128
  std::uint8_t sectors = 0;                            // bit s: sector s is touched
  std::uint8_t full = 0;                               // bit s: every byte of sector s is touched
  std::array<std::uint32_t, kSectorsPerLine> bytes{};  // bit b: byte b of the sector is touched
};

// Distinct lines of a warp access, in the order in which the lowest lanes reach them. At most 64:
// a lane of an unaligned access can straddle two lines.
struct LineList {
  std::array<LineTouch, 2 * kWarpLanes> item;
  int count = 0;
  const LineTouch* begin() const { return item.data(); }
  const LineTouch* end() const { return item.data() + count; }
};

// Lists the lines of an access. `with_bytes` fills LineTouch::bytes and full (stores need them).
void touch_lines(const WarpAccess& access, bool with_bytes, LineList& out);

// The same for addresses that stand one after the other, lowest lane first.
void touch_addresses(const std::uint64_t* address, int count, std::uint32_t bytes, bool with_bytes,
                     LineList& out);

// The same for the common case: all lanes of `mask` set from lane 0 up without a gap, lane l at
// base + l * bytes. Only `sectors` and, when with_bytes, `full` and `bytes` are filled.
void touch_span(std::uint64_t base, std::uint64_t length, bool with_bytes, LineList& out);
inline void touch_contiguous(std::uint64_t base, std::uint64_t length, bool with_bytes,
                             LineList& out) {
  if (length != kLineBytes || base % kLineBytes != 0) [[unlikely]]
    return touch_span(base, length, with_bytes, out);
  out.item[0] = {base / kLineBytes, 15, 15, {~0u, ~0u, ~0u, ~0u}};  // what most accesses are
  out.count = 1;
}

// Sectors of a line that are set in the mask: its low four bits (std::popcount is a library call
// where the host's instruction may not be assumed).
inline constexpr std::array<std::uint8_t, 16> kSectorsIn = {0, 1, 1, 2, 1, 2, 2, 3,
                                                            1, 2, 2, 3, 2, 3, 3, 4};
constexpr unsigned sectors_in(std::uint8_t mask) { return kSectorsIn[mask & 15]; }

// Sectors in the list.
inline int sector_count(const LineList& lines) {
  unsigned n = 0;
  for (const LineTouch& t : lines) n += sectors_in(t.sectors);
  return static_cast<int>(n);
}

}  // namespace warpmem::model
