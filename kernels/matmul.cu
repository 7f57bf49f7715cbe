// C = A * B on square matrices: from one pass over memory for each element to tiles that are read
// once, and to tiles fetched while the previous ones are multiplied.
#include "common.cuh"

// CTA 16 x 16: a warp is two rows of 16, so reads of A are two words and reads of B are 64 bytes.
__global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

namespace {

template <int kTile>
__device__ __forceinline__ void multiply_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    tile_a[ty][tx] = a[y * n + first + tx];
    tile_b[ty][tx] = b[(first + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

}  // namespace

__global__ void matmul_tiled16(const float* a, const float* b, float* c, int n) {
  multiply_tiles<16>(a, b, c, n);
}
__global__ void matmul_tiled32(const float* a, const float* b, float* c, int n) {
  multiply_tiles<32>(a, b, c, n);
}

// The next tiles travel to registers while the present ones are multiplied.
__global__ void matmul_prefetch(const float* a, const float* b, float* c, int n) {
  constexpr int kTile = 32;
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  float next_a = a[y * n + tx];
  float next_b = b[ty * n + x];
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    tile_a[ty][tx] = next_a;
    tile_b[ty][tx] = next_b;
    __syncthreads();
    const int next = first + kTile;
    if (next < n) {
      next_a = a[y * n + next + tx];
      next_b = b[(next + ty) * n + x];
    }
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

namespace {

using Kernel = void (*)(const float*, const float*, float*, int);

template <Kernel kKernel, int kSide>
bool run(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host_a = suite::small_numbers(n * n, 1);
  const auto host_b = suite::small_numbers(n * n, 2);
  const suite::DeviceArray<float> a(host_a);
  const suite::DeviceArray<float> b(host_b);
  const suite::DeviceArray<float> c(n * n);
  const dim3 grid(o.size / kSide, o.size / kSide);
  kKernel<<<grid, dim3(kSide, kSide)>>>(a, b, c, o.size);
  CUDA_FINISH();
  if (!o.check) return true;
  const auto expected = [&](std::size_t i) {
    const std::size_t y = i / n, x = i % n;
    float sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += host_a[y * n + k] * host_b[k * n + x];
    return sum;
  };
  return suite::matches(c, expected, 0, suite::check_step(n * n, n));
}

const suite::Program kProgram = {
    "matmul", "side of the square matrices of floats", 256, 32, 16384, 32, false};
const suite::Variant kVariants[] = {
    {"naive", "two global loads for every multiply-add: L1 does the work of a tile",
     run<matmul_naive, 16>},
    {"tiled16", "16 x 16 tiles in shared memory: global loads fall to a sixteenth",
     run<matmul_tiled16, 16>},
    {"tiled32", "32 x 32 tiles: to a thirty-second, and each row of a tile is a whole line",
     run<matmul_tiled32, 32>},
    {"prefetch", "tiled32 with the next tiles read into registers meanwhile: less wait",
     run<matmul_prefetch, 32>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
