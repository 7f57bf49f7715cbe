// The driver calls that programs reach through the runtime: tensor maps are here.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/runtime.hpp"
#include "emulate/executor/tensor_map.hpp"

using namespace warpmem;
using namespace warpmem::cudart;
using emulate::TensorMap;

namespace {

constexpr int kDriverInvalidValue = 1;

struct TensorShape {
  unsigned type, rank;
  void* address;
  const std::uint64_t* sizes;
  const std::uint64_t* strides;
  const std::uint32_t* element_strides;
  int interleave, swizzle, fill;
};

// What the driver's documentation demands of a tensor map, and nothing of it silently.
bool fill_map(const TensorShape& s, TensorMap& map) {
  if (s.type > 12 || s.rank < 1 || s.rank > 5 || !s.sizes || !s.element_strides ||
      (s.rank > 1 && !s.strides))
    return false;
  if (s.interleave < 0 || s.interleave > 2 || s.swizzle < 0 || s.swizzle > 6 || s.fill < 0 ||
      s.fill > 1)
    return false;
  const auto base = reinterpret_cast<std::uint64_t>(s.address);
  const std::uint64_t align = s.interleave == 2 ? 32 : 16;
  if (base % align != 0) return false;
  map.type = static_cast<std::uint8_t>(s.type), map.rank = static_cast<std::uint8_t>(s.rank),
  map.base = base;
  map.interleave = static_cast<std::uint8_t>(s.interleave),
  map.swizzle = static_cast<std::uint8_t>(s.swizzle),
  map.nan_fill = static_cast<std::uint8_t>(s.fill);
  for (unsigned i = 0; i < s.rank; ++i) {
    if (s.sizes[i] == 0 || s.sizes[i] > (std::uint64_t{1} << 32) || s.element_strides[i] == 0 ||
        s.element_strides[i] > 8)
      return false;
    map.last[i] = static_cast<std::uint32_t>(s.sizes[i] - 1),
    map.element_stride[i] = static_cast<std::uint8_t>(s.element_strides[i]);
    if (i + 1 == s.rank) break;
    if (s.strides[i] % align != 0 || s.strides[i] >= (std::uint64_t{1} << 40)) return false;
    map.stride[i] = s.strides[i];
  }
  return true;
}

int give(TensorMap map, void* out) {
  map.seal = map.sum();
  std::memcpy(out, &map, sizeof map);
  return 0;
}

int encode_tiled(void* out, unsigned type, unsigned rank, void* address, const std::uint64_t* sizes,
                 const std::uint64_t* strides, const std::uint32_t* box,
                 const std::uint32_t* element_strides, int interleave, int swizzle, int, int fill) {
  TensorMap map;
  if (!out || !box ||
      !fill_map({type, rank, address, sizes, strides, element_strides, interleave, swizzle, fill},
                map))
    return kDriverInvalidValue;
  for (unsigned i = 0; i < rank; ++i) {
    if (box[i] == 0 || box[i] > 256) return kDriverInvalidValue;
    map.box[i] = static_cast<std::uint16_t>(box[i]);
  }
  const std::uint32_t row = box[0] * map.element_bytes();
  constexpr std::uint32_t kSpan[] = {0, 32, 64, 128, 128, 128, 128};
  if (interleave == 0 && (row % 16 != 0 || (swizzle != 0 && row > kSpan[swizzle])))
    return kDriverInvalidValue;
  return give(map, out);
}

int encode_im2col(void* out, unsigned type, unsigned rank, void* address,
                  const std::uint64_t* sizes, const std::uint64_t* strides, const int* lower,
                  const int* upper, unsigned channels, unsigned pixels,
                  const std::uint32_t* element_strides, int interleave, int swizzle, int,
                  int fill) {
  TensorMap map;
  if (!out || !lower || !upper || rank < 3 || channels > 256 || pixels > 1024 ||
      !fill_map({type, rank, address, sizes, strides, element_strides, interleave, swizzle, fill},
                map))
    return kDriverInvalidValue;
  map.im2col = 1, map.channels = static_cast<std::uint16_t>(channels),
  map.pixels = static_cast<std::uint16_t>(pixels);
  for (unsigned i = 0; i + 2 < rank; ++i)
    map.lower[i] = static_cast<std::int16_t>(lower[i]),
    map.upper[i] = static_cast<std::int16_t>(upper[i]);
  return give(map, out);
}

int replace_address(void* map, void* address) {
  TensorMap changed;
  std::memcpy(&changed, map, sizeof changed);
  changed.base = reinterpret_cast<std::uint64_t>(address);
  return give(changed, map);
}

// Calls of which the driver has several versions: since which of CUDA's each is the one that is
// meant.
struct Version {
  std::string_view name;
  unsigned since;
  const char* function;
};
constexpr Version kVersions[] = {
#define VERSION(name, since, function) {#name, since, #function},
#include "emulate/names/versions.inc"
};

// This library has the driver's calls under its private names.
void* own_library() {
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&own_library), &own) == 0) return nullptr;
  return dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void* find_in_driver(const char* name, unsigned version) {
  static void* const library = own_library();
  if (!library) return nullptr;
  const char* function = name;
  bool first = true;  // the oldest, for who asks for one that is older still
  for (const Version& v : kVersions) {
    if (v.name != name) continue;
    if (first || v.since <= version) function = v.function;
    first = false;
  }
  return dlsym(library, (std::string("warpmem_") + function).c_str());
}

void* find_driver_call(std::string_view name) {
  if (name == "cuTensorMapEncodeTiled") return reinterpret_cast<void*>(encode_tiled);
  if (name == "cuTensorMapEncodeIm2col") return reinterpret_cast<void*>(encode_im2col);
  if (name == "cuTensorMapReplaceAddress") return reinterpret_cast<void*>(replace_address);
  return nullptr;
}

Code find(const char* name, void** out, unsigned version, int* status) {
  return api([&](Runtime&) {
    if (!name || !out) return kInvalidValue;
    *out = find_driver_call(name);
    if (!*out) *out = find_in_driver(name, version);
    if (status)
      *status = *out ? 0 : 1;  // cudaDriverEntryPointSymbolNotFound: no driver of today has it
    return *out || status ? kSuccess : kSymbolNotFound;
  });
}

}  // namespace

extern "C" {

int cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long, int* status) {
  return find(name, out, runtime_version(), status);
}
int cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned version,
                                     unsigned long long, int* status) {
  return find(name, out, version, status);
}

}  // extern "C"
