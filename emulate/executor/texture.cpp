#include "emulate/executor/texture.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kTileRow = 64, kTileRows = 8, kTileBytes = kTileRow * kTileRows;

std::uint64_t up(std::uint64_t n, std::uint64_t unit) { return (n + unit - 1) / unit * unit; }

// Tiles that lie one behind the other before the next column of them.
std::uint64_t block_tiles(std::uint64_t rows) {
  return std::min<std::uint64_t>(
      16, std::bit_ceil(std::max<std::uint64_t>(1, up(rows, kTileRows) / kTileRows)));
}

std::uint64_t slice_bytes_of(std::uint64_t row_bytes, std::uint64_t rows) {
  return up(row_bytes, kTileRow) *
         up(std::max<std::uint64_t>(1, rows), kTileRows * block_tiles(rows));
}

}  // namespace

std::uint64_t TextureImage::place(std::uint64_t address) const {
  if (!tiled) return address;
  const std::uint64_t offset = address - base, z = offset / slice_bytes;
  const std::uint64_t y = offset % slice_bytes / row_bytes, x = offset % slice_bytes % row_bytes;
  const std::uint64_t rows = slice_bytes / row_bytes, tiles = block_tiles(rows);
  const std::uint64_t block = y / (kTileRows * tiles), columns = up(row_bytes, kTileRow) / kTileRow;
  const std::uint64_t tile = (block * columns + x / kTileRow) * tiles + y / kTileRows % tiles;
  const std::uint64_t inside =
      x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
  return base + z * slice_bytes_of(row_bytes, rows) + tile * kTileBytes + inside;
}

std::uint64_t TextureImage::tiled_bytes(std::uint64_t row_bytes, std::uint64_t rows,
                                        std::uint64_t slices) {
  return slice_bytes_of(row_bytes, rows) * slices;
}

}  // namespace warpmem::emulate
