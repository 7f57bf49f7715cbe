// Graphs through the emulated runtime's entry points: captured, built node by node, and with nodes
// that decide. In one process with api.cpp, which registers the kernels.
#include <cstdint>
#include <vector>

#include "api_support.hpp"

namespace warpmem::cudart {
namespace {

TEST_CASE("a captured stream becomes a graph that runs as often as it is launched") {
  Stream *s = nullptr, *side = nullptr;
  Event* fork = nullptr;
  Event* join = nullptr;
  CHECK(cudaStreamCreate(&s) == 0);
  CHECK(cudaStreamCreate(&side) == 0);
  CHECK(cudaEventCreate(&fork) == 0);
  CHECK(cudaEventCreate(&join) == 0);
  const std::uint32_t before = counted();
  CHECK(cudaStreamBeginCapture(s, 0) == 0);
  CHECK(cudaLaunchKernel(&count, {2, 1, 1}, {32, 1, 1}, nullptr, 0, s) == 0);
  CHECK(cudaEventRecord(fork, s) == 0);
  CHECK(cudaStreamWaitEvent(side, fork, 0) == 0);
  CHECK(cudaLaunchKernel(&count, {1, 1, 1}, {32, 1, 1}, nullptr, 0, side) == 0);
  CHECK(cudaEventRecord(join, side) == 0);
  CHECK(cudaStreamWaitEvent(s, join, 0) == 0);
  Graph* graph = nullptr;
  CHECK(cudaStreamEndCapture(s, &graph) == 0);
  CHECK(counted() == before);  // nothing has run
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == 0);
  CHECK(nodes == 2);
  GraphExec* exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, s) == 0);
  CHECK(cudaStreamSynchronize(s) == 0);
  CHECK(counted() == before + 3 * 96);

  CHECK(cudaStreamBeginCapture(s, 0) == 0);
  CHECK(cudaStreamSynchronize(s) == kCaptureUnsupported);
  CHECK(cudaStreamEndCapture(s, &graph) != 0);
  CHECK(cudaStreamBeginCapture(s, 0) == 0);
  CHECK(cudaEventRecord(fork, s) == 0);
  CHECK(cudaStreamWaitEvent(side, fork, 0) == 0);
  CHECK(cudaLaunchKernel(&count, {1, 1, 1}, {32, 1, 1}, nullptr, 0, side) == 0);
  CHECK(cudaStreamEndCapture(s, &graph) == kCaptureUnjoined);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE(
    "a captured kernel has its stream's access-policy window, wherever the graph is launched") {
  float* a = device_array<float>(64);
  Stream* s = nullptr;
  CHECK(cudaStreamCreate(&s) == 0);
  AttributeValue value{};
  value.window = {a, 256, 0.5f, 2, 1};
  CHECK(cudaStreamSetAttribute(s, kAttributeWindow, &value) == 0);
  CHECK(cudaStreamBeginCapture(s, 0) == 0);
  CHECK(cudaLaunchKernel(&count, {1, 1, 1}, {32, 1, 1}, nullptr, 0, s) == 0);
  Graph* graph = nullptr;
  CHECK(cudaStreamEndCapture(s, &graph) == 0);
  GraphNode* node = nullptr;
  std::size_t nodes = 1;
  CHECK(cudaGraphGetNodes(graph, &node, &nodes) == 0);
  AttributeValue got{};
  CHECK(cudaGraphKernelNodeGetAttribute(node, kAttributeWindow, &got) == 0);
  CHECK(got.window.base == a);
  CHECK(got.window.bytes == 256);
  CHECK(got.window.hit_ratio == 0.5f);
}

