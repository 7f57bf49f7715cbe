// The 128 opaque bytes of a CUtensorMap, as the emulated driver writes them
// (cuTensorMapEncodeTiled) and bulk copies with a tensor map read them. NVIDIA does not document
// its own; this layout is ours, and a kernel may only hand it on, as CUDA says.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace warpmem::emulate {

struct TensorMap {
  static constexpr std::uint32_t kMagic = 0x706d7477;  // "wtmp"
  // Numbered as CUtensorMapDataType, …Interleave, …Swizzle and …FloatOOBfill are.
  enum Swizzle : std::uint8_t {
    kNone = 0,
    k32 = 1,
    k64 = 2,
    k128 = 3,
    k128Atom32 = 4,
    k128Atom32Flip8 = 5,
    k128Atom64 = 6
  };

  std::uint32_t magic = kMagic;
  std::uint8_t type = 0;        // CUtensorMapDataType
  std::uint8_t rank = 0;        // 1 to 5
  std::uint8_t interleave = 0;  // 0 none, 1 16 bytes, 2 32 bytes
  std::uint8_t swizzle = 0;
  std::uint64_t base = 0;                 // device address
  std::array<std::uint64_t, 4> stride{};  // bytes from one index of dimension i + 1 to the next
  std::array<std::uint32_t, 5> last{};    // elements of each dimension, less one
  std::array<std::uint16_t, 5> box{};     // elements that one copy takes
  std::array<std::uint8_t, 5> element_stride{};
  std::uint8_t nan_fill = 0;  // elements out of bounds: 0 zeros, 1 NaN
  // Only of im2col maps.
  std::uint8_t im2col = 0;
  std::uint8_t reserved = 0;
  std::array<std::int16_t, 3> lower{}, upper{};
  std::uint16_t channels = 0, pixels = 0;
  std::array<std::uint8_t, 22> padding{};
  std::uint32_t seal = 0;  // sum of the words before it, as those who know this layout write it

  // Machine code changes a map (tensormap.replace) by the words of NVIDIA's layout.
  std::uint32_t sum() const {
    std::array<std::uint32_t, 32> words;
    std::memcpy(words.data(), this, sizeof *this);
    std::uint32_t sum = 1;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) sum = sum * 31 + words[i];
    return sum;
  }

  // Bytes of an element; sub-byte types count as bytes of their packed form.
  std::uint32_t element_bytes() const {
    constexpr std::uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < sizeof kBytes ? kBytes[type] : 1;
  }
};
static_assert(sizeof(TensorMap) == 128);

// What tensormap.replace can change; kAll: tensormap.cp_fenceproxy copies the map.
enum class MapField : std::uint8_t {
  kAddress,
  kRank,
  kBox,
  kSize,
  kStride,
  kElementStride,
  kType,
  kInterleave,
  kSwizzle,
  kAtomicity,
  kFill,
  kAll
};

}  // namespace warpmem::emulate
