// Allocation: device, pitched, pinned, managed; what a pointer is.
#include <algorithm>
#include <cstring>
#include <vector>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/graph.hpp"

using namespace warpmem;
using namespace warpmem::cudart;
using trace::AllocationKind;

namespace {

constexpr std::size_t kPitch = 512;

// The capture that no thread, or not this one, may allocate beside, as the program asked for.
Capture* strict_capture(Runtime& r) {
  constexpr int kGlobal = 0, kThread = 1, kRelaxed = 2;
  if (thread_state().capture_mode == kRelaxed) return nullptr;
  for (const Stream* s : r.streams)
    if (Capture* c = s->capture.get())
      if (c->mode == kGlobal || (c->mode == kThread && c->thread == std::this_thread::get_id()))
        return c;
  return nullptr;
}

Code allocate(Runtime& r, void** out, std::size_t bytes, AllocationKind kind) {
  if (!out) return kInvalidValue;
  *out = nullptr;
  if (bytes == 0) return kSuccess;
  if (Capture* capture = strict_capture(r)) return capture->invalid = true, kCaptureUnsupported;
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

// The numbers of cudaMemRangeAttribute.
Code range_attribute(const Advice& advice, int which, void* data, std::size_t bytes) {
  enum {
    kReadMostly = 1,
    kPreferred,
    kAccessedBy,
    kPrefetched,
    kPreferredType,
    kPreferredId,
    kPrefetchedType,
    kPrefetchedId
  };
  const auto type = [](int id) { return id == Advice::kNowhere ? 0 : id < 0 ? 2 : 1; };
  if (which == kAccessedBy) {  // devices, then -2 to the end
    std::vector<int> all;
    if (advice.by_gpu) all.push_back(0);
    if (advice.by_host) all.push_back(-1);
    all.resize(bytes / 4, Advice::kNowhere);
    std::memcpy(data, all.data(), all.size() * 4);
    return kSuccess;
  }
  int value = 0;
  switch (which) {
    case kReadMostly: value = advice.read_mostly ? 1 : 0; break;
    case kPreferred:
    case kPreferredId: value = advice.preferred; break;
    case kPrefetched:
    case kPrefetchedId: value = advice.prefetched; break;
    case kPreferredType: value = type(advice.preferred); break;
    case kPrefetchedType: value = type(advice.prefetched); break;
    default: return kInvalidValue;
  }
  std::memcpy(data, &value, sizeof value);
  return kSuccess;
}

}  // namespace

extern "C" {

int cudaMalloc(void** pointer, std::size_t bytes) {
  return api([&](Runtime& r) { return allocate(r, pointer, bytes, AllocationKind::kDevice); });
}
int cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    if (flags != 1 && flags != 2) return kInvalidValue;
    const Code code = allocate(r, pointer, bytes, AllocationKind::kManaged);
    if (code == kSuccess) r.advice.erase(reinterpret_cast<std::uint64_t>(*pointer));
    return code;
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
    out->type = 0,
    out->device_pointer = out->host_pointer = nullptr;  // CUDA 12 has nothing behind these
    out->device = -2;                                   // as CUDA says of memory it does not know
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

// For cuBLAS and its like: what is worth knowing where all is well.
void __cudaNote(const char* text) {
  if (Runtime* r = runtime()) r->session.note_once(text);
}

int cudaMemRangeGetAttribute(void* data, std::size_t bytes, int which, const void* pointer,
                             std::size_t) {
  return api([&](Runtime& r) {
    const emulate::Region* region = r.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    if (!data || bytes < 4 || !region || region->kind != AllocationKind::kManaged)
      return kInvalidValue;
    const auto found = r.advice.find(region->base);
    return range_attribute(found == r.advice.end() ? Advice{} : found->second, which, data, bytes);
  });
}
int cudaMemRangeGetAttributes(void** data, std::size_t* bytes, int* which, std::size_t count,
                              const void* pointer, std::size_t size) {
  if (!data || !bytes || !which || count == 0) return remember(kInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (const int code = cudaMemRangeGetAttribute(data[i], bytes[i], which[i], pointer, size);
        code != kSuccess)
      return code;
  return kSuccess;
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
