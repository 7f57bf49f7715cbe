// The driver API, as programs that load PTX themselves use it.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "embedded.hpp"
#include "emulate/cudart/driver_calls.hpp"
#include "emulate/toolkit/toolkit.hpp"
#include "tests/catch.hpp"

extern "C" {
int cuInit(unsigned flags);
int cuDeviceGet(int* device, int ordinal);
int cuDeviceGetName(char* name, int length, int device);
int cuDeviceComputeCapability(int* major, int* minor, int device);
int cuCtxCreate_v2(void** context, unsigned flags, int device);
int cuCtxGetCurrent(void** context);
int cuCtxDestroy_v2(void* context);
int cuModuleLoadData(void** module, const void* image);
int cuModuleLoadDataEx(void** module, const void* image, unsigned count, void* options,
                       void** values);
int cuLinkCreate_v2(unsigned count, void* options, void** values, void** link);
int cuLinkAddData_v2(void* link, int type, void* data, std::size_t bytes, const char* name,
                     unsigned count, void* options, void** values);
int cuLinkComplete(void* link, void** image, std::size_t* bytes);
int cuLinkDestroy(void* link);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuModuleGetGlobal_v2(unsigned long long* address, std::size_t* bytes, void* module,
                         const char* name);
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes);
int cuMemFree_v2(unsigned long long address);
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes);
int cuMemsetD32_v2(unsigned long long to, unsigned value, std::size_t count);
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, warpmem::cudart::Stream* stream, void** arguments,
                   void** extra);
int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, void* function,
                                     std::size_t (*shared_of)(int), std::size_t shared, int limit);
int cuLaunchKernelEx(const void* config, void* function, void** arguments, void** extra);
int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address,
                           const std::uint64_t* sizes, const std::uint64_t* strides,
                           const std::uint32_t* box, const std::uint32_t* element_strides,
                           int interleave, int swizzle, int promotion, int fill);
int cuGetErrorName(int code, const char** name);
int cuMulticastCreate();
int cudaGetLastError();
int cuGraphCreate(warpmem::cudart::Graph** graph, unsigned flags);
int cuGraphDestroy(warpmem::cudart::Graph* graph);
int cuGraphAddNode_v2(warpmem::cudart::GraphNode** out, warpmem::cudart::Graph* graph,
                      warpmem::cudart::GraphNode* const* needs,
                      const warpmem::cudart::EdgeData* edges, std::size_t count,
                      warpmem::cudart::NodeParams* params);
int cuGraphNodeSetParams(warpmem::cudart::GraphNode* node, warpmem::cudart::NodeParams* params);
int cuGraphExecNodeSetParams(warpmem::cudart::GraphExec* exec, warpmem::cudart::GraphNode* node,
                             warpmem::cudart::NodeParams* params);
int cuGraphGetEdges_v2(warpmem::cudart::Graph* graph, warpmem::cudart::GraphNode** from,
                       warpmem::cudart::GraphNode** to, warpmem::cudart::EdgeData* edges,
                       std::size_t* count);
int cuGraphNodeGetDependencies_v2(warpmem::cudart::GraphNode* node,
                                  warpmem::cudart::GraphNode** out,
                                  warpmem::cudart::EdgeData* edges, std::size_t* count);
int cuGraphNodeGetDependentNodes_v2(warpmem::cudart::GraphNode* node,
                                    warpmem::cudart::GraphNode** out,
                                    warpmem::cudart::EdgeData* edges, std::size_t* count);
int cuGraphMemcpyNodeGetParams(warpmem::cudart::GraphNode* node,
                               warpmem::cudart::DriverCopy3D* out);
int cuUserObjectCreate(warpmem::cudart::UserObject** out, void* data, void (*destroy)(void*),
                       unsigned count, unsigned flags);
int cuUserObjectRelease(warpmem::cudart::UserObject* object, unsigned count);
int cuGraphRetainUserObject(warpmem::cudart::Graph* graph, warpmem::cudart::UserObject* object,
                            unsigned count, unsigned flags);
int cuGraphInstantiateWithFlags(warpmem::cudart::GraphExec** exec, warpmem::cudart::Graph* graph,
                                unsigned long long flags);
int cuGraphLaunch(warpmem::cudart::GraphExec* exec, warpmem::cudart::Stream* stream);
int cuGraphExecDestroy(warpmem::cudart::GraphExec* exec);
}

