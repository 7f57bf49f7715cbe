#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "emulate/executor/bulk.hpp"
#include "emulate/executor/execution.hpp"
#include "emulate/executor/tensor_map.hpp"

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
  constexpr Type kTypes[] = {Type::kU8, Type::kU16, Type::kU32, Type::kS32, Type::kU64, Type::kS64, Type::kF16, Type::kF32, Type::kF64, Type::kBf16, Type::kF32, Type::kF32, Type::kF32};
  return kTypes[std::min<std::size_t>(map.type, std::size(kTypes) - 1)];
}

}  // namespace

// A tile of up to five dimensions between global and shared memory, row by row, done at once. Each
// row that lies in the tensor is a record of its own.
void Execution::tensor_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                            std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const TensorCopy& t = code.tensors[in.extra];
  if (t.store && t.reduction == AtomicOp::kNone) {
    Lanes maps, tiles;
    addresses(t.map, frame, maps);
    addresses(t.tile, frame, tiles);
    mask = makers_of_copies(mask, [&](std::uint32_t a, std::uint32_t b) {
      const auto at = [&](std::uint32_t k, std::uint32_t lane) { return reinterpret_cast<const std::int32_t*>(frame + t.at[k])[lane]; };
      bool same = maps[a] == maps[b] && tiles[a] == tiles[b];
      for (std::uint32_t k = 0; k < t.rank && same; ++k) same = at(k, a) == at(k, b);
      return same;
    });
  }
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    Lanes where;
    addresses(t.map, frame, where);
    Lanes host;
    std::memcpy(host, where, sizeof host);
    resolve(warp, in, 1u << l, trace::Space::kGlobal, sizeof(TensorMap), "tensor map", host);
    TensorMap map;
    std::memcpy(&map, reinterpret_cast<const void*>(host[l]), sizeof map);
    if (map.magic != TensorMap::kMagic)
      fault(warp, in, l, fmt::format("there is no tensor map at {:#x}", where[l]),
            "encode it with cuTensorMapEncodeTiled, and pass it as a __grid_constant__ parameter "
            "or in global memory");
    if (map.interleave || map.swizzle > TensorMap::k128)
      fault(warp, in, l,
            "the emulator has tensor maps without interleaving, and swizzles of 32, 64 and 128 bytes "
            "only",
            "encode it with CU_TENSOR_MAP_INTERLEAVE_NONE and one of these swizzles");
    if ((map.im2col != 0) != t.im2col)
      fault(warp, in, l,
            map.im2col ? "a tiled copy with an im2col tensor map" : "an im2col copy with a tiled tensor map",
            "the instruction's mode and the tensor map's must be the same");
    if (map.rank != t.rank)
      fault(warp, in, l,
            fmt::format("a copy of {} dimensions with a tensor map of {}", t.rank, map.rank),
            "give the instruction as many coordinates as the tensor map has dimensions");
    const std::uint32_t size = map.element_bytes(), width = t.im2col ? map.channels : map.box[0],
                        row = width * size;
    std::int64_t first[5] = {}, offset[3] = {};
    std::uint32_t count[5] = {};
    std::uint64_t rows = t.im2col ? map.pixels : 1;
    for (std::uint32_t k = 0; k < t.rank; ++k) {
      first[k] = reinterpret_cast<const std::int32_t*>(frame + t.at[k])[l];
      if (t.im2col) continue;
      // A step in dimension 0 is ignored, as the driver's documentation says.
      const std::uint32_t step = std::max<std::uint32_t>(map.element_stride[k], 1);
      count[k] = (map.box[k] + step - 1) / step;
      if (k) rows *= count[k];
    }
    for (std::uint32_t k = 0; k < 3; ++k)
      if (t.offset[k] != kNoOffset)
        offset[k] = reinterpret_cast<const std::uint16_t*>(frame + t.offset[k])[l];
    addresses(t.tile, frame, where);
    const std::uint64_t tile =
        t.tile.space == Space::kGeneric ? where[l] - kSharedWindow : where[l];
    const std::uint32_t targets =
        t.multicast == kNoOffset ? 0
                                 : reinterpret_cast<const std::uint16_t*>(frame + t.multicast)[l];
    // The tile of another CTA lies at the same place of that CTA's memory.
    const auto place = [&](std::uint64_t at, std::uint32_t rank) {
      return targets ? (at & ((1u << kRankShift) - 1)) | (std::uint64_t{rank} + 1) << kRankShift
                     : at;
    };
    const std::uint32_t copies = targets ? cluster_size_ : 1;
    bool begun = false, read = false;  // once for all CTAs that it goes to
    for (std::uint32_t rank = 0; rank < copies; ++rank) {
      if (targets && !(targets >> rank & 1)) continue;
      std::int64_t pixel[5];
      std::copy(first, first + 5, pixel);
      for (std::uint64_t r = 0; r < rows; ++r) {
        std::uint64_t left = r, address = map.base;
        bool inside = true;
        for (std::uint32_t k = 1; k < t.rank; ++k) {
          std::int64_t i = pixel[k];
          if (t.im2col) {
            if (k + 1 < t.rank) i += offset[k - 1];
          } else {
            i += static_cast<std::int64_t>(left % count[k]) * std::max<std::uint8_t>(map.element_stride[k], 1);
            left /= count[k];
          }
          inside = inside && i >= 0 && i <= static_cast<std::int64_t>(map.last[k]);
          address += static_cast<std::uint64_t>(i) * map.stride[k - 1];
        }
        if (t.im2col) next_pixel(map, pixel);
        const std::int64_t end = std::min<std::int64_t>(first[0] + width,
                                                        static_cast<std::int64_t>(map.last[0]) + 1),
                           begin = std::max<std::int64_t>(first[0], 0);
        const std::uint64_t from =
            inside && end > begin ? static_cast<std::uint64_t>(end - begin) * size : 0;
        tensor_row(warp, in, t, map, l, place(tile, rank) + r * row, row,
                   address + static_cast<std::uint64_t>(begin) * size, from,
                   from ? static_cast<std::uint64_t>(begin - first[0]) * size : row,
                   !read, begun);
      }
      read = true;
      if (t.counts) {
        addresses(t.barrier, frame, where);
        std::uint64_t at = t.barrier.space == Space::kGeneric ? where[l] - kSharedWindow : where[l];
        where[l] = place(at, rank);
        complete_bytes(warp, in, l, where, static_cast<std::uint32_t>(rows * row));
      }
    }
  }
}

