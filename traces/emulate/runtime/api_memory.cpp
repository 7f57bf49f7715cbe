// Allocation: device, pitched, pinned, managed; what a pointer is.
#include <algorithm>
#include <cstring>

#include "traces/emulate/runtime/alias.hpp"
#include "traces/emulate/runtime/graph.hpp"

using namespace warpmem;
using namespace warpmem::cudart;
using trace::AllocationKind;

namespace {

constexpr std::size_t kPitch = 512;

Code allocate(Runtime& r, void** out, std::size_t bytes, AllocationKind kind) {
  if (!out) return kInvalidValue;
  *out = nullptr;
  if (bytes == 0) return kSuccess;
  const std::uint64_t at = r.memory.allocate(bytes, kind);
  if (at == 0) return kMemoryAllocation;
  *out = reinterpret_cast<void*>(at);
  return kSuccess;
}

Code allocate_host(void** out, std::size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    const Code code = allocate(r, out, bytes, AllocationKind::kHost);
    if (code == kSuccess && *out) r.host_flags[reinterpret_cast<std::uint64_t>(*out)] = flags;
    return code;
  });
}

// Frees what `pointer` begins, when it is of that kind.
Code release(Runtime& r, void* pointer, bool host) {
  if (!pointer) return kSuccess;
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  const emulate::Region* region = r.memory.find(at);
  if (!region || region->base != at || region->adopted ||
      (region->kind == AllocationKind::kHost) != host)
    return kInvalidValue;
  r.host_flags.erase(at);
  return free_to_pool(r, pointer);
}

}  // namespace

extern "C" {

int cudaMalloc(void** pointer, std::size_t bytes) {
  return api([&](Runtime& r) { return allocate(r, pointer, bytes, AllocationKind::kDevice); });
}
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    if (bytes == 0 || (flags != 1 && flags != 2)) return kInvalidValue;
    return allocate(r, pointer, bytes, AllocationKind::kManaged);
  });
}
int cudaMallocHost(void** pointer, std::size_t bytes) { return allocate_host(pointer, bytes, 0); }
int cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags > 7) return remember(kInvalidValue);
  return allocate_host(pointer, bytes, flags);
}
int cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return api([&](Runtime& r) {
    if (!pointer || !pitch) return kInvalidValue;
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    return allocate(r, pointer, *pitch * height, AllocationKind::kDevice);
  });
}
int cudaMalloc3D(PitchedPointer* out, Extent extent) {
  return api([&](Runtime& r) {
    if (!out) return kInvalidValue;
    *out = {nullptr, (extent.width + kPitch - 1) / kPitch * kPitch, extent.width, extent.height};
    return allocate(r, &out->pointer, out->pitch * extent.height * extent.depth,
                    AllocationKind::kDevice);
  });
}
int cudaFree(void* pointer) {
  return api([&](Runtime& r) { return release(r, pointer, false); });
}
int cudaFreeHost(void* pointer) {
  return api([&](Runtime& r) { return release(r, pointer, true); });
}

int cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    if (!pointer || bytes == 0 || flags > 15) return kInvalidValue;
    const auto at = reinterpret_cast<std::uint64_t>(pointer);
    if (!r.memory.adopt(at, bytes, AllocationKind::kHost)) return kHostMemoryAlreadyRegistered;
    r.host_flags[at] = flags;
    return kSuccess;
  });
}
int cudaHostUnregister(void* pointer) {
  return api([&](Runtime& r) {
    if (!pointer) return kInvalidValue;
    const auto at = reinterpret_cast<std::uint64_t>(pointer);
    if (!r.memory.release(at)) return kHostMemoryNotRegistered;
    r.host_flags.erase(at);
    return kSuccess;
  });
}
int cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api([&](Runtime& r) {
    if (!device || !host || flags != 0) return kInvalidValue;
    const emulate::Region* region = r.memory.find(reinterpret_cast<std::uint64_t>(host));
    if (!region || region->kind != AllocationKind::kHost) return kInvalidValue;
    *device = host;
    return kSuccess;
  });
}
int cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&](Runtime& r) {
    const auto at = r.host_flags.find(reinterpret_cast<std::uint64_t>(host));
    if (!flags || at == r.host_flags.end()) return kInvalidValue;
    *flags = at->second | kHostAllocMapped;
    return kSuccess;
  });
}

int cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return api([&](Runtime& r) {
    if (free) *free = r.memory.limit() - std::min(r.memory.limit(), r.memory.used());
    if (total) *total = r.memory.limit();
    return kSuccess;
  });
}

int cudaPointerGetAttributes(PointerAttributes* out, const void* pointer) {
  return api([&](Runtime& r) {
    if (!out) return kInvalidValue;
    out->type = 0, out->device_pointer = out->host_pointer = nullptr;  // CUDA 12 has nothing behind these
    out->device = -2;  // as CUDA says of memory it does not know
    const emulate::Region* region = r.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    if (!region) return out->host_pointer = const_cast<void*>(pointer), kSuccess;
    out->device = 0;
    out->type = region->kind == AllocationKind::kHost      ? 1
                : region->kind == AllocationKind::kManaged ? 3
                                                           : 2;
    out->device_pointer = const_cast<void*>(pointer);
    if (out->type != 2) out->host_pointer = const_cast<void*>(pointer);
    return kSuccess;
  });
}

// For libcuda.so.1: not a call of the runtime, so that it leaves no last error.
int __cudaFindAllocation(const void* pointer, void** base, std::size_t* bytes) {
  Runtime* r = runtime();
  if (!r) return kInitialization;
  const std::lock_guard lock(r->mutex);
  const emulate::Region* region = r->memory.find(reinterpret_cast<std::uint64_t>(pointer));
  if (!region) return kInvalidValue;
  *base = reinterpret_cast<void*>(region->base), *bytes = region->bytes;
  return kSuccess;
}

int cudaMemRangeGetAttribute(void* data, std::size_t bytes, int which, const void* pointer,
                             std::size_t) {
  return api([&](Runtime& r) {
    const emulate::Region* region = r.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    if (!data || bytes < 4 || !region || region->kind != AllocationKind::kManaged)
      return kInvalidValue;
    std::memset(data, 0, bytes);
    const int unknown = -2;  // cudaInvalidDeviceId: no location was asked for
    if (which != 1)
      for (std::size_t i = 0; i + 4 <= bytes; i += 4)
        std::memcpy(static_cast<char*>(data) + i, &unknown, 4);
    return kSuccess;
  });
}

int cudaStreamAttachMemAsync(Stream* handle, void* pointer, std::size_t, unsigned) {
  return api([&](Runtime& r) {
    if (!r.stream(handle)) return kInvalidResourceHandle;
    const emulate::Region* region = r.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    return region && region->kind == AllocationKind::kManaged ? kSuccess : kInvalidValue;
  });
}

}  // extern "C"

WARPMEM_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);
