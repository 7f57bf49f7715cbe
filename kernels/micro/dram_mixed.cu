// How long a load from DRAM takes while others read, write, or copy: one warp reads words of lines that nobody has
// read, each when the one before has come; the CTAs of the other SMs stream through buffers of their own, 16 bytes a
// thread, with so many cycles of waiting between two steps. Prints CSV: what the others do, cycles that they wait,
// sectors they read and write a cycle, then the warp's cycles a load: mean, least, and quantiles.
#include <algorithm>

#include "micro.cuh"

constexpr int kLoads = 3000, kThreads = 256, kEach = 8;
constexpr u64 kBackground = u64{4} << 30, kChased = u64{1} << 30;

__device__ volatile u32 done;
__device__ unsigned long long steps;

__global__ void mixed(const u8* chased, uint4* from, uint4* to, int what, int gap, u32 seed, u32* latency, u64* cycles) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    wait_cycles(200000);  // until the others have filled the queues
    const u64 begin = clock64();
    u64 at = seed;
    for (int k = 0; k < kLoads; ++k) {
      at = at * 6364136223846793005ull + 1442695040888963407ull;
      const u8* p = chased + (at >> 20) % (kChased / 128) * 128;
      const long long t0 = clock64();
      const u32 v = load_cg(p);
      at += v;  // zero
      asm volatile("" ::"l"(at) : "memory");
      if (v == 77) asm volatile("trap;");
      latency[k] = static_cast<u32>(clock64() - t0);
    }
    cycles[0] = clock64() - begin;
    done = 1;
    return;
  }
  const u64 others = gridDim.x - 1, all = kBackground / 16;
  u64 i = (u64{blockIdx.x} - 1) * kThreads + threadIdx.x;
  u32 n = 0;
  uint4 sum = {};
  while (!done) {
    if (what == 1 || what == 3) {
      uint4 v = __ldcg(from + i);
      sum.x += v.x + v.y;
      if (what == 3) to[i] = make_uint4(v.x, v.y, n, n);
    } else if (what == 2) {
      to[i] = make_uint4(n, n, n, n);
    } else {
      wait_cycles(1000);
    }
    i += others * kThreads;
    if (i >= all) i -= all;
    ++n;
    if (gap) wait_cycles(gap);
  }
  if (sum.x == 77) to[0] = sum;
  if (threadIdx.x == 0) atomicAdd(&steps, (unsigned long long)n);
}

int main() {
  u8* chased = device_buffer<u8>(kChased);
  uint4* from = device_buffer<uint4>(kBackground);
  uint4* to = device_buffer<uint4>(kBackground);
  u32* latency = device_buffer<u32>(kLoads * 4);
  u64* cycles = device_buffer<u64>(8);
  std::vector<u32> h(kLoads);
  std::printf("others,gap,sectors_read,sectors_written,mean,least,p10,p25,p50,p75,p90,p99,most\n");
  const char* names[] = {"nothing", "read", "write", "copy"};
  u32 seed = 1;
  for (int what : {0, 1, 2, 3})
    for (int gap : {0, 500, 1000, 1500, 2000, 3000, 5000, 10000, 20000}) {
      if (what == 0 && gap) continue;
      const u32 zero = 0;
      const unsigned long long none = 0;
      CHECK(cudaMemcpyToSymbol(done, &zero, 4));
      CHECK(cudaMemcpyToSymbol(steps, &none, 8));
      mixed<<<1 + 131 * kEach, kThreads>>>(chased, from, to, what, gap, seed++, latency, cycles);
      CHECK(cudaDeviceSynchronize());
      CHECK(cudaMemcpy(h.data(), latency, kLoads * 4, cudaMemcpyDeviceToHost));
      u64 c = 0;
      unsigned long long n = 0;
      CHECK(cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpyFromSymbol(&n, steps, 8));
      const double sectors = static_cast<double>(n) * kThreads * 16 / 32 / (static_cast<double>(c) + 200000);
      double mean = 0;
      for (u32 v : h) mean += v;
      std::sort(h.begin(), h.end());
      const auto at = [&](double q) { return h[static_cast<size_t>(q * (kLoads - 1))]; };
      std::printf("%s,%d,%.2f,%.2f,%.1f,%u,%u,%u,%u,%u,%u,%u,%u\n", names[what], gap, what & 1 ? sectors : 0,
                  what & 2 ? sectors : 0, mean / kLoads, h[0], at(.1), at(.25), at(.5), at(.75), at(.9), at(.99), h.back());
      std::fflush(stdout);
    }
}
