// CUDA arrays: memory for textures and surfaces, row after row, and as much of it as a GPU's tiles
// would take.
#include <algorithm>
#include <cstring>

#include "emulate/cudart/runtime.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

bool good(const ChannelFormat& f) {
  const int bits[] = {f.x, f.y, f.z, f.w};
  const bool size = f.x == 8 || f.x == 16 || f.x == 32;
  int channels = 0;
  for (const int b : bits) {
    if (b == 0) break;
    if (b != f.x) return false;
    ++channels;
  }
  for (int c = channels; c < 4; ++c)
    if (bits[c] != 0) return false;
  if (f.kind == kChannelFloat && f.x == 8) return false;
  return size && (channels == 1 || channels == 2 || channels == 4) && f.kind >= kChannelSigned &&
         f.kind <= kChannelFloat;
}

Code make_array(Runtime& r, const ChannelFormat& format, const Extent& extent, unsigned flags,
                Array*& out) {
  if (!good(format)) return kInvalidChannelDescriptor;
  constexpr std::size_t kWidest = 131072, kHighest = 65536, kWidest3D = 16384;
  const bool solid =
      extent.height > 0 && extent.depth > 0 && !(flags & (kArrayLayered | kArrayCubemap));
  if (extent.width == 0 || extent.width > (solid ? kWidest3D : kWidest) ||
      extent.height > (solid ? kWidest3D : kHighest) || extent.depth > kWidest3D)
    return kInvalidValue;
  auto a = std::make_unique<Array>();
  a->format = format, a->extent = extent, a->flags = flags;
  constexpr std::size_t kRow = 32;
  a->row = (extent.width * a->texel() + kRow - 1) / kRow * kRow;
  a->slice = a->row * a->rows();
  a->bytes = a->slice * a->slices();
  const std::size_t tiled = emulate::TextureImage::tiled_bytes(a->row, a->rows(), a->slices());
  a->base = r.memory.allocate(std::max(a->bytes, tiled), trace::AllocationKind::kArray);
  if (a->base == 0) return kMemoryAllocation;
  out = a.release();
  r.arrays.insert(out);
  return kSuccess;
}

Code free_array(Runtime& r, Array* array) {
  if (!array) return kSuccess;
  if (r.arrays.erase(array) == 0) return kInvalidResourceHandle;
  r.memory.free(array->base);
  delete array;
  return kSuccess;
}

template <class F>
Code with_array(const Array* array, F&& body) {
  return api([&](Runtime& r) {
    return r.arrays.contains(const_cast<Array*>(array)) ? body(r, *array) : kInvalidResourceHandle;
  });
}

}  // namespace

extern "C" {

ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, ChannelKind kind) {
  return {x, y, z, w, kind};
}

int cudaMallocArray(Array** array, const ChannelFormat* format, std::size_t width,
                    std::size_t height, unsigned flags) {
  return api([&](Runtime& r) {
    return array && format ? make_array(r, *format, {width, height, 0}, flags, *array)
                           : kInvalidValue;
  });
}
int cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return api([&](Runtime& r) {
    return array && format ? make_array(r, *format, extent, flags, *array) : kInvalidValue;
  });
}
int cudaFreeArray(Array* array) {
  return api([&](Runtime& r) { return free_array(r, array); });
}
int cudaGetChannelDesc(ChannelFormat* format, const Array* array) {
  return with_array(array, [&](Runtime&, const Array& a) {
    return format ? (*format = a.format, kSuccess) : kInvalidValue;
  });
}
int cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, Array* array) {
  return with_array(array, [&](Runtime&, const Array& a) {
    if (format) *format = a.format;
    if (extent) *extent = a.extent;
    if (flags) *flags = a.flags;
    return kSuccess;
  });
}
int cudaArrayGetMemoryRequirements(std::size_t* bytes_and_alignment, Array* array, int) {
  return with_array(array, [&](Runtime&, const Array& a) {
    if (!bytes_and_alignment) return kInvalidValue;
    bytes_and_alignment[0] = a.bytes, bytes_and_alignment[1] = 512;
    return kSuccess;
  });
}

int cudaMallocMipmappedArray(MipmappedArray** out, const ChannelFormat* format, Extent extent,
                             unsigned levels, unsigned flags) {
  return api([&](Runtime& r) {
    if (!out || !format || levels == 0) return kInvalidValue;
    const bool layered = (flags & (kArrayLayered | kArrayCubemap)) != 0;
    auto mipmap = std::make_unique<MipmappedArray>();
    for (unsigned l = 0; l < levels; ++l) {
      const auto halved = [&](std::size_t n) {
        return n == 0 ? n : std::max<std::size_t>(1, n >> l);
      };
      if (l > 0 &&
          (std::max({extent.width, extent.height, layered ? std::size_t{0} : extent.depth}) >> l) ==
              0)
        break;
      Array* level = nullptr;
      const Code code = make_array(r, *format,
                                   {halved(extent.width), halved(extent.height),
                                    layered ? extent.depth : halved(extent.depth)},
                                   flags, level);
      if (code != kSuccess) {
        for (auto& made : mipmap->levels) free_array(r, made.release());
        return code;
      }
      mipmap->levels.emplace_back(level);
    }
    *out = mipmap.release();
    r.mipmaps.insert(*out);
    return kSuccess;
  });
}
int cudaGetMipmappedArrayLevel(Array** level, const MipmappedArray* mipmap, unsigned number) {
  return api([&](Runtime& r) {
    if (!r.mipmaps.contains(const_cast<MipmappedArray*>(mipmap))) return kInvalidResourceHandle;
    if (!level || number >= mipmap->levels.size()) return kInvalidValue;
    *level = mipmap->levels[number].get();
    return kSuccess;
  });
}
int cudaFreeMipmappedArray(MipmappedArray* mipmap) {
  return api([&](Runtime& r) {
    if (!mipmap) return kSuccess;
    if (r.mipmaps.erase(mipmap) == 0) return kInvalidResourceHandle;
    for (auto& level : mipmap->levels) free_array(r, level.release());
    delete mipmap;
    return kSuccess;
  });
}

}  // extern "C"
