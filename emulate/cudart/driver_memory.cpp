// libcuda.so.1: what a pointer is, address ranges with memory mapped into them, pools, fills.
//
// Mapped memory: a reservation is an allocation of that size; what is mapped into it lies where it
// was mapped. A physical allocation that is taken away from one place and mapped at another brings
// its contents; mapped at two places at once it would have to be the same bytes, which this is not:
// that is refused.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "emulate/cudart/driver_calls.hpp"

using namespace warpmem::cudart;

namespace {

using Address = unsigned long long;
constexpr int kInvalidValue = 1, kNotMapped = 211, kNotSupported = 801;
constexpr std::size_t kGranularity = std::size_t{2} << 20;

void* host(Address a) { return reinterpret_cast<void*>(a); }

struct AllocationProperties {
  int type, handle_types;
  MemoryLocation location;
  void* windows;
  unsigned char flags[8];
};
struct Physical {
  AllocationProperties properties{};
  std::size_t bytes = 0;
  int references = 1;      // the program's own
  Address at = 0;          // where it is mapped; 0: nowhere
  std::vector<char> kept;  // its contents while it is mapped nowhere
};
struct Mapping {
  std::size_t bytes = 0, offset = 0;
  Physical* physical = nullptr;
};
struct Ranges {
  std::mutex mutex;
  std::map<Address, std::pair<std::size_t, void*>> reserved;  // bytes, the allocation it lies in
  std::map<Address, Mapping> mapped;
  std::map<Address, Physical*> physical;  // by handle
  Address next_handle = 0x1000;
};
Ranges& ranges() {
  static auto* all = new Ranges;
  return *all;
}

const std::pair<const Address, Mapping>* mapping_at(Ranges& r, Address address) {
  auto at = r.mapped.upper_bound(address);
  if (at == r.mapped.begin()) return nullptr;
  --at;
  return address - at->first < at->second.bytes ? &*at : nullptr;
}
bool is_reserved(Ranges& r, Address address, std::size_t bytes) {
  auto at = r.reserved.upper_bound(address);
  if (at == r.reserved.begin()) return false;
  --at;
  return bytes <= at->second.first && address - at->first <= at->second.first - bytes;
}
Physical* find_physical(Ranges& r, Address handle) {
  const auto at = r.physical.find(handle);
  return at == r.physical.end() ? nullptr : at->second;
}
void forget_if_unused(Ranges& r, Physical* p) {
  if (p->references > 0 || p->at != 0) return;
  for (auto at = r.physical.begin(); at != r.physical.end(); ++at)
    if (at->second == p) {
      r.physical.erase(at);
      break;
    }
  delete p;
}

int pointer_attribute(void* out, int which, Address address) {
  PointerAttributes a{};
  if (!out) return kInvalidValue;
  if (const int code = cudaPointerGetAttributes(&a, host(address)); code != 0) return code;
  void* base = nullptr;
  std::size_t bytes = 0;
  const bool known = __cudaFindAllocation(host(address), &base, &bytes) == 0;
  const auto give = [&](auto value) { return std::memcpy(out, &value, sizeof value), 0; };
  if (which == 13) return give(static_cast<char>(known));  // mapped
  if (!known || a.type == 0) return kInvalidValue;
  switch (which) {
    case 1: {  // context
      void* context = nullptr;
      cuCtxGetCurrent(&context);
      return give(context);
    }
    case 2: return give(a.type == 1 ? 1u : 2u);  // host, device
    case 3: return give(reinterpret_cast<Address>(a.device_pointer));
    case 4: return a.host_pointer ? give(a.host_pointer) : kInvalidValue;
    case 6: return give(false);
    case 7: return give(reinterpret_cast<Address>(base));  // an identity of the allocation
    case 8: return give(a.type == 3);
    case 9: return give(0);
    case 10: return give(false);
    case 11:
    case 19: return give(reinterpret_cast<Address>(base));
    case 12:
    case 18: return give(bytes);
    case 14: return give(0ull);
    case 15: return give(false);
    case 16: return give(3);  // read and write
    case 17: return give(static_cast<void*>(nullptr));
    default: return kInvalidValue;
  }
}

}  // namespace

