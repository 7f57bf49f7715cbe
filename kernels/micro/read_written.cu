// How long a load takes of lines that other SMs write to just then: one warp of one SM reads words of a region
// at random, one behind the other (past the L1, or through it), while one warp of each of so many other SMs writes
// single words at random to the same region, or to another one, with so many cycles of waiting in between.
// Prints CSV: what the others do, bytes of the region, writers, gap, writes a thousand cycles, how the loads go, then mean and
// quantiles of their cycles. By clock64, no profiler.
#include <algorithm>
#include "micro.cuh"

constexpr int kLoads = 2000;
__device__ volatile u32 done;
__device__ unsigned long long writes;

__device__ __forceinline__ u32 hash(u32 x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}
// what: 1: loads through the L1; 2: reductions instead of stores.
__global__ void run(u8* read, u8* written, u32 lines, int writers, int gap, int what, int lanes, u32* latency, u64* span) {
  const u32 me = blockIdx.x;
  const long long start = clock64();
  if (me == 0) {
    if (threadIdx.x) return;
    u32 at = 1;
    for (u32 k = 0; k < lines; ++k) at += load_cg(read + k * 128) & 0;
    wait_cycles(20000);
    const long long begin = clock64();
    for (int k = 0; k < kLoads; ++k) {
      at = hash(at + k);
      const u8* p = read + at % lines * 128 + (at >> 20) % 32 * 4;
      const long long t0 = clock64();
      const u32 v = what & 1 ? load_ca(p) : load_cg(p);
      at += v & 0x80000000u;
      if (v == 77) asm volatile("trap;");
      latency[k] = static_cast<u32>(clock64() - t0);
    }
    span[0] = clock64() - begin;
    return;
  }
  if (me > (u32)writers || (int)threadIdx.x >= lanes) return;
  u32 n = 0;
  while (clock64() - start < 1500000) {
    const u32 x = hash(me * 4099 + threadIdx.x * 131071 + n);
    u8* p = written + x % lines * 128 + (x >> 20) % 32 * 4;
    if (what & 2) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(0) : "memory");
    else store4(p, 5);
    ++n;
    if (gap) wait_cycles(gap);
  }
  if (threadIdx.x == 0) atomicAdd(&writes, (unsigned long long)n * lanes);
}
int main() {
  u8* a = device_buffer<u8>(64 << 20);
  u8* b = device_buffer<u8>(64 << 20);
  u32* latency = device_buffer<u32>(kLoads * 4);
  u64* span = device_buffer<u64>(64);
  std::printf("others,region,writers,lanes,gap,rate,loads,mean,p10,p25,p50,p75,p90,p99\n");
  for (u32 lines : {64u, 512u, 2048u, 16384u})
    for (int other : {0, 1, 2})
      for (int what : {0, 1, 2})
        for (int lanes : {1, 32})
          for (int gap : {200, 2000}) {
            if (other == 2 && (lanes > 1 || gap > 200 || what == 2)) continue;
            const int writers = other == 2 ? 0 : 131;
            const unsigned long long none = 0;
            CHECK(cudaMemcpyToSymbol(writes, &none, 8));
            run<<<132, 32>>>(a, other ? b : a, lines, writers, gap, what, lanes, latency, span);
            CHECK(cudaDeviceSynchronize());
            std::vector<u32> h(kLoads);
            unsigned long long n;
            CHECK(cudaMemcpy(h.data(), latency, kLoads * 4, cudaMemcpyDeviceToHost));
            CHECK(cudaMemcpyFromSymbol(&n, writes, 8));
            double mean = 0;
            for (u32 v : h) mean += v;
            std::sort(h.begin(), h.end());
            const auto at = [&](double q) { return h[(size_t)(q * (kLoads - 1))]; };
            std::printf("%s,%u,%d,%d,%d,%.2f,%s,%.1f,%u,%u,%u,%u,%u,%u\n", other == 2 ? "none" : other ? "elsewhere" : what & 2 ? "red" : "write", lines * 128, writers, lanes, gap, n / 1500.0, what & 1 ? "ca" : "cg", mean / kLoads, at(.1), at(.25), at(.5), at(.75), at(.9), at(.99));
          }
}
