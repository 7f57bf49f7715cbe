// Local memory: arrays indexed at run time, and registers that do not fit.
#include "common.cuh"

// A limit on registers a thread; older compilers have only the limit that follows from occupancy.
#if CUDART_VERSION >= 12040
#define WITH_32_REGISTERS __maxnreg__(32)
#else
#define WITH_32_REGISTERS __launch_bounds__(256, 8)
#endif

namespace {

constexpr unsigned kEntries = 32;
constexpr int kStep = 5;

// Walks an array of the thread's own: start and step decide which entry each lane is at.
template <bool kPerLane>
__host__ __device__ __forceinline__ unsigned walk(unsigned x, unsigned step) {
  unsigned entry[kEntries];
  for (unsigned k = 0; k < kEntries; ++k) entry[k] = x + k * k;
  unsigned at = kPerLane ? x % kEntries : 0;
  unsigned sum = 0;
  for (unsigned k = 0; k < kEntries; ++k) {
    sum = sum * 3 + entry[at];
    entry[at] = sum;
    at = (at + step) % kEntries;
  }
  return sum;
}

}  // namespace

__global__ void local_memory_array_uniform(const unsigned* in, unsigned* out, int n, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = walk<false>(in[i], step);
}

__global__ void local_memory_array_per_lane(const unsigned* in, unsigned* out, int n, int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = walk<true>(in[i], step);
}

// The same walk with everything known at compile time.
__global__ void local_memory_array_registers(const unsigned* in, unsigned* out, int n, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned x = in[i];
  unsigned entry[kEntries];
#pragma unroll
  for (unsigned k = 0; k < kEntries; ++k) entry[k] = x + k * k;
  unsigned sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kEntries; ++k) {
    const unsigned at = k * kStep % kEntries;
    sum = sum * 3 + entry[at];
    entry[at] = sum;
  }
  out[i] = sum;
}

namespace {

constexpr int kLive = 64;  // values that are alive at once

// All values stay alive around the loop, so that 32 registers cannot hold them.
__device__ __forceinline__ unsigned mix(unsigned x, int rounds) {
  unsigned v[kLive];
#pragma unroll
  for (int k = 0; k < kLive; ++k) v[k] = x * (2 * k + 1);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kLive; ++k) v[k] = v[k] * v[(k + kLive / 2 - 1) % kLive] + round;
  }
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kLive; ++k) sum = sum * 5 + v[k];
  return sum;
}

unsigned mix_on_host(unsigned x, int rounds) {
  unsigned v[kLive];
  for (int k = 0; k < kLive; ++k) v[k] = x * (2 * k + 1);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < kLive; ++k) v[k] = v[k] * v[(k + kLive / 2 - 1) % kLive] + round;
  }
  unsigned sum = 0;
  for (int k = 0; k < kLive; ++k) sum = sum * 5 + v[k];
  return sum;
}

}  // namespace

__global__ void WITH_32_REGISTERS local_memory_spilled(const unsigned* in, unsigned* out, int n,
                                                       int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mix(in[i], rounds);
}

__global__ void __launch_bounds__(256)
    local_memory_unspilled(const unsigned* in, unsigned* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mix(in[i], rounds);
}

namespace {

constexpr int kRounds = 4;

using Kernel = void (*)(const unsigned*, unsigned*, int, int);

template <Kernel kKernel, int kParameter, unsigned (*kExpected)(unsigned)>
bool run(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const suite::DeviceArray<unsigned> in(host);
  const suite::DeviceArray<unsigned> out(host.size());
  kKernel<<<suite::blocks_for(o.size, 256), 256>>>(in, out, o.size, kParameter);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) { return kExpected(host[i]); });
}

unsigned uniform(unsigned x) { return walk<false>(x, kStep); }
unsigned per_lane(unsigned x) { return walk<true>(x, kStep); }
unsigned mixed(unsigned x) { return mix_on_host(x, kRounds); }

const suite::Program kProgram = {"local_memory", "threads", 1 << 15, 1, 1 << 26, 1, false};
const suite::Variant kVariants[] = {
    {"array_uniform", "an indexed array, all lanes at the same entry: interleaved, four sectors",
     run<local_memory_array_uniform, kStep, uniform>},
    {"array_per_lane", "lanes at different entries: a sector a lane, in as many lines as entries",
     run<local_memory_array_per_lane, kStep, per_lane>},
    {"array_registers", "the same array with constant indices: no local memory at all",
     run<local_memory_array_registers, kStep, uniform>},
    {"spilled", "64 live values in 32 registers: the compiler's own local loads and stores",
     run<local_memory_spilled, kRounds, mixed>},
    {"unspilled", "the same values in as many registers as they need",
     run<local_memory_unspilled, kRounds, mixed>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
