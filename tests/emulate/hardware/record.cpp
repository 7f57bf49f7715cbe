// Runs the forms and texture fetches on the GPU of this machine and writes what came out. Needs a
// driver, and of the toolkit only cuda.h: PTX is compiled by the driver.
//   record_instructions results.bin
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "tests/emulate/hardware/forms.hpp"
#include "tests/emulate/hardware/textures.hpp"

using namespace warpmem::emulate::hardware;

namespace {

void* driver() {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "no CUDA driver on this machine: %s\n", dlerror());
    std::exit(6);
  }
  return library;
}
// The driver's function of the name that cuda.h's macros make of `name`.
#define CALL(name, ...) \
  call(#name, reinterpret_cast<decltype(&name)>(symbol(STRING(name))), ##__VA_ARGS__)
#define STRING(name) STRING_OF(name)
#define STRING_OF(name) #name
void* symbol(const char* name) {
  void* at = dlsym(driver(), name);
  if (!at) {
    std::fprintf(stderr, "the driver has no %s\n", name);
    std::exit(6);
  }
  return at;
}
template <class F, class... A>
void call(const char* name, F f, A... arguments) {
  const CUresult r = f(arguments...);
  if (r == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s failed: error %d\n", name, static_cast<int>(r));
  std::exit(1);
}

CUmodule load(const std::string& text) {
  CUmodule module;
  char log[4096] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const auto f = reinterpret_cast<decltype(&cuModuleLoadDataEx)>(symbol("cuModuleLoadDataEx"));
  if (f(&module, text.c_str(), 2, options, values) != CUDA_SUCCESS) {
    std::fprintf(stderr, "the driver refuses a module:\n%s\n", log);
    std::exit(1);
  }
  return module;
}

CUarray_format format_of(const TextureCase& c) {
  const std::string& f = c.format;
  if (f.starts_with("f32")) return CU_AD_FORMAT_FLOAT;
  if (f.starts_with("f16")) return CU_AD_FORMAT_HALF;
  if (f.starts_with("u8")) return CU_AD_FORMAT_UNSIGNED_INT8;
  if (f.starts_with("s8")) return CU_AD_FORMAT_SIGNED_INT8;
  if (f.starts_with("u16")) return CU_AD_FORMAT_UNSIGNED_INT16;
  if (f.starts_with("s16")) return CU_AD_FORMAT_SIGNED_INT16;
  return f[0] == 'u' ? CU_AD_FORMAT_UNSIGNED_INT32 : CU_AD_FORMAT_SIGNED_INT32;
}

CUtexObject texture_of(const TextureCase& c) {
  CUDA_ARRAY3D_DESCRIPTOR d = {};
  d.Width = c.width, d.Height = c.height, d.Depth = c.depth;
  d.Format = format_of(c), d.NumChannels = c.channels();
  if (c.layered()) d.Flags |= CUDA_ARRAY3D_LAYERED;
  if (c.geometry == "cube") d.Flags |= CUDA_ARRAY3D_CUBEMAP;
  CUarray array;
  CALL(cuArray3DCreate, &array, static_cast<const CUDA_ARRAY3D_DESCRIPTOR*>(&d));
  const std::vector<std::uint8_t> texels = texels_of(c);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = texels.data();
  copy.srcPitch = std::size_t{c.width} * c.texel_bytes(), copy.srcHeight = c.height ? c.height : 1;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = copy.srcPitch, copy.Height = copy.srcHeight,
  copy.Depth = c.depth ? c.depth : 1;
  CALL(cuMemcpy3D, static_cast<const CUDA_MEMCPY3D*>(&copy));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC t = {};
  for (int i = 0; i < 3; ++i) t.addressMode[i] = static_cast<CUaddress_mode>(c.address[i]);
  t.filterMode = c.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (c.normalised) t.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (!c.as_float && c.format[0] != 'f') t.flags |= CU_TRSF_READ_AS_INTEGER;
  CUtexObject object;
  CALL(cuTexObjectCreate, &object, static_cast<const CUDA_RESOURCE_DESC*>(&resource),
       static_cast<const CUDA_TEXTURE_DESC*>(&t),
       static_cast<const CUDA_RESOURCE_VIEW_DESC*>(nullptr));
  return object;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: record_instructions results.bin\n");
    return 2;
  }
  CUdevice device;
  CUcontext context;
  int version = 0;
  char name[256] = {};
  CALL(cuInit, 0u);
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDeviceGetName, name, 256, device);
  CALL(cuDriverGetVersion, &version);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  char date[32] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::ofstream out(arguments[1], std::ios::binary);
  out << "warpmem instruction results 1\n"
      << name << "\nCUDA " << version / 1000 << '.' << version % 1000 / 10 << '\n'
      << date << '\n';
  constexpr std::size_t kBytes = std::size_t{kCases} * 16;
  CUdeviceptr buffers[4];
  for (CUdeviceptr& b : buffers) CALL(cuMemAlloc, &b, kBytes);
  std::vector<std::uint64_t> results(kCases);
  const auto launch = [&](CUmodule module, const std::string& kernel, std::uint32_t grid,
                          std::uint32_t block, void** parameters) {
    CUfunction function;
    CALL(cuModuleGetFunction, &function, module, kernel.c_str());
    CALL(cuMemsetD8, buffers[0], static_cast<unsigned char>(0), kBytes);
    CALL(cuLaunchKernel, function, grid, 1u, 1u, block, 1u, 1u, 0u, static_cast<CUstream>(nullptr),
         parameters, static_cast<void**>(nullptr));
  };
  const auto& all = forms();
  constexpr std::uint32_t kTogether = 48;
  for (std::uint32_t first = 0; first < all.size(); first += kTogether) {
    const auto last =
        std::min<std::uint32_t>(first + kTogether, static_cast<std::uint32_t>(all.size()));
    const CUmodule module = load(module_of(first, last));
    for (std::uint32_t k = first; k < last; ++k) {
      for (std::uint32_t o = 0; o < all[k].operands.size(); ++o) {
        const std::vector<std::uint64_t> values = operand(all[k], o);
        CALL(cuMemcpyHtoD, buffers[1 + o], static_cast<const void*>(values.data()),
             values.size() * 8);
      }
      void* parameters[] = {&buffers[0], &buffers[1], &buffers[2], &buffers[3]};
      launch(module, "k" + std::to_string(k), kCases / kBlock, kBlock, parameters);
      CALL(cuMemcpyDtoH, static_cast<void*>(results.data()), buffers[0], results.size() * 8);
      for (const std::uint64_t r : results)
        out.write(reinterpret_cast<const char*>(&r), bytes_of(all[k].result));
    }
    CALL(cuModuleUnload, module);
  }
  const CUmodule module = load(texture_module());
  const auto& textures = texture_cases();
  std::vector<std::uint8_t> words(kFetches * 16);
  for (std::size_t k = 0; k < textures.size(); ++k) {
    CUtexObject object = texture_of(textures[k]);
    const std::vector<float> at = coordinates_of(textures[k]);
    CALL(cuMemcpyHtoD, buffers[1], static_cast<const void*>(at.data()), at.size() * 4);
    void* parameters[] = {&buffers[0], &object, &buffers[1]};
    launch(module, "t" + std::to_string(k), kFetches / 128, 128, parameters);
    CALL(cuMemcpyDtoH, static_cast<void*>(words.data()), buffers[0], words.size());
    out.write(reinterpret_cast<const char*>(words.data()),
              static_cast<std::streamsize>(words.size()));
  }
  out.flush();
  std::printf("%zu forms, %zu texture cases on %s\n", all.size(), textures.size(), name);
  return out ? 0 : 5;
}
