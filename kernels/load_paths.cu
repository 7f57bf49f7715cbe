// The same traffic with different cache operators: three-point sums for loads (so that reuse in L1
// shows), and doubling for stores.
#include "common.cuh"

namespace {

constexpr int kTail = 2;  // `in` has so many more elements

template <typename Load>
__device__ __forceinline__ void sum3(const float* in, float* out, int n, Load load) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = load(in + i) + load(in + i + 1) + load(in + i + 2);
}

}  // namespace

__global__ void load_paths_plain(const float* in, float* out, int n) {
  sum3(in, out, n, [](const float* p) { return *p; });
}
__global__ void load_paths_ldg(const float* in, float* out, int n) {
  sum3(in, out, n, [](const float* p) { return __ldg(p); });
}
__global__ void load_paths_ldcg(const float* in, float* out, int n) {
  sum3(in, out, n, [](const float* p) { return __ldcg(p); });
}
__global__ void load_paths_ldcs(const float* in, float* out, int n) {
  sum3(in, out, n, [](const float* p) { return __ldcs(p); });
}
__global__ void load_paths_volatile(const float* in, float* out, int n) {
  sum3(in, out, n, [](const float* p) { return *const_cast<const volatile float*>(p); });
}

// Asks L2 for the lines that the CTA 64 further on will read, one lane a line.
__global__ void load_paths_prefetch(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int ahead = i + 64 * blockDim.x;
  if (threadIdx.x % 32 == 0 && ahead < n) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + ahead));
  }
  if (i < n) out[i] = in[i] + in[i + 1] + in[i + 2];
}

__global__ void load_paths_stcg(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __stcg(out + i, 2 * in[i]);
}
__global__ void load_paths_stcs(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __stcs(out + i, 2 * in[i]);
}
__global__ void load_paths_stwt(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __stwt(out + i, 2 * in[i]);
}

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel, bool kSum>
bool run(const suite::Options& o) {
  const auto host = suite::small_numbers(std::size_t(o.size) + kTail);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return kSum ? host[i] + host[i + 1] + host[i + 2] : 2 * host[i];
  });
}

const suite::Program kProgram = {"load_paths", "floats", 1 << 19, 1, 1 << 28, 1, true};
const suite::Variant kVariants[] = {
    {"plain", "plain loads: two of three reads hit L1", run<load_paths_plain, true>},
    {"ldg", "read-only loads (__ldg): the same L1, another instruction", run<load_paths_ldg, true>},
    {"ldcg", "loads cached in L2 only (__ldcg): every request goes there",
     run<load_paths_ldcg, true>},
    {"ldcs", "streaming loads (__ldcs): first to be evicted", run<load_paths_ldcs, true>},
    {"volatile", "volatile loads: nothing may be kept", run<load_paths_volatile, true>},
    {"prefetch", "prefetch to L2 ahead of plain loads: extra requests, no extra DRAM sectors",
     run<load_paths_prefetch, true>},
    {"stcg", "stores cached in L2 only (__stcg)", run<load_paths_stcg, false>},
    {"stcs", "streaming stores (__stcs)", run<load_paths_stcs, false>},
    {"stwt", "stores written through L2 (__stwt)", run<load_paths_stwt, false>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