// A graph of one node.
int warpmem::cudart::fill_2d(Address to, std::size_t pitch, unsigned value, unsigned element,
                             std::size_t width, std::size_t height, Stream* stream, bool waits) {
  Graph* graph = nullptr;
  GraphNode* node = nullptr;
  GraphExec* exec = nullptr;
  const SetParams params{host(to), pitch, value, element, width, height};
  if (width == 0 || height == 0) return 0;
  int code = cudaGraphCreate(&graph, 0);
  if (code == 0) code = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params);
  if (code == 0) code = cudaGraphInstantiate(&exec, graph, 0);
  if (code == 0) code = cudaGraphLaunch(exec, stream);
  if (exec) cudaGraphExecDestroy(exec);
  if (graph) cudaGraphDestroy(graph);
  return code != 0 || !waits ? code : cudaStreamSynchronize(stream);
}

extern "C" {

int cuPointerGetAttribute(void* out, int which, Address address) {
  return pointer_attribute(out, which, address);
}
int cuPointerGetAttributes(unsigned count, const int* which, void** out, Address address) {
  if (!which || !out) return kInvalidValue;
  for (unsigned i = 0; i < count; ++i)  // what is not known reads as nothing, and is no error
    if (pointer_attribute(out[i], which[i], address) != 0 && out[i]) {
      const bool wide = which[i] == 1 || which[i] == 3 || which[i] == 4 || which[i] == 7 ||
                        which[i] == 11 || which[i] == 12 || which[i] >= 17;
      if (which[i] == 9) std::memcpy(out[i], "\xfe\xff\xff\xff", 4);
      else std::memset(out[i], 0, wide ? 8 : which[i] == 2 ? 4 : 1);
    }
  return 0;
}
int cuPointerSetAttribute(const void*, int which, Address) {
  return which == 6 ? 0 : kInvalidValue;  // each call waits for what it does anyhow
}
int cuMemGetAddressRange_v2(Address* base, std::size_t* bytes, Address address) {
  void* first = nullptr;
  std::size_t size = 0;
  const int code = __cudaFindAllocation(host(address), &first, &size);
  if (code != 0) return code;
  if (base) *base = reinterpret_cast<Address>(first);
  if (bytes) *bytes = size;
  return 0;
}
int cuMemHostGetFlags(unsigned* flags, void* pointer) { return cudaHostGetFlags(flags, pointer); }

int cuMemGetAllocationGranularity(std::size_t* bytes, const AllocationProperties* properties, int) {
  return bytes && properties ? (*bytes = kGranularity, 0) : kInvalidValue;
}
int cuMemAddressReserve(Address* out, std::size_t bytes, std::size_t align, Address, Address) {
  if (!out || bytes == 0 || bytes % kGranularity != 0 || (align & (align - 1)) != 0)
    return kInvalidValue;
  const std::size_t step = std::max(align, kGranularity);
  void* pointer = nullptr;
  if (const int code = cudaMalloc(&pointer, bytes + step); code != 0) return code;
  *out = (reinterpret_cast<Address>(pointer) + step - 1) / step * step;
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  r.reserved[*out] = {bytes, pointer};
  return 0;
}
int cuMemAddressFree(Address address, std::size_t bytes) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  const auto at = r.reserved.find(address);
  if (at == r.reserved.end() || at->second.first != bytes) return kInvalidValue;
  const auto inside = r.mapped.lower_bound(address);
  if (inside != r.mapped.end() && inside->first - address < bytes) return kInvalidValue;
  void* pointer = at->second.second;
  r.reserved.erase(at);
  return cudaFree(pointer);
}
int cuMemCreate(Address* handle, std::size_t bytes, const AllocationProperties* properties,
                unsigned long long flags) {
  if (!handle || !properties || flags != 0 || bytes == 0 || bytes % kGranularity != 0)
    return kInvalidValue;
  std::size_t free = 0, total = 0;
  if (const int code = cudaMemGetInfo(&free, &total); code != 0) return code;
  if (bytes > total) return 2;  // out of memory
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  auto* p = new Physical;
  p->properties = *properties, p->bytes = bytes;
  *handle = r.next_handle++;
  r.physical[*handle] = p;
  return 0;
}
int cuMemRelease(Address handle) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  Physical* p = find_physical(r, handle);
  if (!p || p->references == 0) return kInvalidValue;
  --p->references;
  forget_if_unused(r, p);
  return 0;
}
int cuMemMap(Address address, std::size_t bytes, std::size_t offset, Address handle,
             unsigned long long flags) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  Physical* p = find_physical(r, handle);
  if (!p || flags != 0 || offset != 0 || bytes != p->bytes || address % kGranularity != 0 ||
      !is_reserved(r, address, bytes))
    return kInvalidValue;
  const auto next = r.mapped.lower_bound(address);
  if (mapping_at(r, address) || (next != r.mapped.end() && next->first - address < bytes))
    return kInvalidValue;
  if (p->at != 0) {
    std::fputs(
        "warpmem: cuMemMap: memory that is mapped at two addresses at once is not emulated\n",
        stderr);
    return kNotSupported;
  }
  if (!p->kept.empty()) std::memcpy(host(address), p->kept.data(), bytes);
  else std::memset(host(address), 0, bytes);
  p->kept = {};
  p->at = address;
  r.mapped[address] = {bytes, offset, p};
  return 0;
}
int cuMemUnmap(Address address, std::size_t bytes) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  while (bytes > 0) {
    const auto at = r.mapped.find(address);
    if (at == r.mapped.end() || at->second.bytes > bytes) return kInvalidValue;
    Physical* p = at->second.physical;
    const std::size_t size = at->second.bytes;
    if (p->references > 0) {
      const char* first = static_cast<const char*>(host(address));
      p->kept.assign(first, first + size);
    }
    p->at = 0;
    r.mapped.erase(at);
    forget_if_unused(r, p);
    address += size, bytes -= size;
  }
  return 0;
}
int cuMemSetAccess(Address address, std::size_t bytes, const void* access, std::size_t count) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  if (!access || count == 0) return kInvalidValue;
  for (std::size_t done = 0; done < bytes;) {
    const auto* m = mapping_at(r, address + done);
    if (!m) return kInvalidValue;
    done = m->first + m->second.bytes - address;
  }
  return 0;
}
int cuMemGetAccess(unsigned long long* flags, const MemoryLocation* location, Address address) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  if (!flags || !location || !mapping_at(r, address)) return kInvalidValue;
  *flags = 3;  // read and write
  return 0;
}
int cuMemRetainAllocationHandle(Address* handle, void* address) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  const auto* m = mapping_at(r, reinterpret_cast<Address>(address));
  if (!handle) return kInvalidValue;
  for (const auto& [number, physical] : r.physical)
    if (m && physical == m->second.physical) return ++physical->references, *handle = number, 0;
  return kNotMapped;
}
int cuMemGetAllocationPropertiesFromHandle(AllocationProperties* out, Address handle) {
  Ranges& r = ranges();
  const std::lock_guard lock(r.mutex);
  const Physical* p = find_physical(r, handle);
  return out && p ? (*out = p->properties, 0) : kInvalidValue;
}

