// Stream-ordered allocation and its pools.
#include <algorithm>
#include <cstring>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/graph.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

// cudaMemPoolAttr
enum PoolAttribute : int {
  kFollowEvents = 1,
  kOpportunistic = 2,
  kInternal = 3,
  kReleaseThreshold = 4,
  kReserved = 5,
  kReservedHigh = 6,
  kUsed = 7,
  kUsedHigh = 8
};

template <class F>
Code with_pool(Pool* pool, F&& body) {
  return api([&](Runtime& r) {
    return pool == &r.default_pool || r.pools.contains(pool) ? body(r, *pool) : kInvalidValue;
  });
}

Code allocate(void** out, std::size_t bytes, Pool* pool, Stream* handle) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!out) return kInvalidValue;
    if (!pool) pool = r.current_pool ? r.current_pool : &r.default_pool;
    if (pool != &r.default_pool && !r.pools.contains(pool)) return kInvalidValue;
    *out = nullptr;
    if (bytes == 0) return kSuccess;
    if (stream->capture) {
      AllocParams params{};
      params.pool = pool->properties, params.bytes = bytes;
      if (const Code code = make_allocation(r, params); code != kSuccess) return code;
      *out = params.pointer;
      return submit(r, *stream, params);
    }
    const std::uint64_t at = allocate_from(r, *pool, bytes);
    if (at == 0) return kMemoryAllocation;
    *out = reinterpret_cast<void*>(at);
    return kSuccess;
  });
}

}  // namespace

extern "C" {

int cudaMallocAsync(void** pointer, std::size_t bytes, Stream* stream) {
  return allocate(pointer, bytes, nullptr, stream);
}
int cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, Pool* pool, Stream* stream) {
  return pool ? allocate(pointer, bytes, pool, stream) : remember(kInvalidValue);
}
int cudaFreeAsync(void* pointer, Stream* handle) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!pointer) return kSuccess;
    const emulate::Region* region = r.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    if (region && region->kind == trace::AllocationKind::kManaged) return kNotSupported;
    return stream->capture ? submit(r, *stream, FreeMemory{pointer}) : free_to_pool(r, pointer);
  });
}

int cudaMemPoolCreate(Pool** out, const PoolProperties* properties) {
  return api([&](Runtime& r) {
    if (!out || !properties || properties->allocation_type != 1) return kInvalidValue;
    if (properties->handle_types != 0) return kNotSupported;
    *out = *r.pools.insert(new Pool).first;
    (*out)->properties = *properties;
    return kSuccess;
  });
}
int cudaMemPoolDestroy(Pool* pool) {
  return api([&](Runtime& r) {
    if (r.pools.erase(pool) == 0) return kInvalidValue;
    if (r.current_pool == pool) r.current_pool = nullptr;
    for (auto& [at, owner] : r.pool_of)
      if (owner == pool) owner = &r.default_pool;
    delete pool;
    return kSuccess;
  });
}
int cudaMemPoolTrimTo(Pool* pool, std::size_t) {
  return with_pool(pool, [](Runtime&, Pool&) { return kSuccess; });
}
int cudaMemPoolSetAttribute(Pool* pool, int which, void* value) {
  return with_pool(pool, [&](Runtime&, Pool& p) {
    if (!value || which < kFollowEvents || which > kUsedHigh) return kInvalidValue;
    if (which == kReserved || which == kUsed) return kInvalidValue;
    if (which == kUsedHigh || which == kReservedHigh) return p.high = p.used, kSuccess;
    unsigned long long v = 0;
    std::memcpy(&v, value, which == kReleaseThreshold ? 8 : 4);
    p.attributes[which] = v;
    return kSuccess;
  });
}
int cudaMemPoolGetAttribute(Pool* pool, int which, void* value) {
  return with_pool(pool, [&](Runtime&, Pool& p) {
    if (!value || which < kFollowEvents || which > kUsedHigh) return kInvalidValue;
    const bool high = which == kReservedHigh || which == kUsedHigh;
    const auto set = p.attributes.find(which);
    unsigned long long v = which >= kReserved           ? (high ? p.high : p.used)
                           : set != p.attributes.end()  ? set->second
                           : which == kReleaseThreshold ? 0
                                                        : 1;
    std::memcpy(value, &v, which >= kReleaseThreshold ? 8 : 4);
    return kSuccess;
  });
}
int cudaMemPoolSetAccess(Pool* pool, const AccessDescription* access, std::size_t count) {
  return with_pool(
      pool, [&](Runtime&, Pool&) { return access || count == 0 ? kSuccess : kInvalidValue; });
}
int cudaMemPoolGetAccess(int* flags, Pool* pool, MemoryLocation* location) {
  return with_pool(pool, [&](Runtime&, Pool&) {
    if (!flags || !location) return kInvalidValue;
    *flags = location->type == 1 && location->id == 0 ? 3 : 0;
    return kSuccess;
  });
}
int cudaDeviceGetDefaultMemPool(Pool** pool, int device) {
  return api([&](Runtime& r) {
    return !pool         ? kInvalidValue
           : device != 0 ? kInvalidDevice
                         : (*pool = &r.default_pool, kSuccess);
  });
}
int cudaDeviceGetMemPool(Pool** pool, int device) {
  return api([&](Runtime& r) {
    return !pool         ? kInvalidValue
           : device != 0 ? kInvalidDevice
                         : (*pool = r.current_pool ? r.current_pool : &r.default_pool, kSuccess);
  });
}
int cudaDeviceSetMemPool(int device, Pool* pool) {
  if (device != 0) return remember(kInvalidDevice);
  return with_pool(pool, [&](Runtime& r, Pool& p) { return r.current_pool = &p, kSuccess; });
}

}  // extern "C"

WARPMEM_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
WARPMEM_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);
WARPMEM_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);