// One row: `from` bytes of global memory at `address`, `skip` bytes into the row; the rest is
// filled.
void Execution::tensor_row(Warp& warp, const Inst& in, const TensorCopy& t, const TensorMap& map,
                           std::uint32_t l, std::uint64_t tile, std::uint32_t row,
                           std::uint64_t address, std::uint64_t from, std::uint64_t skip,
                           bool traced, bool& begun) {
  Lanes at{};
  std::byte* global = nullptr;
  if (from) {
    at[l] = address;
    if (traced)
      record_piece(warp, in, *now_code_,
                   t.store ? (t.reduction == AtomicOp::kNone ? trace::Op::kBulkWrite
                                                             : trace::Op::kBulkReduction)
                           : trace::Op::kBulkRead,
                   trace::Space::kGlobal, static_cast<std::uint32_t>(from), l, address, begun);
    resolve(warp, in, 1u << l, trace::Space::kGlobal, 1, "tensor copy", at);
    if (!memory_.contains(address, address + from))
      fault(warp, in, l,
            fmt::format("out-of-bounds tensor copy of {} bytes at {:#x} ({})", from, address,
                        nearest_text(address)),
            "check the tensor map's base, sizes and strides against the array's allocation");
    global = reinterpret_cast<std::byte*>(at[l]);
  }
  at[l] = tile;
  if (!t.store)
    record_piece(warp, in, *now_code_, trace::Op::kBulkWrite, trace::Space::kShared, row, l, tile,
                 begun);
  for (std::uint32_t b = 0; b < row; b += 16) {  // pieces of 16 bytes keep together
    const std::uint32_t n = std::min(16u, row - b);
    Lanes piece{};
    piece[l] = swizzled(tile + b, map.swizzle);
    resolve(warp, in, 1u << l, trace::Space::kShared, n, "tensor copy", piece, t.store ? Touch::kRead : Touch::kOther);
    auto* shared = reinterpret_cast<std::byte*>(piece[l]);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t k = b + i;
      const bool valid = from && k >= skip && k < skip + from;
      if (t.store) {
        if (valid && t.reduction == AtomicOp::kNone) global[k - skip] = shared[i];
      } else {
        shared[i] = valid ? global[k - skip] : map.nan_fill ? std::byte{0xff} : std::byte{0};
      }
    }
    if (t.store && t.reduction != AtomicOp::kNone && from) {
      Access one;
      one.atomic = t.reduction, one.type = type_of(map);
      const std::uint64_t low = std::max<std::uint64_t>(b, skip),
                          high = std::min<std::uint64_t>(b + n, skip + from);
      if (low < high)
        reduce_bytes(one, trace::Space::kGlobal, reinterpret_cast<std::uint64_t>(shared) + low - b,
                     reinterpret_cast<std::uint64_t>(global) + low - skip,
                     static_cast<std::uint32_t>(high - low));
    }
  }
}

}  // namespace warpmem::emulate
