// libcuda.so.1: arrays, the copies that reach them, texture and surface objects.
#include <cstring>
#include <utility>

#include "emulate/cudart/driver_calls.hpp"

using namespace warpmem::cudart;

namespace {

using Address = unsigned long long;
constexpr int kInvalidValue = 1;

struct ArrayDescription {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct ArrayDescription3D {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

enum : int { kPlaceHost = 1, kPlaceDevice = 2, kPlaceArray = 3, kPlaceUnified = 4 };
struct Copy2D {
  std::size_t from_x, from_y;
  int from_type;
  const void* from_host;
  Address from_device;
  Array* from_array;
  std::size_t from_pitch, to_x, to_y;
  int to_type;
  void* to_host;
  Address to_device;
  Array* to_array;
  std::size_t to_pitch, width, height;
};

struct DriverResource {
  ResourceType type;
  union {
    Array* array;
    MipmappedArray* mipmap;
    struct {
      Address pointer;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    struct {
      Address pointer;
      int format;
      unsigned channels;
      std::size_t width, height, pitch;
    } pitch2d;
    int reserved[32];
  };
  unsigned flags;
};
struct DriverTexture {
  int address_mode[3], filter;
  unsigned flags, max_anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_min, mipmap_max, border[4];
  int reserved[12];
};
enum : unsigned {
  kReadAsInteger = 1,
  kNormalisedCoordinates = 2,
  kSrgb = 16,
  kNoTrilinearOptimisation = 32,
  kSeamlessCubemap = 64
};

bool to_channels(int format, unsigned channels, ChannelFormat& out) {
  int bits = 0;
  ChannelKind kind = kChannelUnsigned;
  switch (format) {
    case 0x01: bits = 8; break;
    case 0x02: bits = 16; break;
    case 0x03: bits = 32; break;
    case 0x08: bits = 8, kind = kChannelSigned; break;
    case 0x09: bits = 16, kind = kChannelSigned; break;
    case 0x0a: bits = 32, kind = kChannelSigned; break;
    case 0x10: bits = 16, kind = kChannelFloat; break;
    case 0x20: bits = 32, kind = kChannelFloat; break;
    default: return false;
  }
  if (channels != 1 && channels != 2 && channels != 4) return false;
  out = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
  return true;
}
int format_of(const ChannelFormat& f) {
  const int width = f.x == 8 ? 0 : f.x == 16 ? 1 : 2;
  if (f.kind == kChannelFloat) return f.x == 16 ? 0x10 : 0x20;
  return (f.kind == kChannelSigned ? 0x08 : 0x01) + width;
}
unsigned channels_of(const ChannelFormat& f) { return f.w ? 4 : f.y ? 2 : 1; }
std::size_t texel_bytes(const Array* array) {
  ChannelFormat f{};
  return cudaGetChannelDesc(&f, array) == 0 ? static_cast<std::size_t>(f.x) / 8 * channels_of(f)
                                            : 0;
}

// One side of a copy. Where memory is plain, its first byte takes the offsets.
struct Side {
  Array* array = nullptr;
  PitchedPointer memory{};
  Position at{};
};
bool to_side(const DriverCopy3DSide& s, std::size_t width, std::size_t height, Side& out) {
  if (s.type == kPlaceArray) {
    const std::size_t texel = texel_bytes(s.array);
    if (texel == 0 || s.x % texel != 0) return false;
    out.array = s.array, out.at = {s.x / texel, s.y, s.z};
    return true;
  }
  if (s.type < kPlaceHost || s.type > kPlaceUnified) return false;
  const std::size_t pitch = s.pitch ? s.pitch : width;
  const std::size_t rows = s.height ? s.height : height;
  auto* first = s.type == kPlaceHost ? static_cast<char*>(const_cast<void*>(s.host))
                                     : reinterpret_cast<char*>(s.device);
  out.memory = {first + (s.z * rows + s.y) * pitch + s.x, pitch, pitch, rows};
  return true;
}

int copy(const DriverCopy3D& c, Stream* stream, bool waits) {
  Copy3D p{};
  if (const int code = to_copy_3d(c, p); code != 0) return code;
  return driver_code(waits ? cudaMemcpy3D(&p) : cudaMemcpy3DAsync(&p, stream));
}
int copy(const Copy2D* c, Stream* stream, bool waits) {
  if (!c) return kInvalidValue;
  DriverCopy3D all{};
  all.from = {
      c->from_x, c->from_y,     0, 0, c->from_type, c->from_host, c->from_device, c->from_array,
      nullptr,   c->from_pitch, 0};
  all.to = {c->to_x,      c->to_y,     0,       0,           c->to_type, c->to_host,
            c->to_device, c->to_array, nullptr, c->to_pitch, 0};
  all.width = c->width, all.height = c->height, all.depth = 1;
  return copy(all, stream, waits);
}

// A line of bytes from or to an array, rows behind one another.
int copy_line(Array* array, std::size_t offset, void* memory, std::size_t bytes, bool to_array,
              Stream* stream, bool waits) {
  DriverCopy3D c{};
  DriverCopy3DSide& of_array = to_array ? c.to : c.from;
  DriverCopy3DSide& other = to_array ? c.from : c.to;
  of_array.type = kPlaceArray, of_array.array = array, of_array.x = offset;
  other.type = kPlaceUnified, other.device = reinterpret_cast<Address>(memory);
  c.width = bytes, c.height = c.depth = 1;
  return copy(c, stream, waits);
}

bool to_resource(const DriverResource& r, ResourceDescription& out) {
  out.type = r.type;
  switch (r.type) {
    case kResourceArray: out.array = r.array; return true;
    case kResourceMipmap: out.mipmap = r.mipmap; return true;
    case kResourceLinear:
      out.linear.pointer = reinterpret_cast<void*>(r.linear.pointer);
      out.linear.bytes = r.linear.bytes;
      return to_channels(r.linear.format, r.linear.channels, out.linear.format);
    case kResourcePitch2D:
      out.pitch2d.pointer = reinterpret_cast<void*>(r.pitch2d.pointer);
      out.pitch2d.width = r.pitch2d.width, out.pitch2d.height = r.pitch2d.height,
      out.pitch2d.pitch = r.pitch2d.pitch;
      return to_channels(r.pitch2d.format, r.pitch2d.channels, out.pitch2d.format);
  }
  return false;
}
void from_resource(const ResourceDescription& r, DriverResource& out) {
  std::memset(static_cast<void*>(&out), 0, sizeof out);
  out.type = r.type;
  if (r.type == kResourceArray) out.array = r.array;
  if (r.type == kResourceMipmap) out.mipmap = r.mipmap;
  if (r.type == kResourceLinear) {
    out.linear.pointer = reinterpret_cast<Address>(r.linear.pointer);
    out.linear.format = format_of(r.linear.format);
    out.linear.channels = channels_of(r.linear.format), out.linear.bytes = r.linear.bytes;
  }
  if (r.type == kResourcePitch2D) {
    out.pitch2d.pointer = reinterpret_cast<Address>(r.pitch2d.pointer);
    out.pitch2d.format = format_of(r.pitch2d.format);
    out.pitch2d.channels = channels_of(r.pitch2d.format);
    out.pitch2d.width = r.pitch2d.width, out.pitch2d.height = r.pitch2d.height,
    out.pitch2d.pitch = r.pitch2d.pitch;
  }
}

// The texels of a resource.
ChannelFormat format_of(const ResourceDescription& r) {
  ChannelFormat f{};
  Array* array = r.type == kResourceArray ? r.array : nullptr;
  if (r.type == kResourceMipmap) cudaGetMipmappedArrayLevel(&array, r.mipmap, 0);
  if (array) cudaGetChannelDesc(&f, array);
  if (r.type == kResourceLinear) f = r.linear.format;
  if (r.type == kResourcePitch2D) f = r.pitch2d.format;
  return f;
}

}  // namespace

namespace warpmem::cudart {

int to_copy_3d(const DriverCopy3D& c, Copy3D& out) {
  Side from, to;
  if (!to_side(c.from, c.width, c.height, from) || !to_side(c.to, c.width, c.height, to))
    return kInvalidValue;
  const Array* array = from.array ? from.array : to.array;
  const std::size_t unit = array ? texel_bytes(array) : 1;
  if (c.width % unit != 0) return kInvalidValue;
  out = {};
  out.source_array = from.array, out.source_position = from.at, out.source = from.memory;
  out.target_array = to.array, out.target_position = to.at, out.target = to.memory;
  out.extent = {c.width / unit, c.height, c.depth};
  out.kind = kCopyDefault;
  return 0;
}

DriverCopy3D from_copy_3d(const Copy3D& c) {
  const Array* array = c.source_array ? c.source_array : c.target_array;
  const std::size_t unit = array ? texel_bytes(array) : 1;
  const auto side = [](Array* of, const Position& at, const PitchedPointer& memory) {
    DriverCopy3DSide s{};
    s.x = at.x, s.y = at.y, s.z = at.z;
    s.type = of ? kPlaceArray : kPlaceUnified, s.array = of;
    if (of) return s.x *= texel_bytes(of), s;
    s.device = reinterpret_cast<Address>(memory.pointer);
    s.pitch = memory.pitch, s.height = memory.ysize;
    return s;
  };
  return {side(c.source_array, c.source_position, c.source),
          side(c.target_array, c.target_position, c.target), c.extent.width * unit, c.extent.height,
          c.extent.depth};
}

}  // namespace warpmem::cudart

extern "C" {

int cuArray3DCreate_v2(Array** out, const ArrayDescription3D* d) {
  ChannelFormat f{};
  if (!out || !d || !to_channels(d->format, d->channels, f)) return kInvalidValue;
  return cudaMalloc3DArray(out, &f, {d->width, d->height, d->depth}, d->flags);
}
int cuArrayCreate_v2(Array** out, const ArrayDescription* d) {
  if (!d) return kInvalidValue;
  const ArrayDescription3D same{d->width, d->height, 0, d->format, d->channels, 0};
  return cuArray3DCreate_v2(out, &same);
}
int cuArrayDestroy(Array* array) { return cudaFreeArray(array); }
int cuArray3DGetDescriptor_v2(ArrayDescription3D* out, Array* array) {
  ChannelFormat f{};
  Extent e{};
  unsigned flags = 0;
  if (!out) return kInvalidValue;
  const int code = cudaArrayGetInfo(&f, &e, &flags, array);
  if (code == 0) *out = {e.width, e.height, e.depth, format_of(f), channels_of(f), flags};
  return code;
}
int cuArrayGetDescriptor_v2(ArrayDescription* out, Array* array) {
  ArrayDescription3D d{};
  if (!out) return kInvalidValue;
  const int code = cuArray3DGetDescriptor_v2(&d, array);
  if (code == 0) *out = {d.width, d.height, d.format, d.channels};
  return code;
}
int cuMipmappedArrayCreate(MipmappedArray** out, const ArrayDescription3D* d, unsigned levels) {
  ChannelFormat f{};
  if (!out || !d || !to_channels(d->format, d->channels, f)) return kInvalidValue;
  return cudaMallocMipmappedArray(out, &f, {d->width, d->height, d->depth}, levels, d->flags);
}
int cuMipmappedArrayGetLevel(Array** level, MipmappedArray* mipmap, unsigned number) {
  return cudaGetMipmappedArrayLevel(level, mipmap, number);
}
int cuMipmappedArrayDestroy(MipmappedArray* mipmap) { return cudaFreeMipmappedArray(mipmap); }

int cuMemcpy2D_v2(const Copy2D* c) { return copy(c, nullptr, true); }
int cuMemcpy2DUnaligned_v2(const Copy2D* c) { return copy(c, nullptr, true); }
int cuMemcpy2DAsync_v2(const Copy2D* c, Stream* stream) { return copy(c, stream, false); }
int cuMemcpy3D_v2(const DriverCopy3D* c) { return c ? copy(*c, nullptr, true) : kInvalidValue; }
int cuMemcpy3DAsync_v2(const DriverCopy3D* c, Stream* stream) {
  return c ? copy(*c, stream, false) : kInvalidValue;
}
int cuMemcpyHtoA_v2(Array* to, std::size_t offset, const void* from, std::size_t bytes) {
  return copy_line(to, offset, const_cast<void*>(from), bytes, true, nullptr, true);
}
int cuMemcpyHtoAAsync_v2(Array* to, std::size_t offset, const void* from, std::size_t bytes,
                         Stream* stream) {
  return copy_line(to, offset, const_cast<void*>(from), bytes, true, stream, false);
}
int cuMemcpyDtoA_v2(Array* to, std::size_t offset, Address from, std::size_t bytes) {
  return copy_line(to, offset, reinterpret_cast<void*>(from), bytes, true, nullptr, true);
}
int cuMemcpyAtoH_v2(void* to, Array* from, std::size_t offset, std::size_t bytes) {
  return copy_line(from, offset, to, bytes, false, nullptr, true);
}
int cuMemcpyAtoHAsync_v2(void* to, Array* from, std::size_t offset, std::size_t bytes,
                         Stream* stream) {
  return copy_line(from, offset, to, bytes, false, stream, false);
}
int cuMemcpyAtoD_v2(Address to, Array* from, std::size_t offset, std::size_t bytes) {
  return copy_line(from, offset, reinterpret_cast<void*>(to), bytes, false, nullptr, true);
}
int cuMemcpyAtoA_v2(Array* to, std::size_t to_offset, Array* from, std::size_t from_offset,
                    std::size_t bytes) {
  DriverCopy3D c{};
  c.from.type = c.to.type = kPlaceArray;
  c.from.array = from, c.from.x = from_offset;
  c.to.array = to, c.to.x = to_offset;
  c.width = bytes, c.height = c.depth = 1;
  return copy(c, nullptr, true);
}

int cuTexObjectCreate(Address* out, const DriverResource* resource, const DriverTexture* texture,
                      const ResourceView* view) {
  ResourceDescription r{};
  if (!out || !resource || !texture || !to_resource(*resource, r)) return kInvalidValue;
  const ChannelFormat format = format_of(r);
  TextureDescription t{};
  std::memcpy(t.address_mode, texture->address_mode, sizeof t.address_mode);
  t.filter = texture->filter;
  // Integers of 8 and 16 bits become fractions unless the flag says otherwise.
  t.read_mode =
      (texture->flags & kReadAsInteger) || format.kind == kChannelFloat || format.x == 32 ? 0 : 1;
  t.srgb = (texture->flags & kSrgb) != 0;
  std::memcpy(t.border, texture->border, sizeof t.border);
  t.normalised_coordinates = (texture->flags & kNormalisedCoordinates) != 0;
  t.max_anisotropy = texture->max_anisotropy, t.mipmap_filter = texture->mipmap_filter;
  t.mipmap_bias = texture->mipmap_bias, t.mipmap_min = texture->mipmap_min,
  t.mipmap_max = texture->mipmap_max;
  t.no_trilinear_optimisation = (texture->flags & kNoTrilinearOptimisation) != 0;
  t.seamless_cubemap = (texture->flags & kSeamlessCubemap) != 0;
  return cudaCreateTextureObject(out, &r, &t, view);
}
int cuTexObjectDestroy(Address object) { return cudaDestroyTextureObject(object); }
int cuTexObjectGetResourceDesc(DriverResource* out, Address object) {
  ResourceDescription r{};
  if (!out) return kInvalidValue;
  const int code = cudaGetTextureObjectResourceDesc(&r, object);
  if (code == 0) from_resource(r, *out);
  return code;
}
int cuSurfObjectCreate(Address* out, const DriverResource* resource) {
  ResourceDescription r{};
  if (!out || !resource || !to_resource(*resource, r)) return kInvalidValue;
  return cudaCreateSurfaceObject(out, &r);
}
int cuSurfObjectDestroy(Address object) { return cudaDestroySurfaceObject(object); }
int cuSurfObjectGetResourceDesc(DriverResource* out, Address object) {
  return cuTexObjectGetResourceDesc(out, object);
}

}  // extern "C"
