// Texture and surface objects: descriptions that the executor reads (emulate/executor/texture.hpp).
#include <algorithm>
#include <cstring>

#include "emulate/cudart/runtime.hpp"

using namespace warpmem;
using namespace warpmem::cudart;
using emulate::TexelKind;
using emulate::Texture;
using emulate::TextureImage;

namespace {

constexpr int kInvalidChannelDescriptor = 20;

bool set_format(const ChannelFormat& f, Texture& t) {
  t.channels = f.w ? 4 : f.z ? 3 : f.y ? 2 : 1;
  t.channel_bits = static_cast<std::uint32_t>(f.x);
  t.kind = f.kind == kChannelSigned     ? TexelKind::kSigned
           : f.kind == kChannelUnsigned ? TexelKind::kUnsigned
                                        : TexelKind::kFloat;
  return f.x != 0 && t.channels != 3 && f.kind >= kChannelSigned && f.kind <= kChannelFloat;
}

TextureImage image_of(const Array& a) {
  TextureImage image;
  image.base = a.base, image.bytes = a.bytes, image.row_bytes = a.row, image.slice_bytes = a.slice;
  image.width = static_cast<std::uint32_t>(a.extent.width);
  image.height = static_cast<std::uint32_t>(a.extent.height);
  image.tiled = true;
  image.cubemap = (a.flags & kArrayCubemap) != 0;
  const auto depth = static_cast<std::uint32_t>(a.extent.depth);
  if (image.cubemap) image.layers = (a.flags & kArrayLayered) ? depth / 6 : 0;
  else if (a.flags & kArrayLayered) image.layers = depth;
  else image.depth = depth;
  return image;
}

Code fill_images(Runtime& r, const ResourceDescription& d, Texture& t) {
  const auto live = [&](const void* pointer, std::uint64_t bytes) {
    const auto at = reinterpret_cast<std::uint64_t>(pointer);
    return r.memory.contains(at, at + bytes);
  };
  switch (d.type) {
    case kResourceArray:
      if (!r.arrays.contains(d.array)) return kInvalidValue;
      t.levels.push_back(image_of(*d.array));
      return set_format(d.array->format, t) ? kSuccess : kInvalidValue;
    case kResourceMipmap:
      if (!r.mipmaps.contains(d.mipmap)) return kInvalidValue;
      for (const auto& level : d.mipmap->levels) t.levels.push_back(image_of(*level));
      return set_format(d.mipmap->levels[0]->format, t) ? kSuccess : kInvalidValue;
    case kResourceLinear: {
      if (!set_format(d.linear.format, t)) return static_cast<Code>(kInvalidChannelDescriptor);
      if (!live(d.linear.pointer, d.linear.bytes)) return kInvalidValue;
      TextureImage image;
      image.base = reinterpret_cast<std::uint64_t>(d.linear.pointer);
      image.bytes = image.row_bytes = image.slice_bytes = d.linear.bytes;
      image.width = static_cast<std::uint32_t>(d.linear.bytes / t.texel_bytes());
      t.linear_memory = true;
      t.levels.push_back(image);
      return image.width ? kSuccess : kInvalidValue;
    }
    case kResourcePitch2D: {
      if (!set_format(d.pitch2d.format, t)) return static_cast<Code>(kInvalidChannelDescriptor);
      const std::uint64_t row = d.pitch2d.width * t.texel_bytes();
      if (d.pitch2d.width == 0 || d.pitch2d.height == 0 || d.pitch2d.pitch < row ||
          d.pitch2d.pitch % 32 != 0)
        return kInvalidValue;
      TextureImage image;
      image.base = reinterpret_cast<std::uint64_t>(d.pitch2d.pointer);
      image.row_bytes = d.pitch2d.pitch;
      image.bytes = image.slice_bytes = (d.pitch2d.height - 1) * d.pitch2d.pitch + row;
      if (!live(d.pitch2d.pointer, image.bytes)) return kInvalidValue;
      image.width = static_cast<std::uint32_t>(d.pitch2d.width),
      image.height = static_cast<std::uint32_t>(d.pitch2d.height);
      t.levels.push_back(image);
      return kSuccess;
    }
  }
  return kInvalidValue;
}

void set_sampling(const TextureDescription& d, Texture& t) {
  for (std::size_t i = 0; i < 3; ++i)
    t.address[i] = static_cast<emulate::AddressMode>(std::clamp(d.address_mode[i], 0, 3));
  t.linear_filter = d.filter == 1, t.normalised_coordinates = d.normalised_coordinates != 0;
  t.normalised_read = d.read_mode == 1, t.srgb = d.srgb != 0;
  t.linear_mipmap_filter = d.mipmap_filter == 1;
  t.mipmap_bias = d.mipmap_bias, t.mipmap_min = d.mipmap_min, t.mipmap_max = d.mipmap_max;
  for (std::size_t i = 0; i < 4; ++i) t.border[i] = d.border[i];
}

// A view may read the texels as another format, and part of the levels and layers.
Code apply_view(const ResourceView& v, Texture& t) {
  if (v.format != 0) {
    if (v.format > 0x18) return kNotSupported;  // block compression
    constexpr struct {
      TexelKind kind;
      std::uint32_t bits;
    } kFormats[] = {{TexelKind::kUnsigned, 8},  {TexelKind::kSigned, 8},
                    {TexelKind::kUnsigned, 16}, {TexelKind::kSigned, 16},
                    {TexelKind::kUnsigned, 32}, {TexelKind::kSigned, 32},
                    {TexelKind::kFloat, 16},    {TexelKind::kFloat, 32}};
    const auto number = static_cast<std::size_t>(v.format - 1);
    const std::uint32_t before = t.texel_bytes();
    t.kind = kFormats[number / 3].kind, t.channel_bits = kFormats[number / 3].bits;
    t.channels = 1u << number % 3;
    if (t.texel_bytes() != before) return kInvalidValue;
  }
  if (v.last_level >= t.levels.size() || v.first_level > v.last_level) return kInvalidValue;
  t.levels = {t.levels.begin() + v.first_level, t.levels.begin() + v.last_level + 1};
  for (TextureImage& image : t.levels) {
    if (image.layers == 0 || (v.first_layer == 0 && v.last_layer == 0)) continue;
    if (v.first_layer > v.last_layer || v.last_layer >= image.layers * (image.cubemap ? 6 : 1))
      return kInvalidValue;
    image.base += v.first_layer * image.slice_bytes,
        image.bytes -= v.first_layer * image.slice_bytes;
    image.layers = (v.last_layer - v.first_layer + 1) / (image.cubemap ? 6 : 1);
  }
  return kSuccess;
}

template <class Table, class Out>
Code describe(const Table& table, std::uint64_t handle, Out* out, std::size_t bytes = sizeof(Out)) {
  const auto at = table.find(handle);
  if (!out || at == table.end()) return kInvalidValue;
  std::memcpy(static_cast<void*>(out), &at->second, bytes);
  return kSuccess;
}

// CUDA 13 has room for more behind them.
constexpr std::size_t kResourceBytes12 = 64, kViewBytes12 = 48;

}  // namespace

