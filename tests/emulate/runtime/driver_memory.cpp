// The driver API's memory: what pointers are, mapped address ranges, arrays and textures, graphs,
// and PTX that is linked while the program runs.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "embedded.hpp"
#include "tests/catch.hpp"

namespace warpmem::cudart {
namespace {

using Address = unsigned long long;

struct Properties {
  int type = 1, handles = 0;
  MemoryLocation where{1, 0};
  void* windows = nullptr;
  unsigned char flags[8] = {};
};
struct ArrayShape {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct Side {
  std::size_t x = 0, y = 0, z = 0, level = 0;
  int type = 0;
  const void* host = nullptr;
  Address device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};
struct Box {
  Side from, to;
  std::size_t width = 0, height = 1, depth = 1;
};
struct Plane {
  std::size_t from_x = 0, from_y = 0;
  int from_type = 0;
  const void* from_host = nullptr;
  Address from_device = 0;
  void* from_array = nullptr;
  std::size_t from_pitch = 0, to_x = 0, to_y = 0;
  int to_type = 0;
  void* to_host = nullptr;
  Address to_device = 0;
  void* to_array = nullptr;
  std::size_t to_pitch = 0, width = 0, height = 1;
};
struct Resource {
  int type = 0;
  union {
    void* array;
    struct {
      unsigned long long at;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    int reserved[32];
  };
  unsigned flags = 0;
};
struct Sampler {
  int address[3] = {1, 1, 1}, filter = 0;
  unsigned flags = 0, anisotropy = 0;
  int mipmap_filter = 0;
  float bias = 0, low = 0, high = 0, border[4] = {};
  int reserved[12] = {};
};
enum { kHost = 1, kDevice = 2, kArray = 3 };

extern "C" {
int cuMemGetAllocationGranularity(std::size_t* bytes, const Properties* p, int option);
int cuMemAddressReserve(Address* out, std::size_t bytes, std::size_t align, Address, Address);
int cuMemAddressFree(Address address, std::size_t bytes);
int cuMemCreate(Address* handle, std::size_t bytes, const Properties* p, Address flags);
int cuMemRelease(Address handle);
int cuMemMap(Address address, std::size_t bytes, std::size_t offset, Address handle, Address flags);
int cuMemUnmap(Address address, std::size_t bytes);
int cuMemSetAccess(Address address, std::size_t bytes, const void* access, std::size_t count);
int cuMemsetD32_v2(Address to, unsigned value, std::size_t count);
int cuMemsetD2D8_v2(Address to, std::size_t pitch, unsigned char v, std::size_t w, std::size_t h);
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes);
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes);
int cuMemAlloc_v2(Address* address, std::size_t bytes);
int cuMemFree_v2(Address address);
int cuMemGetAddressRange_v2(Address* base, std::size_t* bytes, Address address);
int cuPointerGetAttribute(void* out, int which, Address address);
int cuPointerGetAttributes(unsigned count, const int* which, void** out, Address address);
int cuArrayCreate_v2(void** out, const ArrayShape* shape);
int cuArrayGetDescriptor_v2(ArrayShape* out, void* array);
int cuArrayDestroy(void* array);
int cuMemcpy2D_v2(const Plane* copy);
int cuMemcpy3D_v2(const Box* copy);
int cuMemcpyAtoH_v2(void* to, void* from, std::size_t offset, std::size_t bytes);
int cuTexObjectCreate(Address* out, const Resource* r, const Sampler* s, const void* view);
int cuTexObjectDestroy(Address object);
int cuModuleLoadData(void** module, const void* image);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuModuleUnload(void* module);
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void** extra);
int cuLinkCreate_v2(unsigned count, void* options, void** values, void** out);
int cuLinkAddData_v2(void* link, int type, void* data, std::size_t bytes, const char* name,
                     unsigned count, void* options, void** values);
int cuLinkComplete(void* link, void** image, std::size_t* bytes);
int cuLinkAddFile_v2(void* link, int type, const char* path, unsigned count, void* options,
                     void** values);
int cuLibraryLoadData(void** library, const void* code, int*, void**, unsigned, int*, void**,
                      unsigned);
int cuLibraryGetKernel(void** kernel, void* library, const char* name);
int cuLibraryGetModule(void** module, void* library);
int cuLibraryUnload(void* library);
int cuLinkDestroy(void* link);
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamDestroy_v2(void* stream);
int cuStreamBeginCapture_v2(void* stream, int mode);
int cuStreamEndCapture(void* stream, void** graph);
int cuGraphInstantiateWithFlags(void** exec, void* graph, Address flags);
int cuGraphLaunch(void* exec, void* stream);
int cuGraphExecDestroy(void* exec);
int cuGraphDestroy(void* graph);
int cuMemsetD8Async(Address to, unsigned char value, std::size_t count, void* stream);
int cuStreamWriteValue32_v2(void* stream, Address address, unsigned value, unsigned flags);
int cuStreamWaitValue32_v2(void* stream, Address address, unsigned value, unsigned flags);
int cudaGetDriverEntryPoint(const char* name, void** out, Address flags, int* status);
int cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned version, Address flags,
                                     int* status);
int cudaGetLastError();
}