namespace warpmem::cudart {
namespace {

TEST_CASE("the driver API loads PTX and runs its kernels") {
  int device = -1, major = 0, minor = 0;
  CHECK(cuInit(0) == 0);
  CHECK(cuDeviceGet(&device, 0) == 0);
  CHECK(cuDeviceGet(&device, 1) == 101);
  char name[64];
  CHECK(cuDeviceGetName(name, sizeof name, 0) == 0);
  CHECK(std::string(name) == "NVIDIA H200");
  CHECK(cuDeviceComputeCapability(&major, &minor, 0) == 0);
  CHECK(major == 9);
  void *context = nullptr, *now = nullptr, *module = nullptr, *function = nullptr;
  CHECK(cuCtxGetCurrent(&now) == 0);
  CHECK(now != nullptr);  // the primary one: the program has kernels of the runtime's
  CHECK(cuCtxCreate_v2(&context, 0, 0) == 0);
  CHECK(cuCtxGetCurrent(&now) == 0);
  CHECK(now == context);
  const std::string ptx = read_text(WARPMEM_TEST_KERNELS);
  CHECK(cuModuleLoadData(&module, ptx.c_str()) == 0);
  CHECK(cuModuleGetFunction(&function, module, "scale") == 0);
  unsigned long long a = 0, b = 0, variable = 0;
  std::size_t bytes = 0;
  CHECK(cuModuleGetGlobal_v2(&variable, &bytes, module, "factor") == 0);
  CHECK(bytes == 4);
  CHECK(cuMemAlloc_v2(&a, 256) == 0);
  CHECK(cuMemAlloc_v2(&b, 256) == 0);
  CHECK(cuMemsetD32_v2(a, 0x40400000, 64) == 0);  // 3.0
  int n = 64;
  void* arguments[] = {&b, &a, &n};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) == 0);
  std::vector<float> out(64);
  CHECK(cuMemcpyDtoH_v2(out.data(), b, 256) == 0);
  CHECK(out[63] == 6.0f);
  struct {
    Dim grid{2, 1, 1}, block{32, 1, 1};
    unsigned shared = 0;
    void *stream = nullptr, *attributes = nullptr;
    unsigned count = 0;
  } config;
  void* back[] = {&a, &b, &n};
  CHECK(cuLaunchKernelEx(&config, function, back, nullptr) == 0);
  CHECK(cuMemcpyDtoH_v2(out.data(), a, 256) == 0);
  CHECK(out[63] == 12.0f);
  int grid = 0, block = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 256) == 0);
  CHECK(block == 256);
  CHECK(grid % 132 == 0);
  alignas(64) unsigned char map[128];
  const std::uint64_t sizes[] = {64, 4}, strides[] = {256};
  const std::uint32_t box[] = {32, 2}, steps[] = {1, 1};
  void* base = reinterpret_cast<void*>(a);
  CHECK(cuTensorMapEncodeTiled(map, 7, 2, base, sizes, strides, box, steps, 0, 0, 0, 0) == 0);
  CHECK(cuTensorMapEncodeTiled(map, 7, 2, base, sizes, strides, box, steps, 0, 1, 0, 0) == 1);
  struct {
    unsigned long long to, from;
    int count;
  } packed{a, b, 64};
  std::size_t size = 20;
  void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &size, nullptr};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) == 0);
  CHECK(cuMemcpyDtoH_v2(out.data(), a, 256) == 0);
  CHECK(out[0] == 12.0f);
  const char* text = nullptr;
  CHECK(cuGetErrorName(0, &text) == 0);
  CHECK(std::string(text) == "CUDA_SUCCESS");
  CHECK(cuGetErrorName(1, &text) == 0);
  CHECK(std::string(text) == "CUDA_ERROR_INVALID_VALUE");
  CHECK(cuGetErrorName(912, &text) == 0);
  CHECK(std::string(text) == "CUDA_ERROR_INVALID_CLUSTER_SIZE");
  CHECK(cuGetErrorName(719, &text) == 0);
  CHECK(std::string(text) == "CUDA_ERROR_LAUNCH_FAILED");
  CHECK(cuGetErrorName(9, &text) == 1);  // the runtime's alone
  CHECK(text == nullptr);
  CHECK(cuModuleLoadData(&module, "neither PTX nor machine code") == 200);
  CHECK(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr) == 1);
  CHECK(cuLaunchKernel(nullptr, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == 400);
  static_cast<void>(cudaGetLastError());
  CHECK(cuMulticastCreate() == 801);
  CHECK(cuMemFree_v2(a) == 0);
  CHECK(cuMemFree_v2(b) == 0);
  CHECK(cuCtxDestroy_v2(context) == 0);
}

