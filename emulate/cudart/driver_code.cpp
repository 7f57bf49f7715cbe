// libcuda.so.1: device code: linking PTX, libraries and their kernels, what is known of a function.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/cudart/driver_calls.hpp"
#include "emulate/cudart/jit.hpp"
#include "emulate/cudart/ptx_link.hpp"
#include "emulate/toolkit/toolkit.hpp"

using namespace warpmem::cudart;

namespace {

using Address = unsigned long long;
constexpr int kInvalidValue = 1, kInvalidImage = 200, kInvalidPtx = 218, kFileNotFound = 301,
              kInvalidHandle = 400, kNotFound = 500, kUnknown = 999;
constexpr int kInputCubin = 0, kInputPtx = 1, kInputFatBinary = 2, kInputLibrary = 4;
constexpr int kMajor = 75, kMinor = 76;  // attributes: the compute capability

// CUlinkState: what was added, and what became of it.
struct Link {
  JitOptions jit;
  std::vector<PtxUnit> units;
  std::vector<warpmem::emulate::DeviceObject> code;  // of machine code
  std::string linked;
  bool clashes = false;  // two of the units define one name
  bool has_device_runtime = false;
  bool complete = false;
};

// Adding what defines a name once more fails, and so does the link then.
int add_unit(Link& link, std::string name, std::string text) {
  link.units.push_back({std::move(name), std::move(text)});
  if (link.units.size() > 1)
    if (auto linked = link_ptx(link.units); !linked) {
      link.clashes = true;
      std::fprintf(stderr, "warpmem: cuLinkAddData: %s\n", linked.error().text().c_str());
      return kUnknown;
    }
  return 0;
}

int refuse(const char* what, const std::string& why) {
  std::fprintf(stderr, "warpmem: %s: %s\n", what, warpmem::printable_lines(why).c_str());
  return kInvalidImage;
}

// Machine code in the program's memory, which may be shorter than the program says.
int add_code(Link& link, std::span<const unsigned char> image, const std::string& name) {
  const auto parsed = warpmem::record::parse_cubin(image);
  if (!parsed) return refuse("cuLinkAddData", parsed.error().text());
  link.code.push_back({name, "", {}, {image.begin(), image.end()}});
  return 0;
}

// With machine code among the parts the whole becomes machine code, as nvlink makes it.
int complete_code(Link& link, void** image, std::size_t* bytes) {
  std::vector<warpmem::emulate::DeviceObject> objects = link.code;
  for (const PtxUnit& unit : link.units)
    objects.push_back({unit.name, unit.text, link.jit.of_ptxas()});
  if (objects.size() == 1) {
    link.linked.assign(objects[0].code.begin(), objects[0].code.end());
  } else {
    auto made = assemble_and_link(warpmem::emulate::find_toolkit(), objects,
                                  fmt::format("sm_{}", compute_capability()));
    if (!made) return refuse("cuLinkComplete", made.error().text()), kUnknown;
    link.linked.assign(made->begin(), made->end());
  }
  link.complete = true;
  *image = link.linked.data();
  if (bytes) *bytes = link.linked.size();
  return 0;
}

int add_fat_binary(Link& link, const void* data, const std::string& name) {
  const auto* bytes = static_cast<const std::byte*>(data);
  const auto size = container_bytes(bytes);
  if (!size) return refuse("cuLinkAddData", size.error().text());
  const auto entries = read_fat_binary({bytes, *size});
  if (!entries) return refuse("cuLinkAddData", entries.error().text());
  const FatEntry* best = choose_ptx(*entries, compute_capability());
  if (!best) {
    const FatEntry* code = choose_machine_code(*entries, compute_capability());
    if (!code) return refuse("cuLinkAddData", name + " has no code for this GPU");
    auto image = unpack_machine_code(*code);
    if (!image) return refuse("cuLinkAddData", image.error().text());
    return add_code(link, {reinterpret_cast<const unsigned char*>(image->data()), image->size()},
                    name);
  }
  auto text = unpack_ptx(*best);
  if (!text) return refuse("cuLinkAddData", text.error().text());
  return add_unit(link, name, std::move(*text));
}

std::unordered_map<void*, void*>& libraries_of_kernels() {
  static auto* all = new std::unordered_map<void*, void*>;
  return *all;
}

// Libraries whose code is no good: CUDA loads them all the same, and says so when their kernels are
// asked for.
std::unordered_map<void*, int>& broken_libraries() {
  static auto* all = new std::unordered_map<void*, int>;
  return *all;
}
int as_library(int code, void** library) {
  if (code != kInvalidPtx && code != kInvalidImage) return code;
  *library = new int(code);  // a handle like no other
  broken_libraries()[*library] = code;
  return 0;
}
// CUDA's error for a library that is broken, 0 for others.
int error_of(void* library) {
  const auto at = broken_libraries().find(library);
  return at == broken_libraries().end() ? 0 : at->second;
}

}  // namespace

