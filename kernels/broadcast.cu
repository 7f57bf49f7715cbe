// Many lanes, one word: global loads pay for distinct sectors, shared loads for distinct words.
#include "common.cuh"

namespace {

constexpr int kTile = 256;  // words in shared memory, and threads a CTA
constexpr int kRounds = 32;

}  // namespace

__global__ void broadcast_grid(const float* in, float* out, int n, int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[which];
}

__global__ void broadcast_warp(const float* in, float* out, int n, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i / 32];
}

__global__ void broadcast_quad(const float* in, float* out, int n, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i / 4];
}

namespace {

// Sums kRounds words of the CTA's tile; `shift` groups 2^shift lanes on each word. The start comes
// from the launch so that the compiler cannot merge the loads into wider ones.
__device__ __forceinline__ void sum_tile(const float* in, float* out, int n, int first, int shift) {
  __shared__ float tile[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  float sum = 0;
  const int lane = threadIdx.x % 32;
  for (int round = 0; round < kRounds; ++round) {
    sum += tile[(first + round * 33 + (lane >> shift)) % kTile];
  }
  if (i < n) out[i] = sum;
}

}  // namespace

__global__ void broadcast_shared_word(const float* in, float* out, int n, int first) {
  sum_tile(in, out, n, first, 5);
}
__global__ void broadcast_shared_pairs(const float* in, float* out, int n, int first) {
  sum_tile(in, out, n, first, 1);
}
__global__ void broadcast_shared_lanes(const float* in, float* out, int n, int first) {
  sum_tile(in, out, n, first, 0);
}

namespace {

using Kernel = void (*)(const float*, float*, int, int);

constexpr int kWhich = 5;

template <Kernel kKernel, int kLanes>
bool run_global(const suite::Options& o) {
  const auto host = suite::small_numbers(o.size + 32);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(o.size);
  kKernel<<<suite::blocks_for(o.size, kTile), kTile>>>(in, out, o.size, kWhich);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return kLanes == 0 ? host[kWhich] : host[i / (kLanes == 0 ? 1 : kLanes)];
  });
}

template <Kernel kKernel, int kShift>
bool run_shared(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(n);
  kKernel<<<suite::blocks_for(o.size, kTile), kTile>>>(in, out, o.size, kWhich);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    const std::size_t tile = i / kTile * kTile;
    float sum = 0;
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t k = tile + (kWhich + round * 33 + ((i % 32) >> kShift)) % kTile;
      sum += k < n ? host[k] : 0.0f;
    }
    return sum;
  });
}

const suite::Program kProgram = {"broadcast", "elements written", 1 << 17, 1, 1 << 26, 1, false};
const suite::Variant kVariants[] = {
    {"grid", "every thread reads the same word: one sector a request, always in L1",
     run_global<broadcast_grid, 0>},
    {"warp", "one word for each warp: one sector, an eighth of it used",
     run_global<broadcast_warp, 32>},
    {"quad", "one word for four lanes: one whole sector a request", run_global<broadcast_quad, 4>},
    {"shared_word", "all lanes read one shared word: one wavefront",
     run_shared<broadcast_shared_word, 5>},
    {"shared_pairs", "two lanes on each shared word: one wavefront (multicast)",
     run_shared<broadcast_shared_pairs, 1>},
    {"shared_lanes", "a word a lane, rotated: one wavefront, 32 banks",
     run_shared<broadcast_shared_lanes, 0>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
