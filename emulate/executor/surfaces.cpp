#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "emulate/executor/atomic_values.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/texture_lane.hpp"

namespace warpmem::emulate {
namespace {

using What = TextureAccess::What;

// What a lane names: x in bytes, y and z in texels; and the largest of each.
struct SurfacePoint {
  std::array<std::int64_t, 3> at{}, limits{};
  std::int64_t slices = 0;
  bool outside() const {
    bool out = false;
    for (std::size_t k = 0; k < 3; ++k) out |= at[k] < 0 || at[k] > limits[k];
    return out;
  }
};

SurfacePoint point_of(const TextureLane& lane, const Texture& object, std::uint32_t bytes) {
  const TextureAccess& t = lane.t;
  const TextureImage& image = object.levels[0];
  const auto coordinate = [&](std::uint32_t k) {
    return k < t.dimensions || k == 0
               ? static_cast<std::int64_t>(static_cast<std::int32_t>(lane.word(t.at[k])))
               : 0;
  };
  SurfacePoint p;
  p.at = {coordinate(0), coordinate(1), coordinate(2)};
  p.slices =
      image.cubemap ? std::max(1u, image.layers) * 6 : std::max({1u, image.depth, image.layers});
  if (t.layered) p.at[2] = lane.word(t.layer);
  p.limits = {static_cast<std::int64_t>(image.width) * object.texel_bytes() - bytes,
              static_cast<std::int64_t>(std::max(1u, image.height)) - 1, p.slices - 1};
  return p;
}

void put(const TextureLane& lane, std::uint32_t element, std::uint64_t v) {
  const TextureAccess& t = lane.t;
  std::memcpy(lane.frame + t.value[element] + std::size_t{lane.number} * t.value_bytes, &v,
              t.value_bytes);
}

void reduce(const TextureLane& lane, std::uint32_t size, std::byte* host) {
  const TextureAccess& t = lane.t;
  Access one;
  one.type = t.type == Type::kB32 ? Type::kU32 : t.type == Type::kB64 ? Type::kU64 : t.type;
  one.atomic = t.reduction;
  one.element_bytes = static_cast<std::uint8_t>(size), one.values[0] = t.value[0];
  Lanes where{};
  where[lane.number] = reinterpret_cast<std::uint64_t>(host);
  atomics(one, trace::Space::kGlobal, lane.frame, 1u << lane.number, where);
}

void move(const TextureLane& lane, std::uint32_t size, std::byte* host) {
  const TextureAccess& t = lane.t;
  for (std::uint32_t i = 0; i < t.elements; ++i) {
    if (t.what == What::kSurfaceLoad) {
      std::uint64_t v = 0;
      std::memcpy(&v, host + i * size, size);
      put(lane, i, v);
    } else {
      std::memcpy(host + i * size,
                  lane.frame + t.value[i] + std::size_t{lane.number} * t.value_bytes, size);
    }
  }
}

[[noreturn]] void fault_outside(const Running& run, const TextureLane& lane, const Texture& object,
                                const SurfacePoint& p, std::uint32_t bytes) {
  const TextureImage& image = object.levels[0];
  fault(run, lane.warp, lane.in, lane.number,
        fmt::format("out-of-bounds surface access of {} bytes at x = {}, y = {}, z = {}: the "
                    "surface has {} x {} x {} texels of {} bytes",
                    bytes, p.at[0], p.at[1], p.at[2], image.width, std::max(1u, image.height),
                    p.slices, object.texel_bytes()),
        "check the coordinates, or pass cudaBoundaryModeClamp or cudaBoundaryModeZero");
}

}  // namespace

std::uint64_t surface_access(Running& run, const TextureLane& lane, const Texture& object) {
  const TextureAccess& t = lane.t;
  const TextureImage& image = object.levels[0];
  const std::uint32_t size = size_of(t.type), bytes = size * t.elements;
  SurfacePoint p = point_of(lane, object, bytes);
  if (p.at[0] % bytes != 0)
    fault(run, lane.warp, lane.in, lane.number,
          fmt::format("misaligned surface access of {} bytes at x = {}", bytes, p.at[0]),
          "x of a surface counts bytes");
  if (p.outside()) {
    if (t.bounds == TextureAccess::Bounds::kTrap) fault_outside(run, lane, object, p, bytes);
    if (t.bounds == TextureAccess::Bounds::kZero) {
      for (std::uint32_t i = 0; i < t.elements && t.what == What::kSurfaceLoad; ++i)
        put(lane, i, 0);
      return 0;
    }
    for (std::size_t k = 0; k < 3; ++k)
      p.at[k] = std::clamp<std::int64_t>(p.at[k], 0, std::max<std::int64_t>(0, p.limits[k]));
  }
  const std::uint64_t address = image.base + static_cast<std::uint64_t>(p.at[0]) +
                                static_cast<std::uint64_t>(p.at[1]) * image.row_bytes +
                                static_cast<std::uint64_t>(p.at[2]) * image.slice_bytes;
  if (!run.memory.contains(address, address + bytes))
    fault(run, lane.warp, lane.in, lane.number,
          fmt::format("the surface's memory at {:#x} is not allocated ({})", address,
                      nearest_text(run.memory, address)),
          "free an array after the kernel that uses it");
  std::byte* host = run.memory.host(address);
  if (t.what == What::kSurfaceReduce) reduce(lane, size, host);
  else move(lane, size, host);
  return address;
}

}  // namespace warpmem::emulate