TEST_CASE("memory is mapped into a reserved range, and moves with its contents") {
  const Properties p;
  std::size_t step = 0;
  REQUIRE(cuMemGetAllocationGranularity(&step, &p, 0) == 0);
  Address range = 0, first = 0, second = 0;
  REQUIRE(cuMemAddressReserve(&range, 2 * step, 0, 0, 0) == 0);
  CHECK(range % step == 0);
  CHECK(cuMemCreate(&first, step + 1, &p, 0) == 1);  // not a multiple
  REQUIRE(cuMemCreate(&first, step, &p, 0) == 0);
  REQUIRE(cuMemCreate(&second, step, &p, 0) == 0);
  CHECK(cuMemMap(range + 1, step, 0, first, 0) == 1);
  REQUIRE(cuMemMap(range, step, 0, first, 0) == 0);
  CHECK(cuMemMap(range, step, 0, second, 0) == 1);          // taken
  CHECK(cuMemMap(range + step, step, 0, first, 0) == 801);  // it is mapped already
  const AccessDescription access{{1, 0}, 3};
  CHECK(cuMemSetAccess(range, 2 * step, &access, 1) == 1);  // half of it has no memory
  REQUIRE(cuMemMap(range + step, step, 0, second, 0) == 0);
  CHECK(cuMemSetAccess(range, 2 * step, &access, 1) == 0);
  CHECK(cuMemsetD32_v2(range + step - 8, 7, 4) == 0);  // across the seam
  CHECK(cuMemAddressFree(range, 2 * step) == 1);       // still mapped
  CHECK(cuMemUnmap(range, 2 * step) == 0);
  REQUIRE(cuMemMap(range, step, 0, second, 0) == 0);
  unsigned words[3] = {};
  CHECK(cuMemcpyDtoH_v2(words, range, sizeof words) == 0);
  CHECK(words[0] == 7);
  CHECK(words[1] == 7);
  CHECK(words[2] == 0);
  CHECK(cuMemRelease(second) == 0);  // it lives on while it is mapped
  CHECK(cuMemUnmap(range, step) == 0);
  CHECK(cuMemRelease(second) == 1);
  CHECK(cuMemRelease(first) == 0);
  CHECK(cuMemAddressFree(range, 2 * step) == 0);
}

TEST_CASE("the driver says what a pointer is") {
  Address a = 0, base = 0;
  std::size_t bytes = 0;
  REQUIRE(cuMemAlloc_v2(&a, 1000) == 0);
  CHECK(cuMemGetAddressRange_v2(&base, &bytes, a + 10) == 0);
  CHECK(base == a);
  CHECK(bytes == 1000);
  unsigned type = 0;
  CHECK(cuPointerGetAttribute(&type, 2, a) == 0);
  CHECK(type == 2);
  int here = 0;
  const Address unknown = reinterpret_cast<Address>(&here);
  CHECK(cuPointerGetAttribute(&type, 2, unknown) == 1);
  CHECK(cudaGetLastError() == 0);  // that is the runtime's, not the driver's
  Address pointer = 1;
  int device = 0;
  const int which[] = {3, 9};
  void* out[] = {&pointer, &device};
  CHECK(cuPointerGetAttributes(2, which, out, unknown) == 0);
  CHECK(pointer == 0);
  CHECK(device == -2);
  CHECK(cuMemFree_v2(a) == 0);
}

