// Tiles through shared memory: fetched by way of registers, or by cp.async with 1, 2 or 4 stages.
// Before compute capability 8.0 the compiler replaces cp.async by a load and a store.
#include "common.cuh"

#include <cuda_pipeline_primitives.h>

namespace {

constexpr int kThreads = 128;
constexpr int kChunks = 8;                  // tiles a CTA
constexpr int kChunkFloats = 4 * kThreads;  // floats a tile

// out = 2 * own value + the value that the neighbouring thread fetched.
__device__ __forceinline__ void finish_chunk(const float4* tile, float4* out) {
  const float4 own = tile[threadIdx.x], other = tile[threadIdx.x ^ 1];
  *out = make_float4(2 * own.x + other.x, 2 * own.y + other.y, 2 * own.z + other.z,
                     2 * own.w + other.w);
}

template <int kBytes>
__device__ __forceinline__ void fetch(float4* tile, const float4* in) {
  constexpr int kCopies = 16 / kBytes;
  char* to = reinterpret_cast<char*>(tile);
  const char* from = reinterpret_cast<const char*>(in);
#pragma unroll
  for (int k = 0; k < kCopies; ++k) {
    const int at = (k * kThreads + threadIdx.x) * kBytes;
    __pipeline_memcpy_async(to + at, from + at, kBytes);
  }
}

template <int kStages, int kBytes>
__device__ __forceinline__ void pipeline(const float4* in, float4* out) {
  __shared__ float4 stage[kStages][kThreads];
  const std::size_t first = std::size_t(blockIdx.x) * kChunks * kThreads;
#pragma unroll
  for (int c = 0; c < kStages - 1; ++c) {
    fetch<kBytes>(stage[c], in + first + c * kThreads);
    __pipeline_commit();
  }
  for (int c = 0; c < kChunks; ++c) {
    const int ahead = c + kStages - 1;
    if (ahead < kChunks) fetch<kBytes>(stage[ahead % kStages], in + first + ahead * kThreads);
    __pipeline_commit();  // empty at the end, so that the count below stays the same
    __pipeline_wait_prior(kStages - 1);
    __syncthreads();
    finish_chunk(stage[c % kStages], out + first + c * kThreads + threadIdx.x);
    __syncthreads();
  }
}

}  // namespace

__global__ void async_copy_registers(const float4* in, float4* out) {
  __shared__ float4 tile[kThreads];
  const std::size_t first = std::size_t(blockIdx.x) * kChunks * kThreads + threadIdx.x;
  for (int c = 0; c < kChunks; ++c) {
    tile[threadIdx.x] = in[first + c * kThreads];
    __syncthreads();
    finish_chunk(tile, out + first + c * kThreads);
    __syncthreads();
  }
}

__global__ void async_copy_stages1(const float4* in, float4* out) { pipeline<1, 16>(in, out); }
__global__ void async_copy_stages2(const float4* in, float4* out) { pipeline<2, 16>(in, out); }
__global__ void async_copy_stages4(const float4* in, float4* out) { pipeline<4, 16>(in, out); }
__global__ void async_copy_narrow(const float4* in, float4* out) { pipeline<2, 4>(in, out); }

namespace {

using Kernel = void (*)(const float4*, float4*);

template <Kernel kKernel>
bool run(const suite::Options& o) {
  const auto host = suite::small_numbers(o.size);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(o.size);
  kKernel<<<o.size / (kChunks * kChunkFloats), kThreads>>>(
      reinterpret_cast<const float4*>(in.get()), reinterpret_cast<float4*>(out.get()));
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return 2 * host[i] + host[i ^ 4];  // the neighbouring thread's float4, same component
  });
}

const suite::Program kProgram = {
    "async_copy", "floats", 1 << 20, kChunks* kChunkFloats, 1 << 28, kChunks* kChunkFloats, false};
const suite::Variant kVariants[] = {
    {"registers", "global to registers to shared: a load and a store for every tile row",
     run<async_copy_registers>},
    {"stages1", "cp.async without overlap: the registers and the shared stores are gone",
     run<async_copy_stages1>},
    {"stages2", "cp.async double buffer: the next tile travels meanwhile", run<async_copy_stages2>},
    {"stages4", "cp.async with four stages: three tiles in flight", run<async_copy_stages4>},
    {"narrow", "4-byte cp.async (through L1): four times the requests of 16-byte ones",
     run<async_copy_narrow>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
