// Registration of device code, and kernel launches.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/graph.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

std::atomic<bool> g_has_kernels = false;

// Of the program, or of its library that has the code.
std::string program_name(const void* code) {
  Dl_info at;
  if (dladdr(code, &at) != 0 && at.dli_fname && std::strstr(at.dli_fname, ".so")) {
    const std::string path(at.dli_fname);
    return path.substr(path.rfind('/') + 1);
  }
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return "the program";
  const std::string full(path, static_cast<std::size_t>(n));
  return full.substr(full.rfind('/') + 1);
}

Code start(const void* key, const Dim& grid, const Dim& block, void** arguments, void** extra,
           std::size_t shared, Stream* handle, const Attribute* attributes, unsigned count,
           bool cooperative) {
  return api([&](Runtime& r) {
    Function* f = Runtime::registry().find_function(key);
    if (!f) return kInvalidDeviceFunction;
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    KernelCall call;
    call.function = f, call.grid = grid, call.block = block, call.shared = shared,
    call.cooperative = cooperative;
    Event* completion = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      const AttributeValue& v = attributes[i].value;
      switch (attributes[i].id) {
        case kAttributeWindow: call.window = v.window; break;
        case kAttributeCooperative: call.cooperative = v.number != 0; break;
        case kAttributeCluster: call.cluster = v.cluster; break;
        case kAttributePriority: call.priority = v.number; break;
        case kAttributeCarveout: call.carveout = v.number; break;
        case kAttributeProgrammaticEvent:
        case kAttributeCompletionEvent: completion = v.event.event; break;
        default: break;  // scheduling hints: the order is CUDA's to choose
      }
    }
    if (const Code code = pack(r, call, arguments, extra); code != kSuccess) return code;
    if (const Code code = check(r, call); code != kSuccess) return code;
    if (const Code code = submit(r, *stream, std::move(call)); code != kSuccess) return code;
    return completion ? submit(r, *stream, RecordEvent{completion}) : kSuccess;
  });
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  g_has_kernels = true;
  return reinterpret_cast<void**>(Runtime::registry().add_module(
      static_cast<const FatBinaryWrapper*>(wrapper), program_name(wrapper)));
}
int __cudaHasKernels() { return g_has_kernels; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void** handle) {
  if (handle) Runtime::registry().remove_module(reinterpret_cast<Module*>(handle));
}
void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*,
                            void*, void*, void*, int*) {
  Runtime::registry().add_function(reinterpret_cast<Module*>(handle), host, name);
}
void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t, int,
                       int) {
  Runtime::registry().add_symbol(reinterpret_cast<Module*>(handle), host, name);
}
void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t,
                              int, int) {
  Runtime::registry().add_symbol(reinterpret_cast<Module*>(handle), host, name, host);
}
void __cudaRegisterHostVar(void** handle, const char* name, char* host, std::size_t) {
  Runtime::registry().add_symbol(reinterpret_cast<Module*>(handle), host, name);
}
void __cudaRegisterUnifiedTable(void**, void*) {}

// Called before main() by programs with __managed__ variables: their host pointers must be set
// then.
char __cudaInitModule(void** handle) {
  auto* module = reinterpret_cast<Module*>(handle);
  static_cast<void>(api([&](Runtime& r) {
    for (auto& [host, symbol] : Runtime::registry().symbols()) {
      if (symbol.module != module || !symbol.managed) continue;
      auto memory = Runtime::registry().locate(symbol, r.memory, r.device().cc());
      if (!memory) {
        if (!module->told) r.session.note_error(memory.error());
        module->told = true;
        return kInvalidKernelImage;
      }
      *symbol.managed = reinterpret_cast<void*>(memory->address);
    }
    return kSuccess;
  }));
  return 1;
}

unsigned __cudaPushCallConfiguration(Dim grid, Dim block, std::size_t shared, void* stream) {
  thread_state().configurations.push_back({grid, block, shared, static_cast<Stream*>(stream)});
  return 0;
}
int __cudaPopCallConfiguration(Dim* grid, Dim* block, std::size_t* shared, void* stream) {
  auto& configurations = thread_state().configurations;
  if (configurations.empty()) return remember(kMissingConfiguration);
  const CallConfiguration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid, *block = c.block, *shared = c.shared;
  *static_cast<Stream**>(stream) = c.stream;
  return kSuccess;
}

int __cudaGetKernel(Function** kernel, const void* host) {
  Function* f = Runtime::registry().find_function(host);
  if (!f) return remember(kInvalidDeviceFunction);
  *kernel = f;
  return kSuccess;
}
int cudaGetKernel(Function** kernel, const void* host) { return __cudaGetKernel(kernel, host); }
int cudaGetFuncBySymbol(Function** function, const void* symbol) {
  return __cudaGetKernel(function, symbol);
}

int cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments,
                     std::size_t shared, Stream* stream) {
  return start(function, grid, block, arguments, nullptr, shared, stream, nullptr, 0, false);
}
int cudaLaunchCooperativeKernel(const void* function, Dim grid, Dim block, void** arguments,
                                std::size_t shared, Stream* stream) {
  return start(function, grid, block, arguments, nullptr, shared, stream, nullptr, 0, true);
}
int cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments) {
  if (!config) return remember(kInvalidValue);
  return start(function, config->grid, config->block, arguments, nullptr, config->shared_bytes,
               config->stream, config->attributes, config->attribute_count, false);
}

int cudaLaunchHostFunc(Stream* handle, HostFunction function, void* data) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!function) return kInvalidValue;
    return submit(r, *stream, HostParams{function, data});
  });
}

int cudaStreamAddCallback(Stream* handle, Callback callback, void* data, unsigned flags) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    if (!callback || flags != 0) return kInvalidValue;
    if (stream->capture) return stream->capture->invalid = true, kCaptureUnsupported;
    r.mutex.unlock();
    callback(handle, kSuccess, data);
    r.mutex.lock();
    return kSuccess;
  });
}

}  // extern "C"

WARPMEM_ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
WARPMEM_ALIAS(__cudaLaunchKernel, cudaLaunchKernel);
WARPMEM_ALIAS(__cudaLaunchKernel_ptsz, cudaLaunchKernel);
WARPMEM_ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);
WARPMEM_ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);
WARPMEM_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);
WARPMEM_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);