TEST_CASE("the driver's arrays are filled by rectangles and read through textures") {
  void* array = nullptr;
  const ArrayShape shape{8, 4, 0x01, 1};  // bytes
  REQUIRE(cuArrayCreate_v2(&array, &shape) == 0);
  ArrayShape got{};
  CHECK(cuArrayGetDescriptor_v2(&got, array) == 0);
  CHECK(got.width == 8);
  CHECK(got.format == 0x01);
  unsigned char pixels[4][16];
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 16; ++x) pixels[y][x] = static_cast<unsigned char>(16 * y + x);
  Plane in;  // columns 4 to 11 of the host's rows
  in.from_type = kHost, in.from_host = pixels, in.from_pitch = 16, in.from_x = 4;
  in.to_type = kArray, in.to_array = array, in.width = 8, in.height = 4;
  REQUIRE(cuMemcpy2D_v2(&in) == 0);
  unsigned char row[8] = {};
  CHECK(cuMemcpyAtoH_v2(row, array, 2, 3) == 0);
  CHECK(row[0] == 6);
  Address plain = 0;
  REQUIRE(cuMemAlloc_v2(&plain, 64) == 0);
  CHECK(cuMemsetD2D8_v2(plain, 16, 1, 8, 4) == 0);
  Box out;  // the last two rows, to a pitch of 16 bytes
  out.from.type = kArray, out.from.array = array, out.from.y = 2;
  out.to.type = kDevice, out.to.device = plain, out.to.pitch = 16, out.to.x = 1;
  out.width = 7, out.height = 2;
  CHECK(cuMemcpy3D_v2(&out) == 0);
  unsigned char back[32] = {};
  CHECK(cuMemcpyDtoH_v2(back, plain, 32) == 0);
  CHECK(back[0] == 1);
  CHECK(back[1] == 36);
  CHECK(back[17] == 52);

  const char* ptx = R"(.version 8.0
.target sm_70
.address_size 64
.visible .entry fetch(.param .u64 p0, .param .u64 p1)
{
  .reg .b32 %r<4>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  mov.u32 %r1, 3;
  mov.u32 %r2, 1;
  tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %r2}];
  st.global.f32 [%rd1], %f1;
  tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r3}, [%rd2, {%r1, %r2}];
  st.global.u32 [%rd1 + 4], %r1;
  ret;
}
)";
  void *module = nullptr, *fetch = nullptr;
  REQUIRE(cuModuleLoadData(&module, ptx) == 0);
  REQUIRE(cuModuleGetFunction(&fetch, module, "fetch") == 0);
  Resource resource;
  resource.array = array;
  Sampler sampler;
  Address texture = 0;
  REQUIRE(cuTexObjectCreate(&texture, &resource, &sampler, nullptr) ==
          0);  // bytes become fractions
  void* arguments[] = {&plain, &texture};
  CHECK(cuLaunchKernel(fetch, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == 0);
  float fraction = 0;
  CHECK(cuMemcpyDtoH_v2(&fraction, plain, 4) == 0);
  CHECK(fraction == 23.0f / 255);
  CHECK(cuTexObjectDestroy(texture) == 0);
  sampler.flags = 1;  // or stay integers
  REQUIRE(cuTexObjectCreate(&texture, &resource, &sampler, nullptr) == 0);
  CHECK(cuLaunchKernel(fetch, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == 0);
  unsigned whole = 0;
  CHECK(cuMemcpyDtoH_v2(&whole, plain + 4, 4) == 0);
  CHECK(whole == 23);
  CHECK(cuTexObjectDestroy(texture) == 0);
  CHECK(cuModuleUnload(module) == 0);
  CHECK(cuMemFree_v2(plain) == 0);
  CHECK(cuArrayDestroy(array) == 0);
}

TEST_CASE(
    "a buffer of texels is fetched by number; by a coordinate it gives zeros, as an H200 does") {
  const char* ptx = R"(.version 8.0
.target sm_70
.address_size 64
.visible .entry fetch(.param .u64 p0, .param .u64 p1)
{
  .reg .b32 %r<4>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  mov.u32 %r1, 3;
  mov.f32 %f5, 0f40600000;
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1}];
  st.global.f32 [%rd1], %f1;
  tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5}];
  st.global.f32 [%rd1 + 4], %f1;
  ret;
}
)";
  void *module = nullptr, *fetch = nullptr;
  REQUIRE(cuModuleLoadData(&module, ptx) == 0);
  REQUIRE(cuModuleGetFunction(&fetch, module, "fetch") == 0);
  Address texels = 0, out = 0;
  REQUIRE(cuMemAlloc_v2(&texels, 32) == 0);
  REQUIRE(cuMemAlloc_v2(&out, 8) == 0);
  const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(cuMemcpyHtoD_v2(texels, values, 32) == 0);
  for (const unsigned normalised : {0u, 2u})
    for (const int filter : {0, 1}) {
      Resource resource;
      resource.type = 2, resource.linear = {texels, 0x20, 1, 32};
      Sampler sampler;
      sampler.flags = normalised, sampler.filter = filter;
      Address texture = 0;
      REQUIRE(cuTexObjectCreate(&texture, &resource, &sampler, nullptr) == 0);
      void* arguments[] = {&out, &texture};
      CHECK(cuLaunchKernel(fetch, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == 0);
      float got[2] = {-1, -1};
      CHECK(cuMemcpyDtoH_v2(got, out, 8) == 0);
      CHECK(got[0] == 4);
      CHECK(got[1] == 0);
      CHECK(cuTexObjectDestroy(texture) == 0);
    }
  CHECK(cuModuleUnload(module) == 0);
  CHECK(cuMemFree_v2(texels) == 0);
  CHECK(cuMemFree_v2(out) == 0);
}