TEST_CASE("a graph built node by node keeps its order, and its nodes take new parameters") {
  float *a = device_array<float>(64), *b = device_array<float>(64);
  int n = 64;
  Graph* graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0) == 0);
  void* arguments[] = {&b, &a, &n};
  KernelParams kernel{&scale, {1, 1, 1}, {64, 1, 1}, 0, arguments, nullptr};
  GraphNode *run = nullptr, *fill = nullptr;
  CHECK(cudaGraphAddKernelNode(&run, graph, nullptr, 0, &kernel) == 0);
  const SetParams ones{a, 0, 0x3f800000, 4, 64, 1};
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &ones) == 0);
  CHECK(cudaGraphAddDependencies(graph, &fill, &run, nullptr, 1) == 0);  // made later, runs first
  GraphExec* exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  std::vector<float> out(64);
  CHECK(cudaMemcpy(out.data(), b, 256, kDeviceToHost) == 0);
  CHECK(out[63] == 2.0f);
  n = 1;
  CHECK(cudaMemset(b, 0, 256) == 0);
  CHECK(cudaGraphExecKernelNodeSetParams(exec, run, &kernel) == 0);
  CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  CHECK(cudaMemcpy(out.data(), b, 256, kDeviceToHost) == 0);
  CHECK(out[0] == 2.0f);
  CHECK(out[1] == 0.0f);
  CHECK(cudaGraphAddDependencies(graph, &run, &fill, nullptr, 1) == 0);
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == kInvalidValue);  // they need each other
  CHECK(cudaGraphDestroy(graph) == 0);
  CHECK(cudaFree(a) == 0);
  CHECK(cudaFree(b) == 0);
  static_cast<void>(cudaGetLastError());
}

// A kernel that counts down and says what is left to the condition, behind it a conditional node
// whose bodies count in words 4, 5 … of `n`.
struct Conditions {
  Graph* graph = nullptr;
  unsigned long long handle = 0;
  int* n = nullptr;
  GraphExec* exec = nullptr;

  Conditions(int type, unsigned size, unsigned first, unsigned flags, bool kernel_before) {
    n = device_array<int>(16);
    REQUIRE(cudaGraphCreate(&graph, 0) == 0);
    REQUIRE(cudaGraphConditionalHandleCreate(&handle, graph, first, flags) == 0);
    GraphNode *before = nullptr, *node = nullptr;
    void* arguments[] = {&n, &handle};
    KernelParams kernel{&count_down, {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr};
    if (kernel_before) REQUIRE(cudaGraphAddKernelNode(&before, graph, nullptr, 0, &kernel) == 0);
    NodeParams params{};
    params.type = kNodeConditional;
    params.conditional = {handle, type, size, nullptr};
    REQUIRE(cudaGraphAddNode(&node, graph, &before, nullptr, kernel_before ? 1 : 0, &params) == 0);
    for (unsigned i = 0; i < size; ++i) {
      Graph* body = params.conditional.bodies[i];
      if (type == 1) {  // the loop's own kernel, captured
        Stream* s = nullptr;
        REQUIRE(cudaStreamCreate(&s) == 0);
        REQUIRE(cudaStreamBeginCaptureToGraph(s, body, nullptr, nullptr, 0, 0) == 0);
        REQUIRE(cudaLaunchKernel(&count_down, {1, 1, 1}, {1, 1, 1}, arguments, 0, s) == 0);
        REQUIRE(cudaStreamEndCapture(s, nullptr) == 0);
        continue;
      }
      const SetParams one{n + 4 + i, 0, 1, 4, 1, 1};
      GraphNode* fill = nullptr;
      REQUIRE(cudaGraphAddMemsetNode(&fill, body, nullptr, 0, &one) == 0);
    }
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == 0);
  }
  ~Conditions() {
    cudaGraphDestroy(graph);
    cudaFree(n);
    static_cast<void>(cudaGetLastError());
  }
  std::vector<int> run(int begin) {
    std::vector<int> words(16);
    words[0] = begin;
    CHECK(cudaMemcpy(n, words.data(), 64, kHostToDevice) == 0);
    CHECK(cudaGraphLaunch(exec, nullptr) == 0);
    CHECK(cudaMemcpy(words.data(), n, 64, kDeviceToHost) == 0);
    return words;
  }
};