// A ptxas that says what NVIDIA's says of the text, which has a mistake in line 7.
TEST_CASE("PTX that ptxas refuses is refused when it is loaded, and the program's log says why") {
  char script[] = "/tmp/warpmem-ptxas-XXXXXX";
  const int file = mkstemp(script);
  REQUIRE(file >= 0);
  const std::string says =
      "#!/bin/sh\nfor a; do case $a in /*) break;; esac; done\n"
      "echo \"ptxas $a, line 7; error   : Not a name of any known instruction: 'frobnicate'\"\n"
      "echo 'ptxas fatal   : Ptx assembly aborted due to errors'\nexit 255\n";
  REQUIRE(write(file, says.data(), says.size()) == static_cast<ssize_t>(says.size()));
  REQUIRE(fchmod(file, 0700) == 0);
  close(file);
  const std::string expected =
      "ptxas application ptx input, line 7; error   : Not a name of any known instruction: "
      "'frobnicate'\nptxas fatal   : Ptx assembly aborted due to errors";
  const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n";
  char error[512] = "x", info[8] = "x", small[24];
  int options[] = {5, 6, 3, 4};  // error log and its size, info log and its size
  const auto size = [](std::size_t n) { return reinterpret_cast<void*>(n); };
  void* values[] = {error, size(sizeof error), info, size(sizeof info)};
  void* less[] = {small, size(sizeof small)};
  void *module = nullptr, *link = nullptr;
  setenv("WARPMEM_PTXAS", script, 1);
  CHECK(cuModuleLoadDataEx(&module, ptx.c_str(), 4, options, values) == 218);
  CHECK(cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, less) == 218);
  CHECK(std::string(error) == expected);
  CHECK(values[1] == size(expected.size()));
  CHECK(values[3] == nullptr);
  CHECK(info[0] == 0);
  CHECK(less[1] == size(24));
  CHECK(std::string(small) == expected.substr(0, 23));
  CHECK(cuModuleLoadDataEx(&module, "rubbish", 2, options, values) == 200);
  CHECK(std::string(error) == "error   : Binary format for key='0', ident='' is not recognized");
  values[1] = size(sizeof error);
  REQUIRE(cuLinkCreate_v2(2, options, values, &link) == 0);
  CHECK(cuLinkAddData_v2(link, 1, const_cast<char*>(ptx.c_str()), ptx.size(), "part", 0, nullptr,
                         nullptr) == 218);
  CHECK(std::string(error) == expected);
  CHECK(cuLinkDestroy(link) == 0);
  unsetenv("WARPMEM_PTXAS");
  std::remove(script);
}

