// libcuda.so.1: how kernels were launched before CUDA 4 (a function is told its block and its
// parameters first), which PyCUDA still does; profilers' switches; the driver's log, into which
// nothing is written here.
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulate/cudart/driver_calls.hpp"

using namespace warpmem::cudart;

namespace {

constexpr int kInvalidValue = 1, kInvalidContext = 201;

struct Prepared {
  Dim block{1, 1, 1};
  unsigned shared = 0;
  std::vector<std::byte> parameters;
};
struct Functions {
  std::mutex mutex;
  std::unordered_map<void*, Prepared> all;
};
Functions& functions() {
  static auto* all = new Functions;
  return *all;
}
template <class F>
int prepare(void* function, F&& body) {
  if (!function) return kInvalidValue;
  const std::lock_guard lock(functions().mutex);
  body(functions().all[function]);
  return 0;
}

int set_parameter(void* function, int offset, const void* value, std::size_t bytes) {
  if (offset < 0 || !value) return kInvalidValue;
  return prepare(function, [&](Prepared& p) {
    const auto at = static_cast<std::size_t>(offset);
    if (p.parameters.size() < at + bytes) p.parameters.resize(at + bytes);
    std::memcpy(p.parameters.data() + at, value, bytes);
  });
}

int launch(void* function, int width, int height, Stream* stream) {
  if (width <= 0 || height <= 0) return kInvalidValue;
  Prepared p;
  if (const int code = prepare(function, [&](const Prepared& known) { p = known; }); code != 0)
    return code;
  std::size_t bytes = p.parameters.size();
  // CU_LAUNCH_PARAM_BUFFER_POINTER, …_SIZE, …_END
  void* extra[] = {reinterpret_cast<void*>(1), p.parameters.data(), reinterpret_cast<void*>(2),
                   &bytes, nullptr};
  return cuLaunchKernel(function, static_cast<unsigned>(width), static_cast<unsigned>(height), 1,
                        p.block.x, p.block.y, p.block.z, p.shared, stream, nullptr, extra);
}

}  // namespace

extern "C" {

int cuFuncSetBlockShape(void* function, int x, int y, int z) {
  if (x <= 0 || y <= 0 || z <= 0) return kInvalidValue;
  return prepare(function, [&](Prepared& p) {
    p.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
  });
}
int cuFuncSetSharedSize(void* function, unsigned bytes) {
  return prepare(function, [&](Prepared& p) { p.shared = bytes; });
}
int cuParamSetSize(void* function, unsigned bytes) {
  return prepare(function, [&](Prepared& p) { p.parameters.resize(bytes); });
}
int cuParamSeti(void* function, int offset, unsigned value) {
  return set_parameter(function, offset, &value, sizeof value);
}
int cuParamSetf(void* function, int offset, float value) {
  return set_parameter(function, offset, &value, sizeof value);
}
int cuParamSetv(void* function, int offset, const void* value, unsigned bytes) {
  return set_parameter(function, offset, value, bytes);
}
int cuLaunch(void* function) { return launch(function, 1, 1, nullptr); }
int cuLaunchGrid(void* function, int width, int height) {
  return launch(function, width, height, nullptr);
}
int cuLaunchGridAsync(void* function, int width, int height, Stream* stream) {
  return launch(function, width, height, stream);
}

// The trace has it all: what is between these calls is not set apart.
int cuProfilerInitialize(const char*, const char*, int) { return 0; }
int cuProfilerStart() { return 0; }
int cuProfilerStop() { return 0; }

int cuLogsRegisterCallback(void* callback, void*, void** handle) {
  static char registered;
  if (!callback) return kInvalidValue;
  if (handle) *handle = &registered;
  return 0;
}
int cuLogsUnregisterCallback(void* handle) { return handle ? 0 : kInvalidValue; }
int cuLogsCurrent(unsigned* iterator, unsigned) {
  return iterator ? (*iterator = 0, 0) : kInvalidValue;
}
int cuLogsDumpToMemory(unsigned*, char* buffer, std::size_t* bytes, unsigned) {
  if (!bytes) return kInvalidValue;
  if (buffer && *bytes > 0) *buffer = 0;
  return *bytes = 0, 0;
}

// CUDA 13's, which name a context where there was the current one.
int cuCtxGetDevice_v2(int* device, void* context) {
  void* known = nullptr;
  cuDevicePrimaryCtxRetain(&known, 0);
  if (!device) return kInvalidValue;
  return context && context != known ? kInvalidContext : (*device = 0, 0);
}
int cuCtxSynchronize_v2(void*) { return cudaDeviceSynchronize(); }
int cuStreamGetCtx_v2(Stream*, void** context, void** green) {
  if (green) *green = nullptr;
  return context ? cuDevicePrimaryCtxRetain(context, 0) : kInvalidValue;
}

// One GPU: it is nobody's peer, and its host does no atomics on its memory.
int cuDeviceGetP2PAttribute(int* value, int, int first, int second) {
  if (!value) return kInvalidValue;
  constexpr int kInvalidDevice = 101;
  return first != 0 || second != 0 || first == second ? kInvalidDevice : 0;
}
int cuDeviceGetHostAtomicCapabilities(unsigned* capabilities, const int* operations, unsigned count,
                                      int device) {
  if (!capabilities || !operations || device != 0) return kInvalidValue;
  for (unsigned i = 0; i < count; ++i) capabilities[i] = 0;
  return 0;
}
int cuMemGetDefaultMemPool(Pool** pool, MemoryLocation*, int) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}
int cuMemGetMemPool(Pool** pool, MemoryLocation*, int) { return cudaDeviceGetMemPool(pool, 0); }
int cuMemSetMemPool(MemoryLocation*, int, Pool* pool) { return cudaDeviceSetMemPool(0, pool); }

}  // extern "C"
