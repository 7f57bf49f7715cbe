// What a fence costs with so many stores of the warp under way, each to a line of its own: to lines that
// the L2 has and to lines it has not. No profiler. Prints CSV:
//   scope (0: CTA, 1: cluster, 2: GPU, 3: system),warps,stores under way,lines known to the L2,cycles from
//   before the stores to behind the fence: least,median,most over the rounds
#include <algorithm>

#include "micro.cuh"

template <int kScope>
__device__ __forceinline__ void fence() {
  if (kScope == 0) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if (kScope == 1) asm volatile("fence.acq_rel.cluster;" ::: "memory");
  if (kScope == 2) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if (kScope == 3) asm volatile("fence.acq_rel.sys;" ::: "memory");
}

constexpr int kRounds = 64;

template <int kScope>
__global__ void stores(u8* out, u32* cycles, int count, int known) {
  const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int r = 0; r < kRounds; ++r) {
    // Known lines are written again and again, others once.
    u8* const at = out + (u64(warp) * (known ? 1 : kRounds) + (known ? 0 : r)) * 32 * 4096 + threadIdx.x % 32 * 4;
    __syncthreads();
    const long long from = clock64();
    for (int k = 0; k < count; ++k) store4(at + u64(k) * 4096, r);
    fence<kScope>();
    const u32 took = u32(clock64() - from);
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[r] = took;
    fence<3>();
  }
}

template <int kScope>
void run(u8* out, u32* cycles) {
  std::vector<u32> h(kRounds);
  for (int warps : {1, 8})
    for (int known : {1, 0})
      for (int count : {0, 1, 2, 4, 8, 16, 32}) {
        stores<kScope><<<1, warps * 32>>>(out, cycles, count, known);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(h.data(), cycles, kRounds * 4, cudaMemcpyDeviceToHost));
        std::sort(h.begin() + 1, h.end());  // the first round fetches the code
        std::printf("%d,%d,%d,%d,%u,%u,%u\n", kScope, warps, count, known, h[1], h[kRounds / 2], h[kRounds - 1]);
      }
}

int main() {
  u8* out = device_buffer<u8>(u64{8} * kRounds * 32 * 4096 + 4096);
  u32* cycles = device_buffer<u32>(kRounds * 4);
  run<0>(out, cycles);
  run<1>(out, cycles);
  run<2>(out, cycles);
  run<3>(out, cycles);
}
