#include "emulate/executor/tensor_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "emulate/executor/atomic_values.hpp"
#include "emulate/executor/bulk.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"

namespace warpmem::emulate {
namespace {

// Where a byte of the tile lies in shared memory: 16-byte pieces change places with the number of
// their 128-byte row.
std::uint64_t swizzled(std::uint64_t at, std::uint8_t how) {
  switch (how) {
    case TensorMap::k32: return at ^ (at >> 3 & 0x10);
    case TensorMap::k64: return at ^ (at >> 3 & 0x30);
    case TensorMap::k128: return at ^ (at >> 3 & 0x70);
    default: return at;
  }
}

// The next pixel of the box in which an im2col copy walks: along the first dimension, then the
// second, and so on, and then into the next image.
void next_pixel(const TensorMap& map, std::int64_t (&at)[5]) {
  for (std::uint32_t k = 1; k + 1 < map.rank; ++k) {
    at[k] += std::max<std::uint8_t>(map.element_stride[k], 1);
    if (at[k] <= static_cast<std::int64_t>(map.last[k]) + map.upper[k - 1]) return;
    at[k] = map.lower[k - 1];
  }
  ++at[map.rank - 1];
}

Type type_of(const TensorMap& map) {
  constexpr Type kTypes[] = {Type::kU8,  Type::kU16, Type::kU32, Type::kS32, Type::kU64,
                             Type::kS64, Type::kF16, Type::kF32, Type::kF64, Type::kBf16,
                             Type::kF32, Type::kF32, Type::kF32};
  return kTypes[std::min<std::size_t>(map.type, std::size(kTypes) - 1)];
}

// The tile of another CTA lies at the same place of that CTA's memory.
std::uint64_t in_cta(std::uint64_t at, std::uint32_t rank) {
  return (at & ((1u << kRankShift) - 1)) | (std::uint64_t{rank} + 1) << kRankShift;
}

// A shared address of the lane's, which may be a generic one.
std::uint64_t shared_address(const Running& run, const Access& a, const std::byte* frame,
                             std::uint32_t lane) {
  Lanes where;
  addresses(a, frame, where);
  own_shared(run, a, where);
  return a.space == Space::kGeneric ? where[lane] - kSharedWindow : where[lane];
}

// Lanes that store the same tile to the same place store it once.
std::uint32_t makers_of_stores(const TensorCopy& t, const std::byte* frame, std::uint32_t mask) {
  Lanes maps, tiles;
  addresses(t.map, frame, maps);
  addresses(t.tile, frame, tiles);
  return makers_of_copies(mask, [&](std::uint32_t a, std::uint32_t b) {
    const auto at = [&](std::uint32_t k, std::uint32_t lane) {
      return reinterpret_cast<const std::int32_t*>(frame + t.at[k])[lane];
    };
    bool same = maps[a] == maps[b] && tiles[a] == tiles[b];
    for (std::uint32_t k = 0; k < t.rank && same; ++k) same = at(k, a) == at(k, b);
    return same;
  });
}

trace::Op op_in_global(const TensorCopy& t) {
  if (!t.store) return trace::Op::kBulkRead;
  return t.reduction == AtomicOp::kNone ? trace::Op::kBulkWrite : trace::Op::kBulkReduction;
}

}  // namespace

struct TensorCopies::Tile {
  const TensorCopy& t;
  TensorMap map;
  std::uint32_t lane;
  std::uint32_t size = 0, width = 0, row = 0;  // bytes of an element; elements, bytes of a row
  std::uint64_t rows = 1;
  std::int64_t first[5] = {};   // coordinates
  std::int64_t offset[3] = {};  // of an im2col load
  std::uint32_t count[5] = {};  // of the box, by dimension
  std::uint64_t shared = 0;     // address
  std::uint32_t targets = 0;    // CTAs of a multicast; 0: this one