extern "C" {

int cudaCreateTextureObject(unsigned long long* out, const ResourceDescription* resource,
                            const TextureDescription* description, const ResourceView* view) {
  return api([&](Runtime& r) {
    if (!out || !resource || !description) return kInvalidValue;
    Texture t;
    if (const Code code = fill_images(r, *resource, t); code != kSuccess) return code;
    set_sampling(*description, t);
    if (t.linear_filter && !t.normalised_read && t.kind != TexelKind::kFloat) return kInvalidValue;
    if (t.normalised_read && t.channel_bits == 32 && t.kind != TexelKind::kFloat)
      return kInvalidValue;
    if (view)
      if (const Code code = apply_view(*view, t); code != kSuccess) return code;
    *out = r.textures.add(std::move(t));
    ResourceDescription& kept = r.texture_resources[*out];
    std::memcpy(static_cast<void*>(&kept), resource, kResourceBytes12);
    r.texture_descriptions[*out] = *description;
    if (view) std::memcpy(static_cast<void*>(&r.texture_views[*out]), view, kViewBytes12);
    return kSuccess;
  });
}
int cudaDestroyTextureObject(unsigned long long object) {
  return api([&](Runtime& r) {
    r.texture_resources.erase(object), r.texture_descriptions.erase(object),
        r.texture_views.erase(object);
    return r.textures.remove(object) ? kSuccess : kInvalidValue;
  });
}
int cudaGetTextureObjectResourceDesc(ResourceDescription* out, unsigned long long object) {
  return api(
      [&](Runtime& r) { return describe(r.texture_resources, object, out, kResourceBytes12); });
}
int cudaGetTextureObjectTextureDesc(TextureDescription* out, unsigned long long object) {
  return api([&](Runtime& r) { return describe(r.texture_descriptions, object, out); });
}
int cudaGetTextureObjectResourceViewDesc(ResourceView* out, unsigned long long object) {
  return api([&](Runtime& r) { return describe(r.texture_views, object, out, kViewBytes12); });
}

int cudaCreateSurfaceObject(unsigned long long* out, const ResourceDescription* resource) {
  return api([&](Runtime& r) {
    if (!out || !resource || resource->type != kResourceArray ||
        !r.arrays.contains(resource->array))
      return kInvalidValue;
    Texture t;
    if (const Code code = fill_images(r, *resource, t); code != kSuccess) return code;
    t.surface = true;
    *out = r.textures.add(std::move(t));
    std::memcpy(static_cast<void*>(&r.texture_resources[*out]), resource, kResourceBytes12);
    return kSuccess;
  });
}
int cudaDestroySurfaceObject(unsigned long long object) { return cudaDestroyTextureObject(object); }
int cudaGetSurfaceObjectResourceDesc(ResourceDescription* out, unsigned long long object) {
  return cudaGetTextureObjectResourceDesc(out, object);
}

}  // extern "C"