int cuMemPoolCreate(Pool** out, const PoolProperties* properties) {
  return cudaMemPoolCreate(out, properties);
}
int cuMemPoolDestroy(Pool* pool) { return cudaMemPoolDestroy(pool); }
int cuMemPoolTrimTo(Pool* pool, std::size_t bytes) { return cudaMemPoolTrimTo(pool, bytes); }
int cuMemPoolSetAttribute(Pool* pool, int which, void* value) {
  return cudaMemPoolSetAttribute(pool, which, value);
}
int cuMemPoolGetAttribute(Pool* pool, int which, void* value) {
  return cudaMemPoolGetAttribute(pool, which, value);
}
int cuMemPoolSetAccess(Pool* pool, const AccessDescription* access, std::size_t count) {
  return cudaMemPoolSetAccess(pool, access, count);
}
int cuMemPoolGetAccess(int* flags, Pool* pool, MemoryLocation* location) {
  return cudaMemPoolGetAccess(flags, pool, location);
}
int cuDeviceGetDefaultMemPool(Pool** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
int cuDeviceGetMemPool(Pool** pool, int device) { return cudaDeviceGetMemPool(pool, device); }
int cuDeviceSetMemPool(int device, Pool* pool) { return cudaDeviceSetMemPool(device, pool); }
int cuMemAllocFromPoolAsync(Address* address, std::size_t bytes, Pool* pool, Stream* stream) {
  return cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream);
}

