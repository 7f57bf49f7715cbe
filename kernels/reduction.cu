// Sums of a CTA's elements: which shared words a step touches, and how little of it is needed.
#include "common.cuh"

namespace {

__device__ __forceinline__ float element(const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  return i < n ? in[i] : 0.0f;
}

}  // namespace

// Threads whose number is a multiple of 2s add: warps stay half empty.
__global__ void reduction_divergent(const float* in, float* sums, int n) {
  extern __shared__ float partial[];
  const unsigned t = threadIdx.x;
  partial[t] = element(in, n);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

// The first threads add pairs that lie 2s apart: full warps, but a stride through the banks.
__global__ void reduction_interleaved(const float* in, float* sums, int n) {
  extern __shared__ float partial[];
  const unsigned t = threadIdx.x;
  partial[t] = element(in, n);
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned k = 2 * s * t;
    if (k < blockDim.x) partial[k] += partial[k + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

// The first half adds the second half: full warps, neighbouring banks.
__global__ void reduction_sequential(const float* in, float* sums, int n) {
  extern __shared__ float partial[];
  const unsigned t = threadIdx.x;
  partial[t] = element(in, n);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

// Inside a warp values pass between registers; shared memory holds one word a warp.
__global__ void reduction_shuffle(const float* in, float* sums, int n) {
  __shared__ float partial[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float value = element(in, n);
  for (int s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, s);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp != 0) return;
  value = lane < blockDim.x / 32 ? partial[lane] : 0.0f;
  for (int s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, s);
  if (lane == 0) sums[blockIdx.x] = value;
}

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel, bool kShared = true>
bool run(const suite::Options& o) {
  const int block = o.block_or(256);
  if ((block & (block - 1)) != 0) {
    suite::usage_error("the halving steps need a power of two of threads", "give --block 32…1024");
  }
  const int blocks = suite::blocks_for(o.size, block);
  const auto host = suite::small_numbers(o.size);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> sums(blocks);
  const std::size_t shared = kShared ? block * sizeof(float) : 0;
  kKernel<<<blocks, block, shared>>>(in, sums, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(sums, [&](std::size_t b) {
    float sum = 0;
    for (std::size_t i = b * block; i < (b + 1) * block && i < host.size(); ++i) sum += host[i];
    return sum;
  });
}

const suite::Program kProgram = {
    "reduction", "floats (one sum for each CTA)", 1 << 19, 1, 1 << 28, 1, true};
const suite::Variant kVariants[] = {
    {"divergent", "every 2s-th thread adds: conflict-free but mostly idle lanes",
     run<reduction_divergent>},
    {"interleaved", "stride 2s through the banks: conflicts double at every step",
     run<reduction_interleaved>},
    {"sequential", "neighbouring threads, neighbouring banks: no conflict",
     run<reduction_sequential>},
    {"shuffle", "registers instead of shared memory inside a warp: almost no shared traffic",
     run<reduction_shuffle, false>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