  Tile(const Running& run, const TensorCopy& copy, const TensorMap& of, const std::byte* frame,
       std::uint32_t l)
      : t(copy), map(of), lane(l) {
    size = map.element_bytes(), width = t.im2col ? map.channels : map.box[0], row = width * size;
    rows = t.im2col ? map.pixels : 1;
    for (std::uint32_t k = 0; k < t.rank; ++k) {
      first[k] = reinterpret_cast<const std::int32_t*>(frame + t.at[k])[l];
      if (t.im2col) continue;
      // A step in dimension 0 is ignored, as the driver's documentation says.
      const std::uint32_t step = std::max<std::uint32_t>(map.element_stride[k], 1);
      count[k] = (map.box[k] + step - 1) / step;
      if (k) rows *= count[k];
    }
    const auto half = [&](std::uint32_t at) {
      return reinterpret_cast<const std::uint16_t*>(frame + at)[l];
    };
    for (std::uint32_t k = 0; k < 3; ++k)
      if (t.offset[k] != kNoOffset) offset[k] = half(t.offset[k]);
    shared = shared_address(run, t.tile, frame, l);
    targets = t.multicast == kNoOffset ? 0 : half(t.multicast);
  }
  std::uint64_t place(std::uint64_t at, std::uint32_t rank) const {
    return targets ? in_cta(at, rank) : at;
  }
  // Where row `r` lies in global memory; `pixel`: where an im2col copy is. False: outside the
  // tensor.
  bool find(std::uint64_t r, const std::int64_t (&pixel)[5], std::uint64_t& address) const {
    std::uint64_t left = r;
    bool inside = true;
    address = map.base;
    for (std::uint32_t k = 1; k < t.rank; ++k) {
      std::int64_t i = pixel[k];
      if (t.im2col) {
        if (k + 1 < t.rank) i += offset[k - 1];
      } else {
        i += static_cast<std::int64_t>(left % count[k]) *
             std::max<std::uint8_t>(map.element_stride[k], 1);
        left /= count[k];
      }
      inside = inside && i >= 0 && i <= static_cast<std::int64_t>(map.last[k]);
      address += static_cast<std::uint64_t>(i) * map.stride[k - 1];
    }
    return inside;
  }
};

// One row: `bytes` of global memory at `address`, `skip` bytes into the row; the rest is filled.
struct TensorCopies::Row {
  std::uint64_t shared, address, bytes, skip;
};

TensorMap TensorCopies::map_of(Warp& warp, const Inst& in, const TensorCopy& t,
                               const std::byte* frame, std::uint32_t l) {
  Lanes where, host;
  addresses(t.map, frame, where);
  std::memcpy(host, where, sizeof host);
  memory_unit_.resolve(warp, in, 1u << l, trace::Space::kGlobal, sizeof(TensorMap), "tensor map",
                       host);
  TensorMap map;
  std::memcpy(&map, reinterpret_cast<const void*>(host[l]), sizeof map);
  if (map.magic != TensorMap::kMagic)
    fault(run_, warp, in, l, fmt::format("there is no tensor map at {:#x}", where[l]),
          "encode it with cuTensorMapEncodeTiled, and pass it as a __grid_constant__ parameter "
          "or in global memory");
  if (run_.kernel.machine && map.seal != map.sum())
    fault(
        run_, warp, in, l,
        fmt::format("the tensor map at {:#x} was changed by machine code, which is not understood",
                    where[l]),
        "emulate the program from its PTX (--level ptx)", ErrorKind::kUsage);
  if (map.interleave || map.swizzle > TensorMap::k128)
    fault(run_, warp, in, l,
          "the emulator has tensor maps without interleaving, and swizzles of 32, 64 and 128 bytes "
          "only",
          "encode it with CU_TENSOR_MAP_INTERLEAVE_NONE and one of these swizzles");
  if ((map.im2col != 0) != t.im2col)
    fault(run_, warp, in, l,
          map.im2col ? "a tiled copy with an im2col tensor map"
                     : "an im2col copy with a tiled tensor map",
          "the instruction's mode and the tensor map's must be the same");
  if (map.rank != t.rank)
    fault(run_, warp, in, l,
          fmt::format("a copy of {} dimensions with a tensor map of {}", t.rank, map.rank),
          "give the instruction as many coordinates as the tensor map has dimensions");
  return map;
}

// A tile of up to five dimensions between global and shared memory, row by row, done at once. Each
// row that lies in the tensor is a record of its own.
void TensorCopies::tensor_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                               std::uint32_t mask) {
  const TensorCopy& t = code_of(warp, part).tensors[in.extra];
  if (t.store && t.reduction == AtomicOp::kNone) mask = makers_of_stores(t, frame, mask);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const Tile tile(run_, t, map_of(warp, in, t, frame, l), frame, l);
    // What a kernel wrote into a map may be anything.
    if (tile.rows > (1u << kRankShift) / std::max<std::uint64_t>(1, tile.row))
      fault(run_, warp, in, l,
            fmt::format("a tile of {} rows of {} bytes: no shared memory holds it", tile.rows,
                        tile.row),
            "encode the tensor map with a smaller box");
    copy_tile(warp, in, tile, frame);
  }
}

void TensorCopies::copy_tile(Warp& warp, const Inst& in, const Tile& tile, const std::byte* frame) {
  const TensorCopy& t = tile.t;
  const std::uint32_t copies = tile.targets ? run_.cluster_size : 1;
  bool begun = false, read = false;  // once for all CTAs that it goes to
  for (std::uint32_t rank = 0; rank < copies; ++rank) {
    if (tile.targets && !(tile.targets >> rank & 1)) continue;
    copy_rows(warp, in, tile, rank, !read, begun);
    read = true;
    if (!t.counts) continue;
    Lanes barrier{};
    barrier[tile.lane] = tile.place(shared_address(run_, t.barrier, frame, tile.lane), rank);
    bulk_.complete_bytes(warp, in, tile.lane, barrier,
                         static_cast<std::uint32_t>(tile.rows * tile.row));
  }
}