TEST_CASE("machine code that a program adds to a link is linked with its other parts") {
  const auto toolkit = warpmem::emulate::find_toolkit();
  if (!toolkit.complete() || toolkit.nvlink.empty()) {
    WARN("no ptxas, nvlink or nvdisasm: no machine code was linked");
    return;
  }
  const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n",
                    twice = head +
                            ".visible .func (.param .b32 r) twice(.param .b32 a) {\n"
                            ".reg .b32 %a; ld.param.b32 %a, [a]; add.s32 %a, %a, %a; "
                            "st.param.b32 [r], %a; ret; }\n",
                    kernel = head +
                             ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
                             ".visible .entry k(.param .u64 d) {\n"
                             ".reg .b64 %d; .reg .b32 %v; ld.param.u64 %d, [d]; "
                             "ld.global.b32 %v, [%d];\n"
                             "{ .param .b32 a, r; st.param.b32 [a], %v; call (r), twice, (a); "
                             "ld.param.b32 %v, [r]; }\nst.global.b32 [%d], %v; ret; }\n";
  auto code = warpmem::emulate::assemble(toolkit.ptxas, twice, "sm_90", {"-c"});
  REQUIRE(code.ok());
  void *link = nullptr, *image = nullptr, *module = nullptr, *function = nullptr;
  std::size_t bytes = 0;
  REQUIRE(cuLinkCreate_v2(0, nullptr, nullptr, &link) == 0);
  std::string rubbish(code->begin(), code->begin() + 100);
  CHECK(cuLinkAddData_v2(link, 0, rubbish.data(), rubbish.size(), "cut", 0, nullptr, nullptr) ==
        200);
  REQUIRE(cuLinkAddData_v2(link, 0, code->data(), code->size(), "twice", 0, nullptr, nullptr) == 0);
  REQUIRE(cuLinkAddData_v2(link, 1, const_cast<char*>(kernel.c_str()), kernel.size(), "kernel", 0,
                           nullptr, nullptr) == 0);
  REQUIRE(cuLinkComplete(link, &image, &bytes) == 0);
  CHECK(std::string(static_cast<const char*>(image), 4) == "\177ELF");
  if (std::string(std::getenv("WARPMEM_EMULATE_LEVEL")) == "sass") {
    REQUIRE(cuModuleLoadData(&module, image) == 0);
    REQUIRE(cuModuleGetFunction(&function, module, "k") == 0);
    unsigned long long d = 0;
    unsigned value = 0;
    REQUIRE(cuMemAlloc_v2(&d, 4) == 0);
    REQUIRE(cuMemsetD32_v2(d, 21, 1) == 0);
    void* arguments[] = {&d};
    REQUIRE(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    REQUIRE(cuMemcpyDtoH_v2(&value, d, 4) == 0);
    CHECK(value == 42);
  }
  CHECK(cuLinkDestroy(link) == 0);
}

TEST_CASE("the driver's graph nodes of any type are made, asked, changed and counted") {
  const std::string ptx = read_text(WARPMEM_TEST_KERNELS);
  void *module = nullptr, *function = nullptr;
  REQUIRE(cuModuleLoadData(&module, ptx.c_str()) == 0);
  REQUIRE(cuModuleGetFunction(&function, module, "scale") == 0);
  unsigned long long a = 0, b = 0;
  REQUIRE(cuMemAlloc_v2(&a, 256) == 0);
  REQUIRE(cuMemAlloc_v2(&b, 256) == 0);
  REQUIRE(cuMemsetD32_v2(a, 0x3f800000, 64) == 0);
  int n = 64;
  void* arguments[] = {&b, &a, &n};
  Graph* graph = nullptr;
  REQUIRE(cuGraphCreate(&graph, 0) == 0);
  NodeParams params{};
  params.type = kNodeKernel;
  params.kernel = {function, {1, 1, 1}, {64, 1, 1}, 0, arguments, nullptr};
  GraphNode *first = nullptr, *second = nullptr;
  REQUIRE(cuGraphAddNode_v2(&first, graph, nullptr, nullptr, 0, &params) == 0);
  std::vector<float> out(64);
  struct {  // CUgraphNodeParams of a copy: CUDA_MEMCPY3D behind a context
    int type = kNodeCopy, reserved[3]{}, flags = 0, padding = 0;
    void* context = nullptr;
    DriverCopy3D copy{};
    unsigned char rest[64]{};
  } copy;
  copy.copy.from.type = 2, copy.copy.from.device = b;
  copy.copy.to.type = 1, copy.copy.to.host = out.data();
  copy.copy.width = 256, copy.copy.height = copy.copy.depth = 1;
  REQUIRE(cuGraphAddNode_v2(&second, graph, &first, nullptr, 1,
                            reinterpret_cast<NodeParams*>(&copy)) == 0);
  std::size_t count = 0;
  CHECK(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count) == 0);
  CHECK(count == 1);
  GraphNode *from = nullptr, *to = nullptr;
  CHECK(cuGraphGetEdges_v2(graph, &from, &to, nullptr, &count) == 0);
  CHECK((from == first && to == second));
  CHECK(cuGraphNodeGetDependencies_v2(second, &from, nullptr, &count) == 0);
  CHECK(from == first);
  CHECK(cuGraphNodeGetDependentNodes_v2(first, &to, nullptr, &count) == 0);
  CHECK(to == second);
  DriverCopy3D given{};
  CHECK(cuGraphMemcpyNodeGetParams(second, &given) == 0);
  CHECK((given.from.device == b && given.width == 256 && given.height == 1));
  CHECK(cuGraphMemcpyNodeGetParams(first, &given) == 1);
  static int destroyed;
  destroyed = 0;
  UserObject* object = nullptr;
  CHECK(cuUserObjectCreate(
            &object, &destroyed, [](void* p) { ++*static_cast<int*>(p); }, 2, 1) == 0);
  CHECK(cuGraphRetainUserObject(graph, object, 1, 1) == 0);
  CHECK(cuUserObjectRelease(object, 2) == 1);  // one of the two is the graph's now
  CHECK(cuUserObjectRelease(object, 1) == 0);
  CHECK(destroyed == 0);
  GraphExec* exec = nullptr;
  REQUIRE(cuGraphInstantiateWithFlags(&exec, graph, 0) == 0);
  CHECK(cuGraphLaunch(exec, nullptr) == 0);
  CHECK(out[63] == 2.0f);
  void* swapped[] = {&b, &b, &n};  // what the last launch left, once more
  params.kernel.arguments = swapped;
  CHECK(cuGraphExecNodeSetParams(exec, first, &params) == 0);
  CHECK(cuGraphLaunch(exec, nullptr) == 0);
  CHECK(out[63] == 4.0f);
  params.type = kNodeSet;
  CHECK(cuGraphNodeSetParams(first, &params) != 0);
  CHECK(cuGraphDestroy(graph) == 0);
  CHECK(destroyed == 0);  // what was instantiated keeps it
  CHECK(cuGraphExecDestroy(exec) == 0);
  CHECK(destroyed == 1);
  static_cast<void>(cudaGetLastError());
  CHECK(cuMemFree_v2(a) == 0);
  CHECK(cuMemFree_v2(b) == 0);
}

}  // namespace
}  // namespace warpmem::cudart
