// The device, errors, versions and limits.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/runtime.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

Code need_device(int device) { return device == 0 ? kSuccess : kInvalidDevice; }

Code gpu_is_there() {
  const Runtime* r = runtime();
  return !r ? kInitialization : r->visible ? kSuccess : kNoDevice;
}

constexpr int kHeapLimit = 2;

// Limits that change nothing here; null: it does, such as the stack of machine code.
const char* not_obeyed(int which, bool machine_code) {
  switch (which) {
    case 0:
      if (machine_code) return nullptr;
      return "cudaLimitStackSize changes nothing: each thread has the stack that its PTX needs";
    case 1: return "cudaLimitPrintfFifoSize changes nothing: no line that a kernel prints is lost";
    case 3: return "cudaLimitDevRuntimeSyncDepth changes nothing: kernels may wait at any depth";
    case 4:
      return "cudaLimitDevRuntimePendingLaunchCount changes nothing: any number of launches may "
             "wait";
    default: return nullptr;
  }
}

// cudaLimit: stack, printf buffer, malloc heap, …, L2 fetch granularity, persisting L2.
std::size_t usual_limit(int which) {
  switch (which) {
    case 0: return 1024;
    case 1: return 1u << 20;
    case kHeapLimit: return emulate::kHeapBytes;
    case 3: return 2;
    case 4: return 2048;
    case 5: return 64;
    default: return 0;
  }
}

}  // namespace

extern "C" {

// These three work after a fault as well.
int cudaGetDeviceCount(int* count) {
  const Code there = gpu_is_there();
  if (!count) return remember(kInvalidValue);
  *count = there == kSuccess ? 1 : 0;
  return remember(there);
}
int cudaGetDevice(int* device) {
  if (const Code there = gpu_is_there(); there != kSuccess) return remember(there);
  return remember(device ? (*device = 0, kSuccess) : kInvalidValue);
}
int cudaSetDevice(int device) {
  const Code there = gpu_is_there();
  return remember(there != kSuccess ? there : need_device(device));
}
int cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
int cudaSetValidDevices(int* devices, int count) {
  return api([&](Runtime&) {
    return count < 0 || (count > 0 && !devices) ? kInvalidValue
           : count > 0                          ? need_device(devices[0])
                                                : kSuccess;
  });
}
int cudaChooseDevice(int* device, const void* properties) {
  return api(
      [&](Runtime&) { return device && properties ? (*device = 0, kSuccess) : kInvalidValue; });
}
int cudaSetDeviceFlags(unsigned flags) {
  return api([&](Runtime& r) { return r.device_flags = flags | 8u, kSuccess; });
}
int cudaGetDeviceFlags(unsigned* flags) {
  return api(
      [&](Runtime& r) { return flags ? (*flags = r.device_flags, kSuccess) : kInvalidValue; });
}
int cudaDeviceGetAttribute(int* value, int which, int device) {
  return api([&](Runtime& r) {
    if (!value) return kInvalidValue;
    if (const Code code = need_device(device); code != kSuccess) return code;
    const auto found = attribute(r.device(), which);
    if (!found) return kInvalidValue;
    *value = *found;
    return kSuccess;
  });
}
int cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return api([&](Runtime&) {
    if (!id || length < 1) return kInvalidValue;
    if (const Code code = need_device(device); code != kSuccess) return code;
    std::snprintf(id, static_cast<std::size_t>(length), "0000:00:00.0");
    return kSuccess;
  });
}
int cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return api([&](Runtime&) {
    if (!device || !id) return kInvalidValue;
    if (std::strcmp(id, "0000:00:00.0") != 0) return kInvalidDevice;
    *device = 0;
    return kSuccess;
  });
}

