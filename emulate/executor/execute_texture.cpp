#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "emulate/executor/execution.hpp"
#include "emulate/executor/half.hpp"
#include "emulate/executor/sample.hpp"

namespace warpmem::emulate {
namespace {

using What = TextureAccess::What;

}  // namespace

void Execution::texture(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                        std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const TextureAccess& t = code.textures[in.extra];
  const auto word = [&](std::uint32_t offset, std::uint32_t l) {
    return reinterpret_cast<const std::uint32_t*>(frame + offset)[l];
  };
  const bool surface = t.what == What::kSurfaceLoad || t.what == What::kSurfaceStore ||
                       t.what == What::kSurfaceReduce;
  Lanes touched{};  // surfaces: by lane
  // Textures: the k-th texel of each lane that has so many.
  constexpr std::size_t kMostTexels = 16;  // a filter's eight, of two levels
  std::array<Lanes, kMostTexels> texel_at;
  std::array<std::uint32_t, kMostTexels> has{};
  const bool traced = tracer_ && group_->traced;
  std::uint32_t inside = 0, bytes = 0;
  std::uint64_t last = 0;  // handle of `object`, the same for most lanes
  const Texture* object = nullptr;
  const TextureImage* whole_image = nullptr;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const std::uint64_t handle = reinterpret_cast<const std::uint64_t*>(frame + t.object)[l];
    if (handle != last || !object)
      last = handle, object = shape_.textures ? shape_.textures->find(handle) : nullptr;
    if (!object || object->levels.empty())
      fault(warp, in, l,
            fmt::format("{:#x} is not a {} object", handle, surface ? "surface" : "texture"),
            "pass the handle that the runtime gave, and destroy it after the kernel");
    if (surface) {
      bytes = size_of(t.type) * t.elements;
      touched[l] = surface_access(warp, in, t, *object, frame, l);
      inside |= static_cast<std::uint32_t>(touched[l] != 0) << l;
      if (touched[l] != 0) touched[l] = object->levels[0].place(touched[l]);
      continue;
    }
    if (t.what == What::kQuery) {
      reinterpret_cast<std::uint32_t*>(frame + t.value[0])[l] =
          texture_query(t, *object, t.level == kNoOffset ? 0 : word(t.level, l));
      continue;
    }
    Fetch f;
    float lod = 0;
    if (t.level != kNoOffset)
      lod = t.whole ? static_cast<float>(static_cast<std::int32_t>(word(t.level, l)))
                    : std::bit_cast<float>(word(t.level, l));
    Levels levels = levels_of(*object, lod);
    f.image = levels.image;
    if (t.has_gradients) {  // the longer of the two, in texels
      float longest = 0;
      const std::uint32_t sizes[3] = {f.image->width, f.image->height, f.image->depth};
      for (const auto& g : t.gradient) {
        float length = 0;
        for (std::uint32_t k = 0; k < t.dimensions; ++k) {
          const float step = std::bit_cast<float>(word(g[k], l)) *
                             (object->normalised_coordinates ? static_cast<float>(sizes[k]) : 1.0f);
          length += step * step;
        }
        longest = std::max(longest, std::sqrt(length));
      }
      levels = levels_of(*object, longest > 0 ? std::log2(longest) : 0);
      f.image = levels.image;
    }
    f.dimensions = t.dimensions;
    f.whole = t.whole, f.gather = t.what == What::kGather;
    bool exists = t.whole || !object->linear_memory;  // buffers are fetched by number alone
    if (t.layered) {
      const std::uint32_t layer = word(t.layer, l), top = std::max(1u, f.image->layers) - 1;
      exists = !t.whole || layer <= top;  // fetched by number: nothing there; else the last one
      f.layer = std::min(layer, top);
    }
    for (std::uint32_t k = 0; k < t.dimensions; ++k)
      f.at[k] = std::bit_cast<float>(word(t.at[k], l));
    bytes = object->texel_bytes();
    std::size_t k = 0;  // texels that this lane has so far
    const auto sampled = [&] {
      const Texels texels = locate(*object, f);
      if (traced && exists)
        for (std::uint32_t i = 0; i < texels.count; ++i)
          if (texels.read >> i & 1 && texels.address[i] != 0) {
            texel_at[k][l] = f.image->place(texels.address[i]);
            has[k++] |= 1u << l;
          }
      if (f.image != whole_image)  // all of it lies in one allocation, as is usual
        whole_image =
            memory_.contains(f.image->base, f.image->base + f.image->bytes) ? f.image : nullptr;
      for (std::uint32_t i = 0; i < texels.count && f.image != whole_image; ++i)
        if (texels.address[i] && !memory_.contains(texels.address[i], texels.address[i] + bytes))
          fault(warp, in, l,
                fmt::format("the texture's memory at {:#x} is not allocated ({})",
                            texels.address[i], nearest_text(texels.address[i])),
                "free an array after the kernel that reads it");
      std::array<std::uint32_t, 4> v{};
      if (f.gather)
        for (std::uint32_t i = 0; i < 4; ++i)
          v[i] = texel(*object, memory_, texels.address[i])[t.channel];
      else if (exists) v = filtered(*object, memory_, texels);
      return v;
    };
    std::array<std::uint32_t, 4> v = sampled();
    if (levels.next && !f.gather && reads_floats(*object)) {
      f.image = levels.next;
      const std::array<std::uint32_t, 4> second = sampled();
      for (std::size_t i = 0; i < 4; ++i) {
        const double a = std::bit_cast<float>(v[i]), c = std::bit_cast<float>(second[i]);
        v[i] = std::bit_cast<std::uint32_t>(static_cast<float>(a + (c - a) * levels.share));
      }
    }
    if (t.halves) {
      for (std::uint32_t i = 0; i < 2; ++i)
        reinterpret_cast<std::uint32_t*>(frame + t.value[i])[l] =
            half_of(std::bit_cast<float>(v[2 * i])) |
            static_cast<std::uint32_t>(half_of(std::bit_cast<float>(v[2 * i + 1]))) << 16;
    } else {
      for (std::uint32_t i = 0; i < 4; ++i)
        reinterpret_cast<std::uint32_t*>(frame + t.value[i])[l] = v[i];
    }
  }
  if (t.resident != kNoOffset) *reinterpret_cast<std::uint32_t*>(frame + t.resident) |= mask;
  if (inside)
    record(warp, in, code,
           t.what == What::kSurfaceStore    ? trace::Op::kStore
           : t.what == What::kSurfaceReduce ? trace::Op::kReduction
                                            : trace::Op::kLoad,
           trace::Space::kSurface, bytes, inside, touched);
  for (std::size_t k = 0; k < has.size() && has[k]; ++k)
    record(warp, in, code, k == 0 ? trace::Op::kLoad : trace::Op::kTexel, trace::Space::kTexture,
           bytes, has[k], texel_at[k]);
}

