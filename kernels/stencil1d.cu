// A seven-point stencil on a line: every input is needed seven times, from L1 or from a tile.
#include "common.cuh"

namespace {

constexpr int kRadius = 3;  // `in` has kRadius more elements at both ends

}  // namespace

__global__ void stencil1d_naive(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += in[i + k];
  out[i] = sum;
}

__global__ void stencil1d_tiled(const float* in, float* out, int n) {
  extern __shared__ float tile[];  // blockDim.x + 2 * kRadius
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int end = n + 2 * kRadius;
  if (i < end) tile[threadIdx.x] = in[i];
  if (threadIdx.x < 2 * kRadius && i + blockDim.x < end) {
    tile[threadIdx.x + blockDim.x] = in[i + blockDim.x];
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += tile[threadIdx.x + k];
  out[i] = sum;
}

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel, bool kShared>
bool run(const suite::Options& o) {
  const auto host = suite::small_numbers(std::size_t(o.size) + 2 * kRadius);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  const std::size_t shared = kShared ? (block + 2 * kRadius) * sizeof(float) : 0;
  kKernel<<<suite::blocks_for(o.size, block), block, shared>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    float sum = 0;
    for (int k = 0; k <= 2 * kRadius; ++k) sum += host[i + k];
    return sum;
  });
}

const suite::Program kProgram = {"stencil1d", "points of the line", 1 << 19, 1, 1 << 28, 1, true};
const suite::Variant kVariants[] = {
    {"naive", "seven overlapping reads a point: six come out of L1, most of them misaligned",
     run<stencil1d_naive, false>},
    {"tiled", "one read a point and a halo into shared memory: seven shared reads instead",
     run<stencil1d_tiled, true>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
