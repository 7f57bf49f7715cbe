// Two-dimensional tiles moved by a tensor map (TMA): plain, and turned with and without the
// hardware's 128-byte swizzle. Needs compute capability 9.0.
#include "bulk.cuh"
#include "common.cuh"
#include "tensor_map.cuh"

namespace {

constexpr int kTile = 32;  // 32 x 32 floats, a row of 128 bytes
constexpr int kRows = 8;   // CTA of 32 x 8 threads
constexpr std::uint32_t kBytes = kTile * kTile * sizeof(float);

__device__ __forceinline__ bool first_thread() { return threadIdx.x == 0 && threadIdx.y == 0; }

__device__ __forceinline__ void load_tile(float* tile, std::uint64_t* barrier,
                                          const CUtensorMap* map) {
  if (first_thread()) bulk::barrier_init(barrier);
  __syncthreads();
  if (first_thread()) {
    bulk::barrier_expect(barrier, kBytes);
    bulk::load_tile(tile, map, blockIdx.x * kTile, blockIdx.y * kTile, barrier);
  }
  bulk::barrier_wait(barrier, 0);
}

// Where element (row, column) of a tile lies: the swizzle exchanges 16-byte pieces of a row by the
// row's number modulo 8.
template <bool kSwizzled>
__device__ __forceinline__ int place(int row, int column) {
  const int piece = kSwizzled ? (column / 4) ^ (row % 8) : column / 4;
  return row * kTile + piece * 4 + column % 4;
}

template <bool kSwizzled>
__device__ __forceinline__ void turn(const CUtensorMap* map, float* out, int n) {
  alignas(1024) __shared__ float tile[kTile * kTile];  // the swizzle repeats every 1,024 bytes
  __shared__ std::uint64_t barrier;
  load_tile(tile, &barrier, map);
  const int x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int r = 0; r < kTile; r += kRows) {
    out[(y + r) * n + x] = tile[place<kSwizzled>(threadIdx.x, threadIdx.y + r)];
  }
}

}  // namespace

__global__ void tensor_map_copy(const __grid_constant__ CUtensorMap from,
                                const __grid_constant__ CUtensorMap to, float*, int) {
  alignas(1024) __shared__ float tile[kTile * kTile];
  __shared__ std::uint64_t barrier;
  load_tile(tile, &barrier, &from);
#pragma unroll
  for (int r = 0; r < kTile; r += kRows) tile[(threadIdx.y + r) * kTile + threadIdx.x] *= 2;
  bulk::fence();
  __syncthreads();
  if (first_thread()) {
    bulk::store_tile(&to, blockIdx.x * kTile, blockIdx.y * kTile, tile);
    bulk::finish_stores();
  }
}

__global__ void tensor_map_transpose(const __grid_constant__ CUtensorMap from,
                                     const __grid_constant__ CUtensorMap, float* out, int n) {
  turn<false>(&from, out, n);
}

__global__ void tensor_map_transpose_swizzled(const __grid_constant__ CUtensorMap from,
                                              const __grid_constant__ CUtensorMap, float* out,
                                              int n) {
  turn<true>(&from, out, n);
}

namespace {

using Kernel = void (*)(const CUtensorMap, const CUtensorMap, float*, int);

template <Kernel kKernel, bool kTurn, bool kSwizzled>
bool run(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host = suite::small_numbers(n * n);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(n * n);
  const auto encode = tensor_map::find_encode();
  const CUtensorMap from =
      tensor_map::describe(encode, in.get(), o.size, kTile, kTile, kSwizzled);
  const CUtensorMap to = tensor_map::describe(encode, out.get(), o.size, kTile, kTile, false);
  kKernel<<<dim3(o.size / kTile, o.size / kTile), dim3(kTile, kRows)>>>(from, to, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return kTurn ? host[i % n * n + i / n] : 2 * host[i];
  });
}

const suite::Program kProgram = {
    "tensor_map", "side of the square matrix of floats", 1024, 32, 16384, 32, false};
const suite::Variant kVariants[] = {
    {"copy", "tiles in and out by tensor map: the copy engine works out the addresses",
     run<tensor_map_copy, false, false>, 90},
    {"transpose", "a tile's columns read from shared memory: 32-way bank conflicts",
     run<tensor_map_transpose, true, false>, 90},
    {"transpose_swizzled", "the copy engine swizzles the tile: 4-way conflicts without padding",
     run<tensor_map_transpose_swizzled, true, true>, 90},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