TEST_CASE("PTX is linked while the program runs") {
  std::string caller = R"(.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 out) seven();
.visible .entry ask(.param .u64 p0)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p0];
  {
  .param .b32 back;
  call.uni (back), seven, ();
  ld.param.b32 %r1, [back];
  }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  std::string callee = R"(.version 8.0
.target sm_70
.address_size 64
.visible .func (.param .b32 out) seven()
{
  .reg .b32 %r<2>;
  mov.u32 %r1, 7;
  st.param.b32 [out], %r1;
  ret;
}
)";
  void *link = nullptr, *image = nullptr, *module = nullptr, *ask = nullptr;
  std::size_t bytes = 0;
  REQUIRE(cuLinkCreate_v2(0, nullptr, nullptr, &link) == 0);
  REQUIRE(cuLinkAddData_v2(link, 1, caller.data(), caller.size() + 1, "caller", 0, nullptr,
                           nullptr) == 0);
  REQUIRE(cuLinkAddData_v2(link, 1, callee.data(), callee.size(), "callee", 0, nullptr, nullptr) ==
          0);
  CHECK(cuLinkAddData_v2(link, 0, callee.data(), 4, "cubin", 0, nullptr, nullptr) == 200);
  REQUIRE(cuLinkComplete(link, &image, &bytes) == 0);
  CHECK(bytes > caller.size());
  CHECK(cuLinkComplete(link, &image, &bytes) == 400);  // that can be done once
  REQUIRE(cuModuleLoadData(&module, image) == 0);
  CHECK(cuLinkDestroy(link) == 0);
  REQUIRE(cuModuleGetFunction(&ask, module, "ask") == 0);
  Address out = 0;
  REQUIRE(cuMemAlloc_v2(&out, 4) == 0);
  void* arguments[] = {&out};
  CHECK(cuLaunchKernel(ask, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == 0);
  unsigned answer = 0;
  CHECK(cuMemcpyDtoH_v2(&answer, out, 4) == 0);
  CHECK(answer == 7);
  CHECK(cuMemFree_v2(out) == 0);
  CHECK(cuModuleUnload(module) == 0);
}

