// Kernels that change tensor maps: tensormap.replace, and the copy of a map from shared memory to
// where bulk copies may read it. Neither leaves a record: they are no loads and stores of the
// warp's.
#include <fmt/format.h>

#include <cstring>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_extent.hpp"
#include "emulate/executor/tensor_copies.hpp"

namespace warpmem::emulate {
namespace {

// The instruction numbers some types differently than CUtensorMapDataType does.
constexpr std::uint8_t kTypes[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};

// False: the field cannot have this value.
bool replace(TensorMap& map, MapField field, std::uint32_t ordinal, std::uint64_t value) {
  const auto byte = static_cast<std::uint8_t>(value);
  switch (field) {
    case MapField::kAddress: return map.base = value, value % 16 == 0;
    case MapField::kRank: return map.rank = static_cast<std::uint8_t>(byte + 1), value < 5;
    case MapField::kBox:
      return map.box[ordinal] = static_cast<std::uint16_t>(value), value >= 1 && value <= 256;
    case MapField::kSize: return map.last[ordinal] = static_cast<std::uint32_t>(value - 1), true;
    case MapField::kStride: return map.stride[ordinal] = value, value % 16 == 0;
    case MapField::kElementStride:
      return map.element_stride[ordinal] = byte, value >= 1 && value <= 8;
    case MapField::kType: return value < sizeof kTypes && (map.type = kTypes[value], true);
    case MapField::kInterleave: return map.interleave = byte, value <= 2;
    case MapField::kSwizzle: return map.swizzle = byte, value <= 3;
    case MapField::kAtomicity:  // of the 128-byte swizzle
      if (value == 0) return true;
      map.swizzle = static_cast<std::uint8_t>(TensorMap::k128 + value);
      return value <= 3;
    default: return map.nan_fill = byte, value <= 1;
  }
}

}  // namespace

void TensorCopies::tensor_map(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                              std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access& a = code.accesses[in.extra];
  const auto field = static_cast<MapField>(in.sub);
  Lanes at;
  addresses(a, frame, at);
  if (field == MapField::kAll) {
    Lanes from;
    addresses(code.accesses[in.extra + 1], frame, from);
    memory_unit_.resolve(warp, in, mask, trace::Space::kGlobal, sizeof(TensorMap), "tensor map", at,
                         Touch::kWrite);
    memory_unit_.resolve(warp, in, mask, trace::Space::kShared, sizeof(TensorMap), "tensor map",
                         from, Touch::kRead);
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1)
        std::memcpy(reinterpret_cast<void*>(at[l]), reinterpret_cast<const void*>(from[l]),
                    sizeof(TensorMap));
    return;
  }
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    trace::Space space = a.space == Space::kShared ? trace::Space::kShared : trace::Space::kGlobal;
    if (a.space == Space::kGeneric && at[l] - kSharedWindow < kWindowBytes)
      space = trace::Space::kShared, at[l] -= kSharedWindow;
    Lanes host;
    std::memcpy(host, at, sizeof host);
    memory_unit_.resolve(warp, in, 1u << l, space, sizeof(TensorMap), "tensor map", host,
                         Touch::kWrite);
    TensorMap map;
    std::memcpy(&map, reinterpret_cast<const void*>(host[l]), sizeof map);
    const std::uint64_t value = in.negate_c
                                    ? reinterpret_cast<const std::uint64_t*>(frame + in.a)[l]
                                    : reinterpret_cast<const std::uint32_t*>(frame + in.a)[l];
    // A map may be built from zeros; nothing else can become one.
    if (map.magic != TensorMap::kMagic && map.magic != 0)
      fault(run_, warp, in, l, fmt::format("there is no tensor map at {:#x}", at[l]),
            "copy one there that cuTensorMapEncodeTiled has written, or begin with zeros");
    map.magic = TensorMap::kMagic;
    if (!replace(map, field, in.target, value))
      fault(run_, warp, in, l, fmt::format("a tensor map cannot have {:#x} here", value),
            "replace the field by a value that cuTensorMapEncodeTiled would take");
    map.seal = map.sum();
    std::memcpy(reinterpret_cast<void*>(host[l]), &map, sizeof map);
  }
}

}  // namespace warpmem::emulate