int cudaDeviceSynchronize() {
  return api([](Runtime& r) {
    for (const Stream* s : r.streams)
      if (s->capture) return s->capture->invalid = true, kCaptureUnsupported;
    r.synchronise();
    return kSuccess;
  });
}
// The device's memory and a sticky error go; the registered code and the trace stay.
int cudaDeviceReset() {
  Runtime* r = runtime();
  if (!r) return remember(kInitialization);
  const std::lock_guard lock(r->mutex);
  r->synchronise();
  r->sticky = kSuccess;
  thread_state().last = kSuccess;
  for (const trace::Allocation& a : r->memory.allocations())
    if (const emulate::Region* region = r->memory.find(a.base); region && !region->adopted)
      r->memory.free(a.base);
  r->pool_of.clear();
  r->graph_memory.clear();
  r->host_flags.clear();
  r->limits.clear();
  r->memory.set_heap(emulate::kHeapBytes);
  return kSuccess;
}

// A fault is among them once another call has returned it, as an H200's are: these two ask no GPU.
int cudaGetLastError() { return std::exchange(thread_state().last, kSuccess); }
int cudaPeekAtLastError() { return thread_state().last; }
const char* cudaGetErrorName(Code code) { return error_name(code); }
const char* cudaGetErrorString(Code code) { return error_text(code); }

int cudaDeviceSetLimit(int which, std::size_t value) {
  return api([&](Runtime& r) {
    if (which < 0 || which > 6) return kInvalidValue;
    if (which == 6 && value > static_cast<std::size_t>(r.device().persisting_l2()))
      value = static_cast<std::size_t>(r.device().persisting_l2());
    r.limits[which] = value;
    if (which == kHeapLimit) r.memory.set_heap(value);
    if (const char* why = not_obeyed(which, runs_machine_code(r))) r.session.note_once(why);
    return kSuccess;
  });
}
int cudaDeviceGetLimit(std::size_t* value, int which) {
  return api([&](Runtime& r) {
    if (!value || which < 0 || which > 6) return kInvalidValue;
    if (which == 3 && r.device().major >= 9)
      return kUnsupportedLimit;  // the depth of waits in kernels
    const auto set = r.limits.find(which);
    *value = set == r.limits.end() ? usual_limit(which) : set->second;
    return kSuccess;
  });
}
int cudaCtxResetPersistingL2Cache() {
  return api([](Runtime& r) { return r.persisting_reset = true, kSuccess; });
}
int cudaDeviceSetCacheConfig(int config) {
  return api([&](Runtime& r) {
    return config < 0 || config > 3 ? kInvalidValue : (r.cache_config = config, kSuccess);
  });
}
int cudaDeviceGetCacheConfig(int* config) {
  return api(
      [&](Runtime& r) { return config ? (*config = r.cache_config, kSuccess) : kInvalidValue; });
}
int cudaDeviceSetSharedMemConfig(int config) {
  return api([&](Runtime&) { return config < 0 || config > 2 ? kInvalidValue : kSuccess; });
}
int cudaDeviceGetSharedMemConfig(int* config) {
  return api([&](Runtime&) { return config ? (*config = 1, kSuccess) : kInvalidValue; });
}
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](Runtime&) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return kSuccess;
  });
}
int cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width, const ChannelFormat* format,
                                         int device) {
  return api([&](Runtime&) {
    if (!width || !format) return kInvalidValue;
    const int bytes = (format->x + format->y + format->z + format->w) / 8;
    if (bytes == 0) return kInvalidValue;
    *width = std::size_t{268435456} * 4 / static_cast<std::size_t>(std::max(bytes, 4));
    return need_device(device);
  });
}

// One GPU: it is nobody's peer.
int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api([&](Runtime&) {
    return !can ? kInvalidValue : device != 0 || peer != 0 ? kInvalidDevice : (*can = 0, kSuccess);
  });
}
int cudaDeviceEnablePeerAccess(int device, unsigned) {
  return api([&](Runtime&) { return device == 0 ? kPeerAccessUnsupported : kInvalidDevice; });
}
int cudaDeviceDisablePeerAccess(int device) {
  return api([&](Runtime&) { return device == 0 ? kPeerAccessNotEnabled : kInvalidDevice; });
}
int cudaDeviceGetP2PAttribute(int*, int, int, int) {
  return api([](Runtime&) { return kInvalidDevice; });
}

int cudaProfilerStart() { return kSuccess; }
int cudaProfilerStop() { return kSuccess; }

}  // extern "C"