TEST_CASE("links and libraries that are no good fail where an H200's do") {
  std::string unit =
      ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
  void *link = nullptr, *image = nullptr, *library = nullptr, *kernel = nullptr, *module = nullptr;
  std::size_t bytes = 0;
  REQUIRE(cuLinkCreate_v2(0, nullptr, nullptr, &link) == 0);
  CHECK(cuLinkComplete(link, &image, &bytes) == 0);  // of nothing
  CHECK(cuLinkDestroy(link) == 0);
  REQUIRE(cuLinkCreate_v2(0, nullptr, nullptr, &link) == 0);
  CHECK(cuLinkAddData_v2(link, 1, unit.data(), unit.size(), "one", 0, nullptr, nullptr) == 0);
  CHECK(cuLinkAddData_v2(link, 1, unit.data(), unit.size(), "again", 0, nullptr, nullptr) == 999);
  CHECK(cuLinkComplete(link, &image, &bytes) == 999);
  CHECK(cuLinkDestroy(link) == 0);
  CHECK(cuLinkAddFile_v2(nullptr, 1, "/", 0, nullptr, nullptr) == 400);
  // Libraries are looked into when something of them is asked for.
  for (const auto& [text, code] :
       {std::pair<const char*, int>{"nonsense", 200},
        {".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret;", 218}}) {
    REQUIRE(cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0) == 0);
    CHECK(cuLibraryGetKernel(&kernel, library, "k") == code);
    CHECK(cuLibraryGetModule(&module, library) == code);
    CHECK(cuLibraryUnload(library) == 0);
  }
  REQUIRE(cuLibraryLoadData(&library, unit.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) == 0);
  CHECK(cuLibraryGetKernel(&kernel, library, "nothere") == 500);
  CHECK(cuLibraryGetKernel(&kernel, library, "k") == 0);
  CHECK(cuLibraryUnload(library) == 0);
}

TEST_CASE("the driver captures streams into graphs, and writes and waits for values") {
  void *stream = nullptr, *graph = nullptr, *exec = nullptr;
  Address a = 0;
  REQUIRE(cuMemAlloc_v2(&a, 64) == 0);
  REQUIRE(cuStreamCreate(&stream, 0) == 0);
  REQUIRE(cuStreamBeginCapture_v2(stream, 0) == 0);
  CHECK(cuMemsetD8Async(a, 5, 64, stream) == 0);
  REQUIRE(cuStreamEndCapture(stream, &graph) == 0);
  unsigned char now[64] = {};
  CHECK(cuMemcpyDtoH_v2(now, a, 64) == 0);
  CHECK(now[63] == 0);  // captured, not done
  REQUIRE(cuGraphInstantiateWithFlags(&exec, graph, 0) == 0);
  CHECK(cuGraphLaunch(exec, stream) == 0);
  CHECK(cuMemcpyDtoH_v2(now, a, 64) == 0);
  CHECK(now[63] == 5);
  CHECK(cuGraphExecDestroy(exec) == 0);
  CHECK(cuGraphDestroy(graph) == 0);
  CHECK(cuStreamWriteValue32_v2(stream, a, 9, 0) == 0);
  CHECK(cuStreamWaitValue32_v2(stream, a, 8, 0) == 0);    // at least
  CHECK(cuStreamWaitValue32_v2(stream, a, 8, 1) == 801);  // equal: it would never end
  CHECK(cuStreamDestroy_v2(stream) == 0);
  CHECK(cuMemFree_v2(a) == 0);
}

TEST_CASE("the runtime finds the driver's calls by name") {
  void *call = nullptr, *versioned = nullptr;
  int status = -1;
  CHECK(cudaGetDriverEntryPoint("cuMemAlloc", &call, 0, &status) == 0);
  CHECK(status == 0);
  unsigned long long address = 0;
  CHECK(reinterpret_cast<decltype(&cuMemAlloc_v2)>(call)(&address, 16) == 0);
  CHECK(cuMemFree_v2(address) == 0);
  CHECK(cudaGetDriverEntryPointByVersion("cuCtxCreate", &call, 12000, 0, nullptr) == 0);
  CHECK(cudaGetDriverEntryPointByVersion("cuCtxCreate", &versioned, 13000, 0, nullptr) == 0);
  CHECK(call != versioned);
  CHECK(cudaGetDriverEntryPoint("cuNothing", &call, 0, &status) == 0);
  CHECK(status == 1);
  CHECK(call == nullptr);
}

}  // namespace
}  // namespace warpmem::cudart