std::uint32_t Execution::texture_query(const TextureAccess& t, const Texture& object,
                                       std::uint32_t level) {
  const TextureImage& i = object.levels[std::min<std::size_t>(level, object.levels.size() - 1)];
  switch (t.channel) {
    case 0: return i.width;
    case 1: return i.height;
    case 2: return i.depth;
    case 5: return object.normalised_coordinates;
    case 6: return i.layers;
    default: return static_cast<std::uint32_t>(object.levels.size());
  }
}

// x counts bytes, y and z texels. Returns the device address, or 0 where nothing is touched.
std::uint64_t Execution::surface_access(Warp& warp, const Inst& in, const TextureAccess& t,
                                        const Texture& object, std::byte* frame, std::uint32_t l) {
  const TextureImage& image = object.levels[0];
  const auto coordinate = [&](std::uint32_t k) {
    return static_cast<std::int64_t>(reinterpret_cast<const std::int32_t*>(frame + t.at[k])[l]);
  };
  const std::uint32_t size = size_of(t.type), bytes = size * t.elements;
  std::int64_t at[3] = {coordinate(0), t.dimensions > 1 ? coordinate(1) : 0,
                        t.dimensions > 2 ? coordinate(2) : 0};
  const std::int64_t slices =
      image.cubemap ? std::max(1u, image.layers) * 6 : std::max({1u, image.depth, image.layers});
  if (t.layered) at[2] = reinterpret_cast<const std::uint32_t*>(frame + t.layer)[l];
  const std::int64_t limits[3] = {
      static_cast<std::int64_t>(image.width) * object.texel_bytes() - bytes,
      static_cast<std::int64_t>(std::max(1u, image.height)) - 1, slices - 1};
  bool outside = false;
  for (int k = 0; k < 3; ++k) outside |= at[k] < 0 || at[k] > limits[k];
  if (at[0] % bytes != 0)
    fault(warp, in, l, fmt::format("misaligned surface access of {} bytes at x = {}", bytes, at[0]),
          "x of a surface counts bytes");
  const bool load = t.what == What::kSurfaceLoad;
  const auto put = [&](std::uint32_t i, std::uint64_t v) {
    std::memcpy(frame + t.value[i] + std::size_t{l} * t.value_bytes, &v, t.value_bytes);
  };
  if (outside) {
    if (t.bounds == TextureAccess::Bounds::kTrap)
      fault(warp, in, l,
            fmt::format("out-of-bounds surface access of {} bytes at x = {}, y = {}, z = {}: the "
                        "surface has {} x {} x {} texels of {} bytes",
                        bytes, at[0], at[1], at[2], image.width, std::max(1u, image.height), slices,
                        object.texel_bytes()),
            "check the coordinates, or pass cudaBoundaryModeClamp or cudaBoundaryModeZero");
    if (t.bounds == TextureAccess::Bounds::kZero) {
      for (std::uint32_t i = 0; i < t.elements && load; ++i) put(i, 0);
      return 0;
    }
    for (int k = 0; k < 3; ++k)
      at[k] = std::clamp<std::int64_t>(at[k], 0, std::max<std::int64_t>(0, limits[k]));
  }
  const std::uint64_t address = image.base + static_cast<std::uint64_t>(at[0]) +
                                static_cast<std::uint64_t>(at[1]) * image.row_bytes +
                                static_cast<std::uint64_t>(at[2]) * image.slice_bytes;
  if (!memory_.contains(address, address + bytes))
    fault(warp, in, l,
          fmt::format("the surface's memory at {:#x} is not allocated ({})", address,
                      nearest_text(address)),
          "free an array after the kernel that uses it");
  std::byte* host = memory_.host(address);
  if (t.what == What::kSurfaceReduce) {
    Access one;
    one.type = t.type == Type::kB32   ? Type::kU32
               : t.type == Type::kB64 ? Type::kU64
                                      : t.type,
    one.atomic = t.reduction;
    one.element_bytes = static_cast<std::uint8_t>(size), one.values[0] = t.value[0];
    Lanes where{};
    where[l] = reinterpret_cast<std::uint64_t>(host);
    atomics(one, trace::Space::kGlobal, frame, 1u << l, where);
    return address;
  }
  for (std::uint32_t i = 0; i < t.elements; ++i) {
    std::uint64_t v = 0;
    if (load) {
      std::memcpy(&v, host + i * size, size);
      put(i, v);
    } else {
      std::memcpy(host + i * size, frame + t.value[i] + std::size_t{l} * t.value_bytes, size);
    }
  }
  return address;
}

}  // namespace warpmem::emulate
