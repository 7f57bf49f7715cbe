// Which of its warps a scheduler issues from: each warp runs the same instructions, all starting together
// behind a barrier, and reads its SM's clock after every few of them. Prints CSV: kind, threads, warp, cycle
// of each reading since the first of all.
//   chain   8 dependent multiply-adds between two readings
//   store   one store to the warp's own line
#include "micro.cuh"

constexpr int kReadings = 24;

__device__ __forceinline__ u32 now() {
  // By the lane, so that it is read into a register of the warp's own at once.
  u32 t = 0;
  asm volatile("{.reg .pred p; setp.ne.u32 p,%1,4096; @p mov.u32 %0,%%clock;}" : "+r"(t) : "r"(threadIdx.x) : "memory");
  return t;
}
__device__ __forceinline__ void chain(u32& x) {
#pragma unroll
  for (int i = 0; i < 8; ++i) asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
}

template <bool stores>
__global__ void __launch_bounds__(1024) order(u32* out, u8* lines) {
  u32 t[kReadings];
  u32 x = threadIdx.x;
  u8* const mine = lines + threadIdx.x / 32 * 8192 + threadIdx.x % 32 * 4;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kReadings; ++k) {
    t[k] = now();
    if (stores) store4(mine, k);
    else chain(x);
  }
  if (threadIdx.x % 32 == 0)
    for (int k = 0; k < kReadings; ++k) out[threadIdx.x / 32 * kReadings + k] = t[k];
  if (x == 0x12345) out[0] = x;
}

template <bool stores>
void run(const char* name, u32* out, u8* lines) {
  std::vector<u32> h(32 * kReadings);
  for (int threads : {128, 256, 512, 1024}) {
    for (int again = 0; again < 3; ++again) {
      order<stores><<<1, threads>>>(out, lines);
      CHECK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
    }
    u32 first = ~0u;
    const int warps = threads / 32;
    for (int w = 0; w < warps; ++w) first = h[w * kReadings] < first ? h[w * kReadings] : first;
    for (int w = 0; w < warps; ++w) {
      std::printf("%s,%d,%d", name, threads, w);
      for (int k = 0; k < kReadings; ++k) std::printf(",%u", h[w * kReadings + k] - first);
      std::printf("\n");
    }
  }
}

int main() {
  u32* out = device_buffer<u32>(1 << 20);
  u8* lines = device_buffer<u8>(1 << 20);
  std::printf("kind,threads,warp");
  for (int k = 0; k < kReadings; ++k) std::printf(",reading_%d", k);
  std::printf("\n");
  run<false>("chain", out, lines);
  run<true>("store", out, lines);
}
