// libcuda.so.1: the part of the driver API that programs mix with the runtime, or use to load PTX,
// in terms of the emulated runtime. Result codes are the runtime's: the two agree since CUDA 10.1,
// but for some that only the runtime has.
// There is one device and one context.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulate/cudart/abi.hpp"
#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/device.hpp"
#include "emulate/cudart/driver_calls.hpp"
#include "emulate/cudart/jit.hpp"
#include "emulate/cudart/private_tables.hpp"

using namespace warpmem::cudart;

namespace {

using Address = unsigned long long;
constexpr int kMultiprocessors = 16;
constexpr int kInvalidValue = 1, kInvalidContext = 201, kInvalidImage = 200, kNotFound = 500;

char g_context;  // its address is the context
std::vector<void*>& contexts() {
  static thread_local std::vector<void*> stack;
  return stack;
}
void* current() {
  if (!contexts().empty()) return contexts().back();
  return __cudaHasKernels() ? &g_context : nullptr;
}
void* host(Address a) { return reinterpret_cast<void*>(a); }

// PTX, an ELF file, a fat binary or what points to one.
bool is_code(const void* image) {
  const auto* text = static_cast<const char*>(image);
  std::uint32_t magic = 0;
  for (std::size_t i = 0; i < sizeof magic && (i == 0 || text[i - 1] != 0); ++i)
    magic |= std::uint32_t{static_cast<unsigned char>(text[i])} << 8 * i;
  return magic == 0x464c457f || magic == 0xba55ed50 || magic == 0x466243b1 ||
         std::strstr(text, ".version") != nullptr;
}

bool is_ptx(const void* image) {
  const auto first = static_cast<unsigned char>(*static_cast<const char*>(image));
  return first != 0x7f && first != 0x50 && first != 0xb1;  // ELF, a fat binary, its wrapper
}

// The driver's names are the runtime's in other letters, but for these.
struct DriverName {
  int code;
  const char* name;
};
constexpr DriverName kDriverNames[] = {{0, "CUDA_SUCCESS"},
                                       {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                       {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                       {4, "CUDA_ERROR_DEINITIALIZED"},
                                       {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                                       {200, "CUDA_ERROR_INVALID_IMAGE"},
                                       {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                       {202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
                                       {205, "CUDA_ERROR_MAP_FAILED"},
                                       {206, "CUDA_ERROR_UNMAP_FAILED"},
                                       {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                       {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
                                       {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
                                       {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
                                       {400, "CUDA_ERROR_INVALID_HANDLE"},
                                       {500, "CUDA_ERROR_NOT_FOUND"},
                                       {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
                                       {719, "CUDA_ERROR_LAUNCH_FAILED"}};

// cudaErrorInvalidValue: CUDA_ERROR_INVALID_VALUE. Null for what the driver does not return.
const char* driver_name(int code) {
  for (const DriverName& row : kDriverNames)
    if (row.code == code) return row.name;
  const std::string_view name = cudaGetErrorName(code), prefix = "cudaError";
  if (driver_code(code) != code || !name.starts_with(prefix)) return nullptr;
  std::string made = "CUDA_ERROR";
  for (std::size_t i = prefix.size(); i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (i == prefix.size() ||
        (std::isupper(c) && !std::isupper(static_cast<unsigned char>(name[i - 1]))))
      made += '_';
    made += static_cast<char>(std::toupper(c));
  }
  static std::mutex mutex;
  static auto* all = new std::set<std::string>;  // a program keeps the pointer
  const std::lock_guard lock(mutex);
  return all->insert(std::move(made)).first->c_str();
}

// The runtime hands out the same call by its name.
template <class F>
F of_runtime(const char* name, F) {
  void* call = nullptr;
  cudaGetDriverEntryPoint(name, &call, 0, nullptr);
  return reinterpret_cast<F>(call);
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  int count = 0;
  return flags != 0 ? kInvalidValue : cudaGetDeviceCount(&count);
}
// Of a process that has runtimes of both versions, or none, the driver is the newer's.
int cuDriverGetVersion(int* version) { return warpmem_13_cudaDriverGetVersion(version); }
int cuDeviceGet(int* device, int ordinal) {
  return ordinal != 0 ? 101 : device ? (*device = 0, 0) : kInvalidValue;
}
int cuDeviceGetCount(int* count) { return cudaGetDeviceCount(count); }
int cuDeviceGetName(char* name, int length, int device) {
  char properties[kPropertiesBytes13];
  if (!name || length < 1) return kInvalidValue;
  const int code = warpmem_13_cudaGetDeviceProperties(properties, device);
  if (code == 0) std::snprintf(name, static_cast<std::size_t>(length), "%s", properties);
  return code;
}
int cuDeviceGetUuid(void* uuid, int device) {
  char properties[kPropertiesBytes13];
  if (!uuid) return kInvalidValue;
  const int code = warpmem_13_cudaGetDeviceProperties(properties, device);
  if (code == 0) std::memcpy(uuid, properties + 256, 16);
  return code;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  std::size_t free = 0;
  return bytes ? cudaMemGetInfo(&free, bytes) : kInvalidValue;
}
int cuDeviceGetAttribute(int* value, int which, int device) {
  return cudaDeviceGetAttribute(value, which, device);
}
int cuDeviceComputeCapability(int* major, int* minor, int device) {
  const int code = cudaDeviceGetAttribute(major, 75, device);
  return code != 0 ? code : cudaDeviceGetAttribute(minor, 76, device);
}
int cuDeviceGetPCIBusId(char* id, int length, int device) {
  return cudaDeviceGetPCIBusId(id, length, device);
}
int cuDeviceGetByPCIBusId(int* device, const char* id) {
  return cudaDeviceGetByPCIBusId(device, id);
}
int cuDeviceGetGraphMemAttribute(int device, int which, void* value) {
  return cudaDeviceGetGraphMemAttribute(device, which, value);
}
int cuDeviceGraphMemTrim(int device) { return cudaDeviceGraphMemTrim(device); }
int cuDeviceCanAccessPeer(int* can, int, int) { return can ? (*can = 0, 0) : kInvalidValue; }

int cuCtxCreate_v2(void** context, unsigned, int device) {
  if (!context) return kInvalidValue;
  if (device != 0) return 101;
  contexts().push_back(&g_context);
  *context = &g_context;
  return 0;
}
int cuCtxCreate_v3(void** context, void*, int, unsigned flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}
int cuCtxCreate_v4(void** context, void*, unsigned flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}
int cuCtxDestroy_v2(void* context) {
  if (context != &g_context) return kInvalidContext;
  if (!contexts().empty()) contexts().pop_back();
  return cudaDeviceSynchronize();
}
int cuCtxGetCurrent(void** context) { return context ? (*context = current(), 0) : kInvalidValue; }
int cuCtxSetCurrent(void* context) {
  if (context && context != &g_context) return kInvalidContext;
  if (!contexts().empty()) contexts().pop_back();
  if (context) contexts().push_back(context);
  return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  return context == &g_context ? (contexts().push_back(context), 0) : kInvalidContext;
}
int cuCtxPopCurrent_v2(void** context) {
  if (contexts().empty()) return kInvalidContext;
  if (context) *context = contexts().back();
  contexts().pop_back();
  return 0;
}
int cuCtxGetDevice(int* device) { return device ? (*device = 0, 0) : kInvalidValue; }
int cuCtxSynchronize() { return cudaDeviceSynchronize(); }
int cuCtxSetLimit(int which, std::size_t value) { return cudaDeviceSetLimit(which, value); }
int cuCtxGetLimit(std::size_t* value, int which) { return cudaDeviceGetLimit(value, which); }
int cuCtxGetApiVersion(void*, unsigned* version) {
  return version ? (*version = 3020, 0) : kInvalidValue;
}
int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return cudaDeviceGetStreamPriorityRange(least, greatest);
}
int cuCtxGetFlags(unsigned* flags) { return flags ? (*flags = 0, 0) : kInvalidValue; }
int cuCtxSetFlags(unsigned) { return 0; }
int cuCtxGetId(void*, unsigned long long* id) { return id ? (*id = 1, 0) : kInvalidValue; }
int cuCtxGetSharedMemConfig(int* config) { return config ? (*config = 1, 0) : kInvalidValue; }
int cuCtxSetSharedMemConfig(int) { return 0; }
int cuCtxResetPersistingL2Cache() { return cudaCtxResetPersistingL2Cache(); }
int cuCtxDetach(void* context) { return cuCtxDestroy_v2(context); }
int cuCtxAttach(void** context, unsigned) { return cuCtxGetCurrent(context); }
int cuCtxSetCacheConfig(int config) { return cudaDeviceSetCacheConfig(config); }
int cuCtxGetCacheConfig(int* config) { return cudaDeviceGetCacheConfig(config); }
int cuDevicePrimaryCtxRetain(void** context, int device) {
  return !context ? kInvalidValue : device != 0 ? 101 : (*context = &g_context, 0);
}
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return 0; }
int cuDevicePrimaryCtxReset_v2(int) { return cudaDeviceReset(); }
int cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  if (flags) *flags = 0;
  if (active) *active = 1;
  return 0;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, void* options,
                       void** values) {
  if (!image) return kInvalidValue;
  auto* const names = static_cast<int*>(options);
  const JitOptions jit(count, names, values);
  if (!is_code(image)) return jit.write(kUnknownImage, ""), kInvalidImage;
  jit.write("", "");
  if (is_ptx(image))
    if (const int code = compile(static_cast<const char*>(image), compute_capability(),
                                 "PTX that the program loads", jit, false);
        code != 0)
      return code;
  const int code = cudaLibraryLoadData(module, image, names, values, count, nullptr, nullptr, 0);
  if (code != 0) jit.write("error   : what the emulator wrote to stderr", "");
  return code;
}
int cuModuleLoadData(void** module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
int cuModuleLoadFatBinary(void** module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
int cuModuleLoad(void** module, const char* path) {
  if (!module || !path) return kInvalidValue;
  std::ifstream in(path, std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(in), {}};
  if (is_code(image.c_str()) && is_ptx(image.c_str()))
    if (const int code = compile(image, compute_capability(), path, {}, false); code != 0)
      return code;
  return cudaLibraryLoadFromFile(module, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
}
int cuModuleUnload(void* module) { return cudaLibraryUnload(module); }
int cuModuleGetFunction(void** function, void* module, const char* name) {
  return cudaLibraryGetKernel(function, module, name);
}
int cuModuleGetGlobal_v2(Address* address, std::size_t* bytes, void* module, const char* name) {
  void* at = nullptr;
  const int code = cudaLibraryGetGlobal(&at, bytes, module, name);
  if (code == 0 && address) *address = reinterpret_cast<Address>(at);
  return code;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, Stream* stream, void** arguments, void** extra) {
  if (extra && !arguments) {  // a packed buffer: a graph's kernel node takes those
    Graph* graph = nullptr;
    GraphNode* node = nullptr;
    GraphExec* exec = nullptr;
    const KernelParams params{function, {gx, gy, gz}, {bx, by, bz}, shared, nullptr, extra};
    int code = cudaGraphCreate(&graph, 0);
    if (code == 0) code = cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
    if (code == 0) code = cudaGraphInstantiate(&exec, graph, 0);
    if (code == 0) code = cudaGraphLaunch(exec, stream);
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
    return driver_code(code);
  }
  return driver_code(
      cudaLaunchKernel(function, {gx, gy, gz}, {bx, by, bz}, arguments, shared, stream));
}
int cuLaunchCooperativeKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, Stream* stream,
                              void** arguments) {
  return driver_code(
      cudaLaunchCooperativeKernel(function, {gx, gy, gz}, {bx, by, bz}, arguments, shared, stream));
}
int cuLaunchKernelEx(const DriverLaunchConfig* config, void* function, void** arguments,
                     void** extra) {
  if (!config) return kInvalidValue;
  const Dim &g = config->grid, &b = config->block;
  if (extra && !arguments)
    return cuLaunchKernel(function, g.x, g.y, g.z, b.x, b.y, b.z, config->shared, config->stream,
                          nullptr, extra);
  const LaunchConfig same = to_launch_config(*config);
  return driver_code(cudaLaunchKernelExC(&same, function, arguments));
}
int cuLaunchHostFunc(Stream* stream, HostFunction function, void* data) {
  return cudaLaunchHostFunc(stream, function, data);
}
int cuFuncSetAttribute(void* function, int which, int value) {
  return cudaFuncSetAttribute(function, which, value);
}
int cuFuncSetCacheConfig(void* function, int config) {
  return driver_code(cudaFuncSetCacheConfig(function, config));
}
int cuFuncGetAttribute(int* value, int which, void* function) {
  FunctionAttributes a{};
  const int code = cudaFuncGetAttributes(&a, function);
  if (code != 0 || !value) return code != 0 ? code : kInvalidValue;
  const int all[] = {a.max_threads,
                     static_cast<int>(a.shared_bytes),
                     static_cast<int>(a.const_bytes),
                     static_cast<int>(a.local_bytes),
                     a.registers,
                     a.ptx_version,
                     a.binary_version,
                     a.cache_mode_ca,
                     a.max_dynamic_shared,
                     a.carveout};
  return which >= 0 && which < 10 ? (*value = all[which], 0) : kInvalidValue;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* count, void* function, int threads,
                                                std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, function, threads, shared);
}

int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, void* function,
                                     std::size_t (*shared_of)(int), std::size_t shared, int limit) {
  if (!grid || !block) return kInvalidValue;
  FunctionAttributes a{};
  int sms = 0;
  if (const int code = cudaFuncGetAttributes(&a, function); code != 0) return code;
  if (const int code = cudaDeviceGetAttribute(&sms, kMultiprocessors, 0); code != 0) return code;
  int most = 0;
  *grid = *block = 0;
  const int largest = limit > 0 && limit < a.max_threads ? limit : a.max_threads;
  for (int threads = largest / 32 * 32; threads > 0; threads -= 32) {  // of equals the largest CTA
    int ctas = 0;
    const int code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &ctas, function, threads, shared_of ? shared_of(threads) : shared);
    if (code != 0) return code;
    if (ctas * threads <= most) continue;
    most = ctas * threads;
    *block = threads, *grid = ctas * sms;
  }
  return 0;
}

int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address,
                           const std::uint64_t* sizes, const std::uint64_t* strides,
                           const std::uint32_t* box, const std::uint32_t* element_strides,
                           int interleave, int swizzle, int promotion, int fill) {
  return of_runtime("cuTensorMapEncodeTiled", cuTensorMapEncodeTiled)(
      map, type, rank, address, sizes, strides, box, element_strides, interleave, swizzle,
      promotion, fill);
}
int cuTensorMapEncodeIm2col(void* map, int type, unsigned rank, void* address,
                            const std::uint64_t* sizes, const std::uint64_t* strides,
                            const int* lower, const int* upper, unsigned channels, unsigned pixels,
                            const std::uint32_t* element_strides, int interleave, int swizzle,
                            int promotion, int fill) {
  return of_runtime("cuTensorMapEncodeIm2col", cuTensorMapEncodeIm2col)(
      map, type, rank, address, sizes, strides, lower, upper, channels, pixels, element_strides,
      interleave, swizzle, promotion, fill);
}
int cuTensorMapReplaceAddress(void* map, void* address) {
  return of_runtime("cuTensorMapReplaceAddress", cuTensorMapReplaceAddress)(map, address);
}

int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  return bytes == 0 ? kInvalidValue : cudaMalloc(reinterpret_cast<void**>(address), bytes);
}
int cuMemAllocPitch_v2(Address* address, std::size_t* pitch, std::size_t width, std::size_t height,
                       unsigned) {
  return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height);
}
int cuMemAllocManaged(Address* address, std::size_t bytes, unsigned flags) {
  return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags);
}
int cuMemAllocHost_v2(void** pointer, std::size_t bytes) { return cudaMallocHost(pointer, bytes); }
int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(pointer, bytes, flags);
}
int cuMemHostGetDevicePointer_v2(Address* address, void* pointer, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(address), pointer, flags);
}
int cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return cudaHostRegister(pointer, bytes, flags);
}
int cuMemHostUnregister(void* pointer) { return cudaHostUnregister(pointer); }
int cuMemFree_v2(Address address) { return cudaFree(host(address)); }
int cuMemFreeHost(void* pointer) { return cudaFreeHost(pointer); }
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) { return cudaMemGetInfo(free, total); }
int cuMemAllocAsync(Address* address, std::size_t bytes, Stream* stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream);
}
int cuMemFreeAsync(Address address, Stream* stream) { return cudaFreeAsync(host(address), stream); }