void TensorCopies::copy_rows(Warp& warp, const Inst& in, const Tile& tile, std::uint32_t rank,
                             bool traced, bool& begun) {
  const TensorMap& map = tile.map;
  std::int64_t pixel[5];
  std::copy(tile.first, tile.first + 5, pixel);
  const std::int64_t first = tile.first[0], last = static_cast<std::int64_t>(map.last[0]),
                     end = std::min<std::int64_t>(first + tile.width, last + 1),
                     begin = std::max<std::int64_t>(first, 0);
  for (std::uint64_t r = 0; r < tile.rows; ++r) {
    std::uint64_t address = 0;
    const bool inside = tile.find(r, pixel, address);
    if (tile.t.im2col) next_pixel(map, pixel);
    Row row;
    row.shared = tile.place(tile.shared, rank) + r * tile.row;
    row.address = address + static_cast<std::uint64_t>(begin) * tile.size;
    row.bytes = inside && end > begin ? static_cast<std::uint64_t>(end - begin) * tile.size : 0;
    row.skip = row.bytes ? static_cast<std::uint64_t>(begin - first) * tile.size : tile.row;
    tensor_row(warp, in, tile, row, traced, begun);
  }
}

std::byte* TensorCopies::row_in_global(Warp& warp, const Inst& in, const Tile& tile, const Row& row,
                                       bool traced, bool& begun) {
  const std::uint32_t l = tile.lane;
  if (traced)
    recorder_.record_piece(warp, in, *run_.code, op_in_global(tile.t), trace::Space::kGlobal,
                           static_cast<std::uint32_t>(row.bytes), l, row.address, begun);
  Lanes at{};
  at[l] = row.address;
  memory_unit_.resolve(warp, in, 1u << l, trace::Space::kGlobal, 1, "tensor copy", at);
  if (!run_.memory.contains(row.address, row.address + row.bytes))
    fault(run_, warp, in, l,
          fmt::format("out-of-bounds tensor copy of {} bytes at {:#x} ({})", row.bytes, row.address,
                      nearest_text(run_.memory, row.address)),
          "check the tensor map's base, sizes and strides against the array's allocation");
  return reinterpret_cast<std::byte*>(at[l]);
}

void TensorCopies::tensor_row(Warp& warp, const Inst& in, const Tile& tile, const Row& row,
                              bool traced, bool& begun) {
  const std::uint32_t l = tile.lane;
  std::byte* const global = row.bytes ? row_in_global(warp, in, tile, row, traced, begun) : nullptr;
  if (!tile.t.store)
    recorder_.record_piece(warp, in, *run_.code, trace::Op::kBulkWrite, trace::Space::kShared,
                           tile.row, l, traced_shared(run_, tile.t.tile, row.shared), begun);
  for (std::uint32_t b = 0; b < tile.row; b += 16) {  // pieces of 16 bytes keep together
    const std::uint32_t n = std::min(16u, tile.row - b);
    Lanes piece{};
    piece[l] = swizzled(row.shared + b, tile.map.swizzle);
    memory_unit_.resolve(warp, in, 1u << l, trace::Space::kShared, n, "tensor copy", piece,
                         tile.t.store ? Touch::kRead : Touch::kOther);
    copy_piece(tile, row, b, n, reinterpret_cast<std::byte*>(piece[l]), global);
  }
}

void TensorCopies::copy_piece(const Tile& tile, const Row& row, std::uint32_t b, std::uint32_t n,
                              std::byte* shared, std::byte* global) {
  const TensorCopy& t = tile.t;
  const std::byte filled = tile.map.nan_fill ? std::byte{0xff} : std::byte{0};
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint64_t k = b + i;
    const bool valid = row.bytes && k >= row.skip && k < row.skip + row.bytes;
    if (!t.store) shared[i] = valid ? global[k - row.skip] : filled;
    else if (valid && t.reduction == AtomicOp::kNone) global[k - row.skip] = shared[i];
  }
  if (!t.store || t.reduction == AtomicOp::kNone || !row.bytes) return;
  Access one;
  one.atomic = t.reduction, one.type = type_of(tile.map);
  const std::uint64_t low = std::max<std::uint64_t>(b, row.skip),
                      high = std::min<std::uint64_t>(b + n, row.skip + row.bytes);
  if (low < high)
    reduce_bytes(one, trace::Space::kGlobal, reinterpret_cast<std::uint64_t>(shared) + low - b,
                 reinterpret_cast<std::uint64_t>(global) + low - row.skip,
                 static_cast<std::uint32_t>(high - low));
}

}  // namespace warpmem::emulate