// Hints: there is one memory here. Managed memory alone takes them.
int cuMemAdvise(Address address, std::size_t bytes, int, int) {
  char managed = 0;
  void* base = nullptr;
  std::size_t all = 0;
  if (pointer_attribute(&managed, 8, address) != 0 || !managed ||
      __cudaFindAllocation(host(address), &base, &all) != 0)
    return kInvalidValue;
  const std::size_t before = address - reinterpret_cast<Address>(base);
  return bytes > 0 && bytes <= all - before ? 0 : kInvalidValue;
}
int cuMemAdvise_v2(Address address, std::size_t bytes, int advice, MemoryLocation) {
  return cuMemAdvise(address, bytes, advice, 0);
}
int cuMemPrefetchAsync(Address address, std::size_t bytes, int, Stream*) {
  return cuMemAdvise(address, bytes, 0, 0);
}
int cuMemPrefetchAsync_v2(Address address, std::size_t bytes, MemoryLocation, unsigned, Stream*) {
  return cuMemAdvise(address, bytes, 0, 0);
}
int cuMemRangeGetAttribute(void* data, std::size_t bytes, int which, Address address,
                           std::size_t count) {
  return cudaMemRangeGetAttribute(data, bytes, which, host(address), count);
}
int cuStreamAttachMemAsync(Stream* stream, Address address, std::size_t bytes, unsigned flags) {
  return cudaStreamAttachMemAsync(stream, host(address), bytes, flags);
}

int cuMemcpyPeer(Address to, void*, Address from, void*, std::size_t bytes) {
  return cudaMemcpy(host(to), host(from), bytes, kDeviceToDevice);
}
int cuMemcpyPeerAsync(Address to, void*, Address from, void*, std::size_t bytes, Stream* stream) {
  return cudaMemcpyAsync(host(to), host(from), bytes, kDeviceToDevice, stream);
}
int cuMemsetD16Async(Address to, unsigned short value, std::size_t count, Stream* stream) {
  return fill_2d(to, 0, value, 2, count, 1, stream, false);
}
int cuMemsetD2D8_v2(Address to, std::size_t pitch, unsigned char value, std::size_t width,
                    std::size_t height) {
  return fill_2d(to, pitch, value, 1, width, height, nullptr, true);
}
int cuMemsetD2D16_v2(Address to, std::size_t pitch, unsigned short value, std::size_t width,
                     std::size_t height) {
  return fill_2d(to, pitch, value, 2, width, height, nullptr, true);
}
int cuMemsetD2D32_v2(Address to, std::size_t pitch, unsigned value, std::size_t width,
                     std::size_t height) {
  return fill_2d(to, pitch, value, 4, width, height, nullptr, true);
}
int cuMemsetD2D8Async(Address to, std::size_t pitch, unsigned char value, std::size_t width,
                      std::size_t height, Stream* stream) {
  return fill_2d(to, pitch, value, 1, width, height, stream, false);
}
int cuMemsetD2D16Async(Address to, std::size_t pitch, unsigned short value, std::size_t width,
                       std::size_t height, Stream* stream) {
  return fill_2d(to, pitch, value, 2, width, height, stream, false);
}
int cuMemsetD2D32Async(Address to, std::size_t pitch, unsigned value, std::size_t width,
                       std::size_t height, Stream* stream) {
  return fill_2d(to, pitch, value, 4, width, height, stream, false);
}

}  // extern "C"