int cuMemcpy(Address to, Address from, std::size_t bytes) {
  return cudaMemcpy(host(to), host(from), bytes, kCopyDefault);
}
int cuMemcpyAsync(Address to, Address from, std::size_t bytes, Stream* stream) {
  return cudaMemcpyAsync(host(to), host(from), bytes, kCopyDefault, stream);
}
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  return cudaMemcpy(host(to), from, bytes, kHostToDevice);
}
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  return cudaMemcpy(to, host(from), bytes, kDeviceToHost);
}
int cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
  return cudaMemcpy(host(to), host(from), bytes, kDeviceToDevice);
}
int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream* stream) {
  return cudaMemcpyAsync(host(to), from, bytes, kHostToDevice, stream);
}
int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream* stream) {
  return cudaMemcpyAsync(to, host(from), bytes, kDeviceToHost, stream);
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream* stream) {
  return cudaMemcpyAsync(host(to), host(from), bytes, kDeviceToDevice, stream);
}
int cuMemsetD8_v2(Address to, unsigned char value, std::size_t count) {
  return cudaMemset(host(to), value, count);
}
int cuMemsetD16_v2(Address to, unsigned short value, std::size_t count) {
  return fill_2d(to, 0, value, 2, count, 1, nullptr, true);
}
int cuMemsetD32_v2(Address to, unsigned value, std::size_t count) {
  return fill_2d(to, 0, value, 4, count, 1, nullptr, true);
}
int cuMemsetD8Async(Address to, unsigned char value, std::size_t count, Stream* stream) {
  return cudaMemsetAsync(host(to), value, count, stream);
}
int cuMemsetD32Async(Address to, unsigned value, std::size_t count, Stream* stream) {
  return fill_2d(to, 0, value, 4, count, 1, stream, false);
}

