// How fast an SM sends reductions and stores whose lanes are spread, and how fast the L2 takes those of all: warps of
// one SM, of 8, or of all, each access a lane a word drawn in so many bytes (`random`), or on so many lines and sectors
// (`spread`: lanes fill sectors of so many lines in turn). Prints CSV: kind, bytes a lane, region or lines x sectors,
// SMs, warps, cycles an access of a warp (of the slowest SM). By clock64, no profiler.
#include "micro.cuh"

constexpr int kRounds = 64;
enum Kind { kRed, kRedFloat, kAtom, kStore1, kStore2, kStore4, kStore8, kStore16 };

template <int kind>
__device__ __forceinline__ void go(u8* p, u32 v) {
  if constexpr (kind == kRed) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
  if constexpr (kind == kRedFloat) asm volatile("red.global.add.f32 [%0],%1;" ::"l"(p), "f"(1.0f) : "memory");
  if constexpr (kind == kAtom) asm volatile("{.reg .u32 t; atom.global.add.u32 t,[%0],%1;}" ::"l"(p), "r"(v) : "memory");
  if constexpr (kind == kStore1) asm volatile("st.global.u8 [%0],%1;" ::"l"(p), "r"(v) : "memory");
  if constexpr (kind == kStore2) asm volatile("st.global.u16 [%0],%1;" ::"l"(p), "h"((unsigned short)v) : "memory");
  if constexpr (kind == kStore4) asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
  if constexpr (kind == kStore8) asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(p), "r"(v) : "memory");
  if constexpr (kind == kStore16) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ u32 hash(u32 x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}
template <int kind>
__global__ void __launch_bounds__(1024) scatter(u8* to, u32 region, u32 bytes, int lines, int sectors, u64* cycles) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 4
  for (int n = 0; n < kRounds; ++n) {
    u8* p;
    if (region) p = to + hash((blockIdx.x * 1024 + threadIdx.x) * 977 + n) % (region / bytes) * bytes;
    else {
      const u32 k = lane % (lines * sectors), again = lane / (lines * sectors);
      p = to + (((blockIdx.x * 32 + warp) * 8 + n % 8) * 32 + k / sectors) * 128 + k % sectors * 32 + again * bytes;
    }
    go<kind>(p, n);
  }
  __threadfence();
  const long long end = clock64();
  if (lane == 0) cycles[(blockIdx.x * 32 + warp) * 2] = begin, cycles[(blockIdx.x * 32 + warp) * 2 + 1] = end;
}
u8* to;
u64* cycles;
template <int kind>
void one(const char* name, u32 region, u32 bytes, int lines, int sectors, int sms, int warps) {
  for (int again = 0; again < 2; ++again) {
    scatter<kind><<<sms, warps * 32>>>(to, region, bytes, lines, sectors, cycles);
    CHECK(cudaDeviceSynchronize());
  }
  std::vector<u64> h(sms * 64);
  CHECK(cudaMemcpy(h.data(), cycles, h.size() * 8, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int s = 0; s < sms; ++s) {
    u64 least = ~0ull, most = 0;
    for (int w = 0; w < warps; ++w) {
      least = h[(s * 32 + w) * 2] < least ? h[(s * 32 + w) * 2] : least;
      most = h[(s * 32 + w) * 2 + 1] > most ? h[(s * 32 + w) * 2 + 1] : most;
    }
    worst = (double)(most - least) > worst ? (double)(most - least) : worst;
  }
  std::printf("%s,%u,%u,%d,%d,%d,%d,%.2f\n", name, bytes, region, lines, sectors, sms, warps, worst / (kRounds * warps));
}
template <int kind>
void all(const char* name, u32 bytes) {
  for (int sms : {1, 8, 132})
    for (u32 region : {2048u, 32768u, 65536u, 1u << 20, 16u << 20}) one<kind>(name, region, bytes, 0, 0, sms, 16);
  if (bytes >= 2)
    for (int lines : {1, 2, 4, 8, 16, 32})
      for (int sectors : {1, 2, 4})
        if (lines * sectors <= 32 && 32 / (lines * sectors) * bytes <= 32) one<kind>(name, 0, bytes, lines, sectors, 1, 16);
}
int main() {
  to = device_buffer<u8>(64 << 20);
  cycles = device_buffer<u64>(132 * 64 * 8);
  std::printf("kind,bytes,region,lines,sectors,sms,warps,cycles\n");
  all<kRed>("red", 4);
  all<kRedFloat>("red_float", 4);
  all<kAtom>("atom", 4);
  all<kStore1>("store", 1);
  all<kStore2>("store", 2);
  all<kStore4>("store", 4);
  all<kStore8>("store", 8);
  all<kStore16>("store", 16);
}