std::uint32_t warpmem::cudart::compute_capability() {
  int major = 9, minor = 0;
  cudaDeviceGetAttribute(&major, kMajor, 0), cudaDeviceGetAttribute(&minor, kMinor, 0);
  return static_cast<std::uint32_t>(major * 10 + minor);
}

extern "C" {

int cuLinkCreate_v2(unsigned count, void* options, void** values, Link** out) {
  if (!out) return kInvalidValue;
  *out = new Link;
  (*out)->jit = JitOptions(count, static_cast<int*>(options), values);
  return 0;
}
int cuLinkAddData_v2(Link* link, int type, void* data, std::size_t bytes, const char* name,
                     unsigned, void*, void**) {
  if (!link || !data) return kInvalidValue;
  const std::string called = name ? name : "code that the program links";
  if (type == kInputFatBinary) return add_fat_binary(*link, data, called);
  if (type == kInputCubin)
    return add_code(*link, {static_cast<const unsigned char*>(data), bytes}, called);
  if (type != kInputPtx)
    return refuse("cuLinkAddData",
                  called + " is neither PTX nor machine code nor a fat binary of those");
  const auto* text = static_cast<const char*>(data);
  std::string ptx(text, strnlen(text, bytes));
  if (const int code = compile(ptx, compute_capability(), called, link->jit, true); code != 0)
    return code;
  return add_unit(*link, called, std::move(ptx));
}
int cuLinkAddFile_v2(Link* link, int type, const char* path, unsigned count, void* options,
                     void** values) {
  if (!link) return kInvalidHandle;
  if (!path) return kInvalidValue;
  std::ifstream in(path, std::ios::binary);
  if (!in) return kFileNotFound;
  // What kernels call to launch kernels is part of this runtime.
  if (type == kInputLibrary && std::string_view(path).find("cudadevrt") != std::string_view::npos)
    return link->has_device_runtime = true, 0;
  std::stringstream text;
  text << in.rdbuf();
  std::string bytes = std::move(text).str();
  return cuLinkAddData_v2(link, type, bytes.data(), bytes.size(), path, count, options, values);
}
int cuLinkComplete(Link* link, void** image, std::size_t* bytes) {
  if (!link || !image) return kInvalidValue;
  if (link->complete) return kInvalidHandle;
  if (link->clashes) return kUnknown;
  if (!link->code.empty()) return complete_code(*link, image, bytes);
  std::string text;
  if (link->units.size() == 1) {
    text = link->units[0].text;
  } else if (!link->units.empty()) {
    auto linked = link_ptx(link->units);
    if (!linked) return refuse("cuLinkComplete", linked.error().text()), kUnknown;
    text = std::move(*linked);
  }
  // What is still declared and nowhere defined, as far as there is a ptxas to tell.
  if (!link->has_device_runtime && text.find(".extern .func") != text.npos &&
      compile(text, compute_capability(), "what the program linked", {}, false) != 0)
    return kUnknown;
  link->linked = kLinked;
  link->linked += text;
  std::vector<warpmem::emulate::DeviceObject> parts;
  for (const PtxUnit& unit : link->units)
    parts.push_back({unit.name, unit.text, link->jit.of_ptxas()});
  if (parts.size() > 1) remember_parts(link->linked, std::move(parts));
  link->complete = true;
  *image = link->linked.data();
  if (bytes) *bytes = link->linked.size() + 1;
  return 0;
}
int cuLinkDestroy(Link* link) { return link ? (delete link, 0) : kInvalidValue; }

int cuLibraryLoadData(void** library, const void* code, int* options, void** values, unsigned count,
                      int*, void**, unsigned) {
  if (!library || !code) return kInvalidValue;
  return as_library(cuModuleLoadDataEx(library, code, count, options, values), library);
}
int cuLibraryLoadFromFile(void** library, const char* path, int*, void**, unsigned, int*, void**,
                          unsigned) {
  return library ? as_library(cuModuleLoad(library, path), library) : kInvalidValue;
}
int cuLibraryUnload(void* library) {
  if (!broken_libraries().erase(library)) return cudaLibraryUnload(library);
  return delete static_cast<int*>(library), 0;
}
int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  if (const int broken = error_of(library)) return broken;
  const int code = cudaLibraryGetKernel(kernel, library, name);
  if (code == 0) libraries_of_kernels()[*kernel] = library;
  return code;
}
int cuLibraryGetKernelCount(unsigned* count, void* library) {
  if (const int broken = error_of(library)) return broken;
  return cudaLibraryGetKernelCount(count, library);
}
int cuLibraryEnumerateKernels(void** kernels, unsigned count, void* library) {
  if (const int broken = error_of(library)) return broken;
  return cudaLibraryEnumerateKernels(kernels, count, library);
}
int cuLibraryGetModule(void** module, void* library) {
  if (const int broken = error_of(library)) return broken;
  return module && library ? (*module = library, 0) : kInvalidValue;
}
int cuLibraryGetGlobal(Address* address, std::size_t* bytes, void* library, const char* name) {
  if (const int broken = error_of(library)) return broken;
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
int cuLibraryGetManaged(Address* address, std::size_t* bytes, void* library, const char* name) {
  if (const int broken = error_of(library)) return broken;
  return cuModuleGetGlobal_v2(address, bytes, library, name);
}
int cuModuleGetFunctionCount(unsigned* count, void* module) {
  return cudaLibraryGetKernelCount(count, module);
}
int cuModuleEnumerateFunctions(void** functions, unsigned count, void* module) {
  return cudaLibraryEnumerateKernels(functions, count, module);
}
int cuModuleGetLoadingMode(int* mode) {
  return mode ? (*mode = 2, 0) : kInvalidValue;  // lazy, CUDA's default
}

// A kernel of a library and a function of a module are one here.
int cuKernelGetFunction(void** function, void* kernel) {
  return function && kernel ? (*function = kernel, 0) : kInvalidValue;
}
int cuKernelGetLibrary(void** library, void* kernel) {
  const auto at = libraries_of_kernels().find(kernel);
  if (!library || at == libraries_of_kernels().end()) return library ? kNotFound : kInvalidValue;
  return *library = at->second, 0;
}
int cuKernelGetName(const char** name, void* kernel) { return cudaFuncGetName(name, kernel); }
int cuKernelGetAttribute(int* value, int which, void* kernel, int) {
  return cuFuncGetAttribute(value, which, kernel);
}
int cuKernelSetAttribute(int which, int value, void* kernel, int) {
  return cudaFuncSetAttribute(kernel, which, value);
}
int cuKernelSetCacheConfig(void* kernel, int config, int) {
  return driver_code(cudaFuncSetCacheConfig(kernel, config));
}
int cuKernelGetParamInfo(void* kernel, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return cudaFuncGetParamInfo(kernel, index, offset, bytes);
}
int cuFuncGetParamInfo(void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return cudaFuncGetParamInfo(function, index, offset, bytes);
}
int cuFuncGetName(const char** name, void* function) { return cudaFuncGetName(name, function); }
int cuFuncGetModule(void** module, void* function) { return cuKernelGetLibrary(module, function); }
int cuFuncSetSharedMemConfig(void*, int) { return 0; }
int cuFuncLoad(void*) { return 0; }
int cuFuncIsLoaded(int* state, void*) { return state ? (*state = 1, 0) : kInvalidValue; }

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* count, void* function, int threads,
                                                         std::size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, function, threads, shared);
}
int cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, void* function,
                                              std::size_t (*shared_of)(int), std::size_t shared,
                                              int limit, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}
int cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, void* function, int ctas,
                                            int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, ctas, threads);
}
int cuOccupancyMaxPotentialClusterSize(int* ctas, void* function,
                                       const DriverLaunchConfig* config) {
  if (!config) return kInvalidValue;
  const LaunchConfig same = to_launch_config(*config);
  return cudaOccupancyMaxPotentialClusterSize(ctas, function, &same);
}
int cuOccupancyMaxActiveClusters(int* clusters, void* function, const DriverLaunchConfig* config) {
  if (!config) return kInvalidValue;
  const LaunchConfig same = to_launch_config(*config);
  return cudaOccupancyMaxActiveClusters(clusters, function, &same);
}

}  // extern "C"