int cuStreamCreate(Stream** stream, unsigned flags) {
  return cudaStreamCreateWithFlags(stream, flags);
}
int cuStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
  return cudaStreamCreateWithPriority(stream, flags, priority);
}
int cuStreamDestroy_v2(Stream* stream) { return cudaStreamDestroy(stream); }
int cuStreamSynchronize(Stream* stream) { return cudaStreamSynchronize(stream); }
int cuStreamQuery(Stream* stream) { return cudaStreamQuery(stream); }
int cuStreamWaitEvent(Stream* stream, Event* event, unsigned flags) {
  return cudaStreamWaitEvent(stream, event, flags);
}
int cuEventCreate(Event** event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }
int cuEventRecord(Event* event, Stream* stream) { return cudaEventRecord(event, stream); }
int cuEventSynchronize(Event* event) { return cudaEventSynchronize(event); }
int cuEventQuery(Event* event) { return cudaEventQuery(event); }
int cuEventDestroy_v2(Event* event) { return cudaEventDestroy(event); }
int cuEventElapsedTime(float* ms, Event* begin, Event* end) {
  return cudaEventElapsedTime(ms, begin, end);
}

// Private tables of NVIDIA's tools and libraries: there are none, which they can live with.
int cuGetExportTable(const void** table, const void*) {
  if (!table) return kInvalidValue;
  tables_refused(__builtin_return_address(0));
  return *table = nullptr, kNotFound;
}
int cuGetErrorString(int code, const char** text) {
  if (!text) return kInvalidValue;
  *text = driver_name(code) ? cudaGetErrorString(code) : nullptr;
  return *text ? 0 : kInvalidValue;
}
int cuGetErrorName(int code, const char** name) {
  if (!name) return kInvalidValue;
  *name = driver_name(code);
  return *name ? 0 : kInvalidValue;
}
int cuGetProcAddress_v2(const char* name, void** out, int version, unsigned long long flags,
                        int* status) {
  const int code =
      cudaGetDriverEntryPointByVersion(name, out, static_cast<unsigned>(version), flags, status);
  return code == 0 && out && !*out ? kNotFound : code;
}
int cuGetProcAddress(const char* name, void** out, int version, unsigned long long flags) {
  int status = 0;
  return cuGetProcAddress_v2(name, out, version, flags, &status);
}

}  // extern "C"

WARPMEM_ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);
WARPMEM_ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);
