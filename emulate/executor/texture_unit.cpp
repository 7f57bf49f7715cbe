#include "emulate/executor/texture_unit.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/half.hpp"
#include "emulate/executor/sample.hpp"
#include "emulate/executor/texture_lane.hpp"

namespace warpmem::emulate {
namespace {

using What = TextureAccess::What;

constexpr std::size_t kMostTexels = 16;  // a filter's eight, of two levels

std::uint32_t texture_query(const TextureAccess& t, const Texture& object, std::uint32_t level) {
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

// The longer of the two gradients, in texels, as a level.
float level_of_gradients(const TextureLane& lane, const Texture& object,
                         const TextureImage& image) {
  float longest = 0;
  const std::uint32_t sizes[3] = {image.width, image.height, image.depth};
  for (const auto& g : lane.t.gradient) {
    float length = 0;
    for (std::uint32_t k = 0; k < lane.t.dimensions; ++k) {
      const float step = std::bit_cast<float>(lane.word(g[k])) *
                         (object.normalised_coordinates ? static_cast<float>(sizes[k]) : 1.0f);
      length += step * step;
    }
    longest = std::max(longest, std::sqrt(length));
  }
  return longest > 0 ? std::log2(longest) : 0;
}

Levels levels_for(const TextureLane& lane, const Texture& object) {
  const TextureAccess& t = lane.t;
  float lod = 0;
  if (t.level != kNoOffset)
    lod = t.whole ? static_cast<float>(static_cast<std::int32_t>(lane.word(t.level)))
                  : std::bit_cast<float>(lane.word(t.level));
  Levels levels = levels_of(object, lod);
  if (t.has_gradients) levels = levels_of(object, level_of_gradients(lane, object, *levels.image));
  return levels;
}

// What the lane fetches; `exists`: whether there is something there.
Fetch fetch_of(const TextureLane& lane, const Texture& object, const Levels& levels, bool& exists) {
  const TextureAccess& t = lane.t;
  Fetch f;
  f.image = levels.image;
  f.dimensions = t.dimensions;
  f.whole = t.whole, f.gather = t.what == What::kGather;
  exists = t.whole || !object.linear_memory;  // buffers are fetched by number alone
  if (t.layered) {
    const std::uint32_t layer = lane.word(t.layer), top = std::max(1u, f.image->layers) - 1;
    exists = !t.whole || layer <= top;  // fetched by number: nothing there; else the last one
    f.layer = std::min(layer, top);
  }
  for (std::uint32_t k = 0; k < t.dimensions; ++k)
    f.at[k] = std::bit_cast<float>(lane.word(t.at[k]));
  return f;
}

void put_texel(const TextureLane& lane, const std::array<std::uint32_t, 4>& v) {
  const auto put = [&](std::uint32_t i, std::uint32_t value) {
    reinterpret_cast<std::uint32_t*>(lane.frame + lane.t.value[i])[lane.number] = value;
  };
  if (lane.t.halves) {
    for (std::uint32_t i = 0; i < 2; ++i)
      put(i, half_of(std::bit_cast<float>(v[2 * i])) |
                 static_cast<std::uint32_t>(half_of(std::bit_cast<float>(v[2 * i + 1]))) << 16);
    return;
  }
  for (std::uint32_t i = 0; i < 4; ++i) put(i, v[i]);
}

}  // namespace

// What the warp's lanes read: the k-th texel of each lane that has so many.
struct TextureUnit::ReadTexels {
  explicit ReadTexels(bool is_traced) : traced(is_traced) {}
  bool traced;
  std::array<Lanes, kMostTexels> at;
  std::array<std::uint32_t, kMostTexels> has{};
  std::size_t next = 0;                       // of the lane whose turn it is
  const TextureImage* whole_image = nullptr;  // all of it lies in one allocation, as is usual
};

// What lane after lane names: most name the same.
struct TextureUnit::Objects {
  std::uint64_t handle = 0;
  const Texture* object = nullptr;
};

const Texture& TextureUnit::object_of(const TextureLane& lane, Objects& last) {
  const std::uint64_t handle =
      reinterpret_cast<const std::uint64_t*>(lane.frame + lane.t.object)[lane.number];
  if (handle != last.handle || !last.object) {
    last.handle = handle;
    last.object = run_.shape.textures ? run_.shape.textures->find(handle) : nullptr;
  }
  if (!last.object || last.object->levels.empty())
    fault(
        run_, lane.warp, lane.in, lane.number,
        fmt::format("{:#x} is not a {} object", handle, lane.is_surface() ? "surface" : "texture"),
        "pass the handle that the runtime gave, and destroy it after the kernel");
  return *last.object;
}

std::array<std::uint32_t, 4> TextureUnit::sample(const TextureLane& lane, const Texture& object,
                                                 const Fetch& f, bool exists, ReadTexels& read) {
  const Texels texels = locate(object, f);
  if (read.traced && exists)
    for (std::uint32_t i = 0; i < texels.count; ++i)
      if (texels.read >> i & 1 && texels.address[i] != 0) {
        read.at[read.next][lane.number] = f.image->place(texels.address[i]);
        read.has[read.next++] |= 1u << lane.number;
      }
  const Memory& memory = run_.memory;
  if (f.image != read.whole_image)
    read.whole_image =
        run_.memory.contains(f.image->base, f.image->base + f.image->bytes) ? f.image : nullptr;
  for (std::uint32_t i = 0; i < texels.count && f.image != read.whole_image; ++i) {
    const std::uint64_t at = texels.address[i];
    if (at && !run_.memory.contains(at, at + object.texel_bytes()))
      fault(run_, lane.warp, lane.in, lane.number,
            fmt::format("the texture's memory at {:#x} is not allocated ({})", at,
                        nearest_text(memory, at)),
            "free an array after the kernel that reads it");
  }
  std::array<std::uint32_t, 4> v{};
  if (f.gather)
    for (std::uint32_t i = 0; i < 4; ++i)
      v[i] = texel(object, memory, texels.address[i])[lane.t.channel];
  else if (exists) v = filtered(object, memory, texels);
  return v;
}

void TextureUnit::fetch(const TextureLane& lane, const Texture& object, ReadTexels& read) {
  const Levels levels = levels_for(lane, object);
  bool exists = false;
  Fetch f = fetch_of(lane, object, levels, exists);
  read.next = 0;
  std::array<std::uint32_t, 4> v = sample(lane, object, f, exists, read);
  if (levels.next && !f.gather && reads_floats(object)) {
    f.image = levels.next;
    const std::array<std::uint32_t, 4> second = sample(lane, object, f, exists, read);
    for (std::size_t i = 0; i < 4; ++i) {
      const double a = std::bit_cast<float>(v[i]), c = std::bit_cast<float>(second[i]);
      v[i] = std::bit_cast<std::uint32_t>(static_cast<float>(a + (c - a) * levels.share));
    }
  }
  put_texel(lane, v);
}

void TextureUnit::texture(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                          std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const TextureAccess& t = code.textures[in.extra];
  Lanes touched{};  // surfaces: by lane
  ReadTexels read(run_.traced());
  Objects objects;
  std::uint32_t inside = 0, bytes = 0;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const TextureLane lane{warp, in, t, frame, l};
    const Texture& object = object_of(lane, objects);
    if (lane.is_surface()) {
      bytes = size_of(t.type) * t.elements;
      touched[l] = surface_access(run_, lane, object);
      inside |= static_cast<std::uint32_t>(touched[l] != 0) << l;
      if (touched[l] != 0) touched[l] = object.levels[0].place(touched[l]);
    } else if (t.what == What::kQuery) {
      reinterpret_cast<std::uint32_t*>(frame + t.value[0])[l] =
          texture_query(t, object, t.level == kNoOffset ? 0 : lane.word(t.level));
    } else {
      bytes = object.texel_bytes();
      fetch(lane, object, read);
    }
  }
  if (t.resident != kNoOffset) *reinterpret_cast<std::uint32_t*>(frame + t.resident) |= mask;
  if (inside)
    recorder_.record(warp, in, code,
                     t.what == What::kSurfaceStore    ? trace::Op::kStore
                     : t.what == What::kSurfaceReduce ? trace::Op::kReduction
                                                      : trace::Op::kLoad,
                     trace::Space::kSurface, bytes, inside, touched);
  for (std::size_t k = 0; k < read.has.size() && read.has[k]; ++k)
    recorder_.record(warp, in, code, k == 0 ? trace::Op::kLoad : trace::Op::kTexel,
                     trace::Space::kTexture, bytes, read.has[k], read.at[k]);
}

}  // namespace warpmem::emulate
