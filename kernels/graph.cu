// CUDA graphs with several kernel nodes: a chain, a diamond, and a captured stream launched thrice.
#include "common.cuh"

namespace {

__device__ __forceinline__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

}  // namespace

__global__ void graph_triple(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = 3 * in[i];
}
__global__ void graph_shift(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = in[i] + 1;
}
__global__ void graph_negate(const float* in, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = -in[i];
}
__global__ void graph_sum(const float* a, const float* b, float* out, int n) {
  const int i = element();
  if (i < n) out[i] = 2 * a[i] + b[i];
}
__global__ void graph_increment(float* values, int n) {
  const int i = element();
  if (i < n) values[i] += 1;
}

namespace {

constexpr int kThreads = 256;

// Adds a node that starts after the nodes of `after`.
cudaGraphNode_t add_kernel(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after,
                           void* kernel, int n, void** arguments) {
  cudaKernelNodeParams parameters = {};
  parameters.func = kernel;
  parameters.gridDim = dim3(suite::blocks_for(n, kThreads));
  parameters.blockDim = dim3(kThreads);
  parameters.kernelParams = arguments;
  cudaGraphNode_t node;
  CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters));
  return node;
}

void launch_graph(cudaGraph_t graph, int times) {
  cudaGraphExec_t executable;
  cudaStream_t stream;
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_CHECK(cudaStreamCreate(&stream));
  for (int k = 0; k < times; ++k) CUDA_CHECK(cudaGraphLaunch(executable, stream));
  CUDA_FINISH();
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

bool run_chain(const suite::Options& o) {
  int n = o.size;
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host), a(n), b(n), out(n);
  float *p_in = in, *p_a = a, *p_b = b, *p_out = out;
  cudaGraph_t graph;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  void* triple[] = {&p_in, &p_a, &n};
  void* shift[] = {&p_a, &p_b, &n};
  void* negate[] = {&p_b, &p_out, &n};
  const auto first = add_kernel(graph, {}, reinterpret_cast<void*>(graph_triple), n, triple);
  const auto second = add_kernel(graph, {first}, reinterpret_cast<void*>(graph_shift), n, shift);
  add_kernel(graph, {second}, reinterpret_cast<void*>(graph_negate), n, negate);
  launch_graph(graph, 1);
  return !o.check || suite::matches(out, [&](std::size_t i) { return -(3 * host[i] + 1); });
}

bool run_diamond(const suite::Options& o) {
  int n = o.size;
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host), a(n), b(n), c(n), out(n);
  float *p_in = in, *p_a = a, *p_b = b, *p_c = c, *p_out = out;
  cudaGraph_t graph;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  void* triple[] = {&p_in, &p_a, &n};
  void* shift[] = {&p_a, &p_b, &n};
  void* negate[] = {&p_a, &p_c, &n};
  void* sum[] = {&p_b, &p_c, &p_out, &n};
  const auto top = add_kernel(graph, {}, reinterpret_cast<void*>(graph_triple), n, triple);
  const auto left = add_kernel(graph, {top}, reinterpret_cast<void*>(graph_shift), n, shift);
  const auto right = add_kernel(graph, {top}, reinterpret_cast<void*>(graph_negate), n, negate);
  add_kernel(graph, {left, right}, reinterpret_cast<void*>(graph_sum), n, sum);
  launch_graph(graph, 1);
  return !o.check ||
         suite::matches(out, [&](std::size_t i) { return 2 * (3 * host[i] + 1) - 3 * host[i]; });
}

// Two launches captured from a stream; the graph then runs three times.
bool run_captured(const suite::Options& o) {
  const int n = o.size;
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host), out(n);
  const int blocks = suite::blocks_for(n, kThreads);
  cudaStream_t stream;
  cudaGraph_t graph;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  graph_increment<<<blocks, kThreads, 0, stream>>>(in, n);
  graph_triple<<<blocks, kThreads, 0, stream>>>(in, out, n);
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  launch_graph(graph, 3);
  CUDA_CHECK(cudaStreamDestroy(stream));
  return !o.check || suite::matches(out, [&](std::size_t i) { return 3 * (host[i] + 3); });
}

const suite::Program kProgram = {"graph", "floats", 1 << 15, 1, 1 << 26, 1, false};
const suite::Variant kVariants[] = {
    {"chain", "three kernel nodes, one after the other", run_chain},
    {"diamond", "four kernel nodes, the two in the middle side by side", run_diamond},
    {"captured", "a stream captured into a graph that is launched three times", run_captured},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
