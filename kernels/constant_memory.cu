// A table in constant memory: one address a warp is one cycle, more are served one by one.
#include "common.cuh"

namespace {

constexpr int kTable = 4096;
constexpr int kRounds = 16;
constexpr int kFirst = 3;

__constant__ float table[kTable];

// Lanes are spread over 32 >> shift addresses. `first` comes with the launch, so that no index is
// known at compile time.
__host__ __device__ __forceinline__ int entry(int i, int round, int first, int shift) {
  return (first + 37 * round + 11 * (i % 32 >> shift)) % kTable;
}

__device__ __forceinline__ void sum_table(float* out, int n, int first, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int round = 0; round < kRounds; ++round) sum += table[entry(i, round, first, shift)];
  out[i] = sum;
}

}  // namespace

__global__ void constant_memory_uniform(float* out, int n, int first) {
  sum_table(out, n, first, 5);
}
__global__ void constant_memory_halves(float* out, int n, int first) {
  sum_table(out, n, first, 4);
}
__global__ void constant_memory_divergent(float* out, int n, int first) {
  sum_table(out, n, first, 0);
}

namespace {

using Kernel = void (*)(float*, int, int);

template <Kernel kKernel, int kShift>
bool run(const suite::Options& o) {
  const auto host = suite::small_numbers(kTable);
  CUDA_CHECK(cudaMemcpyToSymbol(table, host.data(), kTable * sizeof(float)));
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(out, o.size, kFirst);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    float sum = 0;
    for (int round = 0; round < kRounds; ++round) {
      sum += host[entry(static_cast<int>(i), round, kFirst, kShift)];
    }
    return sum;
  });
}

const suite::Program kProgram = {"constant_memory", "threads", 1 << 17, 1, 1 << 26, 1, true};
const suite::Variant kVariants[] = {
    {"uniform", "all lanes read one entry: one pass, as fast as a register",
     run<constant_memory_uniform, 5>},
    {"halves", "two entries a warp: two passes", run<constant_memory_halves, 4>},
    {"divergent", "an entry a lane: 32 passes one after the other",
     run<constant_memory_divergent, 0>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
