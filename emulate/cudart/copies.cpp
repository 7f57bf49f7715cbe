#include "emulate/cudart/copies.hpp"

#include <algorithm>
#include <cstring>

namespace warpmem::cudart {
namespace {

struct Place {
  std::byte* first = nullptr;
  std::size_t pitch = 0, slice = 0;
};

// Whether the range is the device's, managed or pinned memory; and, when it lies in the device's
// range of addresses or in an allocation, that all of it is alive.
enum class Where { kHost, kDevice, kWrong };
Where where(Runtime& r, const std::byte* first, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(first);
  const emulate::Region* region = r.memory.find(at);
  if (!region)
    return at >= emulate::kMemoryBase && at < emulate::kMemoryBase + emulate::kMemoryBytes
               ? Where::kWrong
               : Where::kHost;
  const bool inside = bytes <= region->bytes - (at - region->base);
  if (region->adopted) return Where::kHost;  // the rest is the host's too
  if (!inside) return Where::kWrong;
  return region->kind == trace::AllocationKind::kHost ? Where::kHost : Where::kDevice;
}

Code place(Runtime& r, const Side& side, const Copy& copy, Place& out) {
  if (side.array) {
    if (!r.arrays.contains(side.array)) return kInvalidResourceHandle;
    const Array& a = *side.array;
    if (side.at.x + copy.width > a.extent.width * a.texel() || side.at.y + copy.height > a.rows() ||
        side.at.z + copy.depth > a.slices())
      return kInvalidValue;
    out.first =
        reinterpret_cast<std::byte*>(a.base) + side.at.x + side.at.y * a.row + side.at.z * a.slice;
    out.pitch = a.row, out.slice = a.slice;
    return kSuccess;
  }
  if (!side.pointer) return kInvalidValue;
  if ((copy.height > 1 || copy.depth > 1) && side.pitch < copy.width) return kInvalidPitchValue;
  out.pitch = side.pitch, out.slice = side.pitch * (side.rows ? side.rows : copy.height);
  out.first = side.pointer + side.at.x + side.at.y * side.pitch + side.at.z * out.slice;
  return kSuccess;
}

Code resolve(Runtime& r, const Copy& copy, Place& from, Place& to) {
  if (copy.kind < kHostToHost || copy.kind > kCopyDefault) return kInvalidMemcpyDirection;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return kSuccess;
  if (const Code code = place(r, copy.from, copy, from); code != kSuccess) return code;
  if (const Code code = place(r, copy.to, copy, to); code != kSuccess) return code;
  const auto span = [&](const Place& p) {
    return (copy.depth - 1) * p.slice + (copy.height - 1) * p.pitch + copy.width;
  };
  const Where a = copy.from.array ? Where::kDevice : where(r, from.first, span(from));
  const Where b = copy.to.array ? Where::kDevice : where(r, to.first, span(to));
  if (a == Where::kWrong || b == Where::kWrong) return kInvalidValue;
  // A plain host pointer where the direction promises the device's is an error on a GPU too.
  const bool from_device = copy.kind == kDeviceToHost || copy.kind == kDeviceToDevice;
  const bool to_device = copy.kind == kHostToDevice || copy.kind == kDeviceToDevice;
  const auto known = [&](const Place& p) {
    return r.memory.find(reinterpret_cast<std::uint64_t>(p.first)) != nullptr;
  };
  if (from_device && !copy.from.array && a == Where::kHost && !known(from)) return kInvalidValue;
  if (to_device && !copy.to.array && b == Where::kHost && !known(to)) return kInvalidValue;
  return kSuccess;
}

// Where the memory lies, as the link sees it.
host::Place place_of(Runtime& r, const Side& side, const std::byte* first) {
  if (side.array) return host::Place::kDevice;
  const emulate::Region* region = r.memory.find(reinterpret_cast<std::uint64_t>(first));
  if (!region) return host::Place::kPageable;
  switch (region->kind) {
    case trace::AllocationKind::kHost: {
      constexpr unsigned kWriteCombined = 4;
      const auto flags = r.host_flags.find(region->base);
      return flags != r.host_flags.end() && (flags->second & kWriteCombined)
                 ? host::Place::kWriteCombined
                 : host::Place::kPinned;
    }
    case trace::AllocationKind::kManaged: return host::Place::kManaged;
    default: return host::Place::kDevice;
  }
}

template <class T>
void fill_row(std::byte* to, std::size_t elements, unsigned value) {
  const T v = static_cast<T>(value);
  for (std::size_t i = 0; i < elements; ++i) std::memcpy(to + i * sizeof(T), &v, sizeof v);
}

}  // namespace

Copy flat_copy(void* to, const void* from, std::size_t bytes, CopyKind kind) {
  Copy copy;
  copy.to.pointer = static_cast<std::byte*>(to),
  copy.from.pointer = static_cast<std::byte*>(const_cast<void*>(from));
  copy.width = copy.to.pitch = copy.from.pitch = bytes;
  copy.kind = kind;
  return copy;
}

// Widths and x of a Copy3D count texels where an array is involved, else bytes.
Copy copy_of(const Copy3D& p) {
  const Array* array = p.source_array ? p.source_array : p.target_array;
  const std::size_t unit = array ? array->texel() : 1;
  Copy copy;
  copy.from = {p.source_array, static_cast<std::byte*>(p.source.pointer), p.source.pitch,
               p.source.ysize, p.source_position};
  copy.to = {p.target_array, static_cast<std::byte*>(p.target.pointer), p.target.pitch,
             p.target.ysize, p.target_position};
  if (p.source_array) copy.from.at.x *= p.source_array->texel();
  if (p.target_array) copy.to.at.x *= p.target_array->texel();
  copy.width = p.extent.width * unit, copy.height = p.extent.height, copy.depth = p.extent.depth;
  copy.kind = p.kind;
  return copy;
}

Copy3D parameters_of(const Copy& copy) {
  const Array* array = copy.from.array ? copy.from.array : copy.to.array;
  const std::size_t unit = array ? array->texel() : 1;
  Copy3D p{};
  p.source_array = copy.from.array, p.target_array = copy.to.array;
  p.source_position = copy.from.at, p.target_position = copy.to.at;
  if (copy.from.array) p.source_position.x /= unit;
  if (copy.to.array) p.target_position.x /= unit;
  p.source = {copy.from.pointer, copy.from.pitch, copy.from.pitch, copy.from.rows};
  p.target = {copy.to.pointer, copy.to.pitch, copy.to.pitch, copy.to.rows};
  p.extent = {copy.width / unit, copy.height, copy.depth};
  p.kind = copy.kind;
  return p;
}

Code check(Runtime& r, const Copy& copy) {
  Place from, to;
  return resolve(r, copy, from, to);
}

bool host_brings(Runtime& r, const Copy& copy) {
  return !copy.from.array && place_of(r, copy.from, copy.from.pointer) == host::Place::kPageable;
}

Code run(Runtime& r, Stream& stream, const Copy& copy) {
  Place from, to;
  if (const Code code = resolve(r, copy, from, to); code != kSuccess) return code;
  if (!from.first || !to.first) return kSuccess;
  for (std::size_t z = 0; z < copy.depth; ++z)
    for (std::size_t y = 0; y < copy.height; ++y)
      std::memmove(to.first + z * to.slice + y * to.pitch,
                   from.first + z * from.slice + y * from.pitch, copy.width);
  host::Operation what;
  what.step = host::Step::kCopy;
  what.from = place_of(r, copy.from, from.first), what.to = place_of(r, copy.to, to.first);
  what.bytes = copy.width * copy.height * copy.depth;
  what.rows =
      copy.width == from.pitch && copy.width == to.pitch ? copy.depth : copy.height * copy.depth;
  r.issue(stream, what);
  return kSuccess;
}

Code check(Runtime& r, const Fill& fill) {
  if (fill.width == 0 || fill.height == 0 || fill.depth == 0) return kSuccess;
  const std::size_t row = fill.width * fill.element_bytes;
  if (fill.element_bytes != 1 && fill.element_bytes != 2 && fill.element_bytes != 4)
    return kInvalidValue;
  if ((fill.height > 1 || fill.depth > 1) && fill.pitch < row) return kInvalidValue;
  const std::size_t slice = fill.pitch * std::max(fill.rows, fill.height);
  const auto at = reinterpret_cast<std::uint64_t>(fill.pointer);
  const emulate::Region* region = r.memory.find(at);
  if (!region) return kInvalidValue;
  if ((fill.depth - 1) * slice + (fill.height - 1) * fill.pitch + row >
      region->bytes - (at - region->base))
    return kInvalidValue;
  return kSuccess;
}

Code run(Runtime& r, Stream& stream, const Fill& fill) {
  if (const Code code = check(r, fill); code != kSuccess) return code;
  const std::size_t slice = fill.pitch * std::max(fill.rows, fill.height);
  for (std::size_t z = 0; z < fill.depth; ++z)
    for (std::size_t y = 0; y < fill.height; ++y) {
      std::byte* to = fill.pointer + z * slice + y * fill.pitch;
      if (fill.element_bytes == 1) std::memset(to, static_cast<int>(fill.value), fill.width);
      else if (fill.element_bytes == 2) fill_row<std::uint16_t>(to, fill.width, fill.value);
      else fill_row<std::uint32_t>(to, fill.width, fill.value);
    }
  host::Operation what;
  what.step = host::Step::kFill;
  what.bytes = fill.width * fill.element_bytes * fill.height * fill.depth;
  what.rows = fill.height * fill.depth;
  r.issue(stream, what);
  return kSuccess;
}

}  // namespace warpmem::cudart