// As an H200's driver answers.
TEST_CASE(
    "a graph that allocates memory is no part of another one, and is launched when that is free") {
  Graph *graph = nullptr, *other = nullptr;
  GraphNode *made = nullptr, *freed = nullptr, *node = nullptr;
  GraphExec *exec = nullptr, *second = nullptr;
  AllocParams p{};
  p.pool.allocation_type = 1, p.bytes = 1024;
  REQUIRE(cudaGraphCreate(&graph, 0) == 0);
  REQUIRE(cudaGraphCreate(&other, 0) == 0);
  REQUIRE(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &p) == 0);
  CHECK(cudaGraphClone(&other, graph) == 801);
  CHECK(cudaGraphAddMemFreeNode(&freed, graph, &made, 1, &p) == 1);
  CHECK(cudaFree(p.pointer) == 1);
  SECTION("it stays whole") {
    REQUIRE(cudaGraphAddMemFreeNode(&freed, graph, &made, 1, p.pointer) == 0);
    CHECK(cudaGraphAddMemFreeNode(&node, graph, &made, 1, p.pointer) == 1);
    CHECK(cudaGraphDestroyNode(freed) == 801);
    CHECK(cudaGraphAddEmptyNode(&node, graph, &freed, 1) == 0);
    CHECK(cudaGraphRemoveDependencies(graph, &freed, &node, nullptr, 1) == 801);
    CHECK(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph) == 801);
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == 0);
    CHECK(cudaGraphInstantiate(&second, graph, 0) == 801);
    CHECK(cudaGraphLaunch(exec, nullptr) == 0);
    CHECK(cudaGraphLaunch(exec, nullptr) == 0);
    CHECK(cudaGraphExecDestroy(exec) == 0);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);
  }
  SECTION("what it leaves allocated is freed by others, and has its address again") {
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == 0);
    CHECK(cudaGraphLaunch(exec, nullptr) == 0);
    CHECK(cudaMemset(p.pointer, 1, p.bytes) == 0);
    CHECK(cudaGraphLaunch(exec, nullptr) == 1);
    CHECK(cudaFree(p.pointer) == 0);
    CHECK(cudaGraphLaunch(exec, nullptr) == 0);
    CHECK(cudaMemset(p.pointer, 1, p.bytes) == 0);
    CHECK(cudaFreeAsync(p.pointer, nullptr) == 0);
    CHECK(cudaFreeAsync(p.pointer, nullptr) == 1);
  }
  SECTION("or by its next launch, if it was made so") {
    constexpr unsigned long long kAutoFree = 1;
    REQUIRE(cudaGraphInstantiate(&exec, graph, kAutoFree) == 0);
    CHECK(cudaGraphLaunch(exec, nullptr) == 0);
    CHECK(cudaGraphLaunch(exec, nullptr) == 0);
  }
  CHECK(cudaGraphExecDestroy(exec) == 0);
  CHECK(cudaGraphDestroy(graph) == 0);
  cudaGetLastError();
}

TEST_CASE("a graph's conditional node runs one body or the other, as a kernel said") {
  Conditions c(0, 2, 0, 0, true);
  CHECK(c.run(3)[4] == 1);
  CHECK(c.run(3)[5] == 0);
  CHECK(c.run(1)[4] == 0);
  CHECK(c.run(1)[5] == 1);
}

TEST_CASE("a graph's loop goes round until its kernel says zero, and each launch begins anew") {
  Conditions again(1, 1, 1, 1, false);
  for (const int n : {10, 1, 4}) CHECK(again.run(n)[1] == n);
  Conditions once(1, 1, 1, 0, false);  // the first value is not given again
  CHECK(once.run(5)[1] == 5);
  CHECK(once.run(5)[1] == 0);
}

TEST_CASE("a graph's switch runs the body that the value names, or none") {
  Conditions c(2, 3, 0, 0, true);
  for (int value = 0; value < 5; ++value) {
    const std::vector<int> words = c.run(value + 1);
    for (int i = 0; i < 3; ++i)
      CHECK(words[static_cast<std::size_t>(4 + i)] == (i == value ? 1 : 0));
  }
}

TEST_CASE("conditional nodes want a handle and a number of bodies, and are not cloned") {
  Conditions c(0, 1, 0, 0, true);
  CHECK(c.run(1)[4] == 0);
  Graph* clone = nullptr;
  CHECK(cudaGraphClone(&clone, c.graph) == kNotSupported);
  NodeParams params{};
  params.type = kNodeConditional;
  GraphNode* node = nullptr;
  params.conditional = {~0ull, 0, 1, nullptr};
  CHECK(cudaGraphAddNode(&node, c.graph, nullptr, nullptr, 0, &params) == kInvalidValue);
  params.conditional = {c.handle, 1, 2, nullptr};  // a loop has one body
  CHECK(cudaGraphAddNode(&node, c.graph, nullptr, nullptr, 0, &params) == kInvalidValue);
  CHECK(cudaGraphConditionalHandleCreate(&c.handle, nullptr, 0, 0) == kInvalidValue);
}

}  // namespace
}  // namespace warpmem::cudart
