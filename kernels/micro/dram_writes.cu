// What writes cost DRAM, and how long they keep reads waiting. Prints two tables as CSV.
//   rate   sectors a cycle when all SMs do nothing else: by what they do, which sectors of a line (bits), and how many lines
//          lie side by side (`lines`, 0: all; units of so many are taken in an order of their own)
//   delay  how much longer loads of one lane take than when nobody else is there, while so many sectors a cycle are read
//          and written by the rest of the SMs, at a pace (`unit` bytes side by side): every address is measured three times
//          with nobody else, and the least of these is taken off. Mean, share above 50 cycles, and quantiles.
// By clock64 and events, no profiler. An argument names a file for all delays (16 bits each, case by case).
#include <algorithm>
#include <cstring>

#include "micro.cuh"

constexpr int kThreads = 256, kSms = 132, kProbes = 1000;
constexpr u64 kBuffer = u64{4} << 30, kChased = u64{1} << 30;

// An order of its own of the numbers below 2^bits.
__device__ u64 shuffled(u64 x, int bits) {
  const u64 mask = (u64{1} << bits) - 1;
  for (int k = 0; k < 3; ++k) {
    x ^= x >> (bits / 2 + 1);
    x = x * 0x9e3779b97f4a7c15ull & mask;
  }
  return x ^ x >> (bits / 2 + 1);
}

// Sectors by pairs of lanes; `writes` of every 8 steps are to `to`, the others from `from`.
__global__ void __launch_bounds__(256) rate(const uint4* from, uint4* to, u32 mask, int lines, int writes, bool partial, u64 sectors) {
  const u32 all = gridDim.x * kThreads, of_line = __popc(mask), shift = 31 - __clz(lines | 1);
  u32 order = 0;  // four bits each: the sectors
  for (u32 b = 4; b-- > 0;)
    if (mask >> b & 1) order = order << 4 | b;
  uint4 sum = {};
  u32 step = 0;
  for (u32 i = blockIdx.x * kThreads + threadIdx.x; i < sectors * 2; i += all, ++step) {
    const u32 s = i / 2;
    u64 line = s / of_line;
    if (lines) line = shuffled(line >> shift, 25 - shift) << shift | (line & (lines - 1));
    const u64 at = line * 8 + ((order >> s % of_line * 4 & 15) * 2 + i % 2);
    if ((step * 5 + blockIdx.x) % 8 >= writes) {
      const uint4 v = __ldcg(from + at);
      sum.x += v.x + v.w;
    } else if (!partial) {
      to[at] = make_uint4(i, i, i, i);
    } else if (i % 2 == 0) {
      to[at].x = static_cast<u32>(i);
    }
  }
  if (sum.x == 77) to[0] = sum;
}

__global__ void spin(long long span) {
  const long long start = clock64();
  while (clock64() - start < span) {
  }
}

// Fills the L2 as the case would: `w` of every r + w units of 4 KiB are written.
__global__ void __launch_bounds__(256) fill(const uint4* from, uint4* to, int r, int w, u64 units) {
  uint4 sum = {};
  for (u64 u = blockIdx.x; u < units; u += gridDim.x) {
    const u64 at = u * kThreads + threadIdx.x;
    if (static_cast<int>(u * 2654435761u % 4096 * (r + w) / 4096) < w) {
      to[at] = make_uint4(u, u, u, u);
    } else {
      const uint4 v = __ldcg(from + at);
      sum.x += v.x;
    }
  }
  if (sum.x == 77) to[0] = sum;
}

// A CTA an SM probes; of the others half read and half write, each 4 KiB every so many cycles.
__global__ void __launch_bounds__(256) loaded(const u8* chased, const uint4* from, uint4* to, u32 read_every, u32 write_every, int unit,
                                              long long span, unsigned short* took) {
  const long long start = clock64();
  if (blockIdx.x < kSms) {
    if (threadIdx.x != 0) return;
    wait_cycles(60000);
    u64 seed = blockIdx.x * 7919 + 1;
    for (int k = 0; k < kProbes; ++k) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      const u8* p = chased + (seed >> 20) % (kChased / 128) * 128;
      const long long t0 = clock64();
      const u32 v = load_cg(p);
      asm volatile("" ::"r"(v) : "memory");
      if (v == 77) asm volatile("trap;");
      const long long t = clock64() - t0;
      took[blockIdx.x * kProbes + k] = t > 65535 ? 65535 : static_cast<unsigned short>(t);
      if (clock64() - start > span) break;
    }
    return;
  }
  const u64 others = gridDim.x - kSms, me = blockIdx.x - kSms, all = kBuffer / 4096;
  const bool writes = me & 1;
  const u32 every = writes ? write_every : read_every;
  if (!every) return;
  long long next = start + me * 2654435761u % every;
  uint4 sum = {};
  for (u64 n = 0;; ++n) {
    while (clock64() < next) {
    }
    if (clock64() - start > span) break;
    next += every;
    const u64 at = (n * others + me) % all * kThreads + threadIdx.x;
    u64 to_at = at;
    if (unit == 512) to_at = shuffled(at / 32, 23) * 32 + at % 32;
    if (unit == 128) to_at = shuffled(at / 8, 25) * 8 + at % 8;
    if (writes) {
      to[to_at] = make_uint4(n, n, n, n);
    } else {
      const uint4 v = __ldcg(from + at);
      sum.x += v.x;
    }
    __syncthreads();
  }
  if (sum.x == 77) to[0] = sum;
}

int main(int argc, char** argv) {
  u8* chased = device_buffer<u8>(kChased);
  uint4* from = device_buffer<uint4>(kBuffer);
  uint4* to = device_buffer<uint4>(kBuffer);
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  float ms = 0;
  for (int k = 0; k < 3; ++k) {
    CHECK(cudaEventRecord(a));
    spin<<<1, 1>>>(20000000);
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaEventElapsedTime(&ms, a, b));
  }
  const double cycles_per_ms = 20000000 / ms;
  std::printf("clock,%.1f\nrate,mask,lines,writes_of_8,partial,sectors_a_cycle\n", cycles_per_ms);
  struct { u32 mask; int lines, writes; bool partial; } rates[] = {
      {15, 0, 0, false}, {15, 1, 0, false}, {15, 4, 0, false}, {15, 8, 0, false}, {1, 0, 0, false},  {1, 1, 0, false},  {3, 0, 0, false},
      {3, 1, 0, false},  {6, 0, 0, false},  {15, 0, 8, false}, {15, 1, 8, false}, {15, 4, 8, false}, {15, 8, 8, false}, {15, 16, 8, false},
      {1, 0, 8, false},  {1, 1, 8, false},  {3, 0, 8, false},  {3, 1, 8, false},  {6, 0, 8, false},  {5, 0, 8, false},  {7, 0, 8, false},
      {7, 1, 8, false},  {1, 0, 8, true},   {1, 1, 8, true},   {15, 0, 8, true},  {15, 1, 8, true},  {15, 0, 1, false}, {15, 0, 2, false},
      {15, 0, 4, false}, {15, 0, 6, false}, {15, 0, 7, false}, {15, 1, 2, false}, {15, 1, 4, false}, {15, 1, 6, false}, {3, 1, 4, false}};
  for (const auto& c : rates)
    for (int again = 0; again < 2; ++again) {
      const u64 sectors = u64{1} << 25;
      const u64 count = c.mask == 15 ? sectors * 2 : sectors;
      CHECK(cudaEventRecord(a));
      rate<<<kSms * 8, kThreads>>>(from, to, c.mask, c.lines, c.writes, c.partial, count);
      CHECK(cudaEventRecord(b));
      CHECK(cudaEventSynchronize(b));
      CHECK(cudaEventElapsedTime(&ms, a, b));
      std::printf("rate,%u,%d,%d,%d,%.2f\n", c.mask, c.lines, c.writes, c.partial, static_cast<double>(count) / (ms * cycles_per_ms));
      std::fflush(stdout);
    }
  const int kAll = kSms * kProbes;
  unsigned short* took = device_buffer<unsigned short>(kAll * 2);
  std::vector<unsigned short> least(kAll, 65535), h(kAll);
  std::FILE* out = argc > 1 ? std::fopen(argv[1], "wb") : nullptr;
  std::printf("delay,read,written,unit,loads,mean,above_50,p10,p25,p50,p75,p90,p95,p99\n");
  struct { int r, w, unit; } cases[] = {
      {0, 0, 0},   {0, 0, 0},   {0, 0, 0},   {0, 0, 0},   {4, 0, 0},   {15, 0, 0},  {30, 0, 0},  {45, 0, 0},  {0, 1, 0},   {0, 2, 0},    {0, 4, 0},
      {0, 8, 0},   {0, 15, 0},  {0, 24, 0},  {0, 36, 0},  {1, 1, 0},   {2, 2, 0},   {4, 4, 0},   {8, 8, 0},   {15, 15, 0}, {20, 20, 0},  {15, 1, 0},
      {15, 4, 0},  {15, 8, 0},  {4, 15, 0},  {8, 15, 0},  {1, 15, 0},  {30, 4, 0},  {30, 8, 0},  {0, 4, 512}, {0, 8, 512},  {0, 15, 512}, {0, 4, 128},
      {0, 8, 128}, {0, 15, 128}, {8, 8, 512}, {15, 15, 512}, {8, 8, 128}, {15, 15, 128}};
  int n = 0;
  for (const auto& c : cases) {
    CHECK(cudaMemset(took, 0, kAll * 2));
    const int r = c.r + c.w ? c.r : 1;
    fill<<<kSms * 8, kThreads>>>(from, to, r, c.w, (u64{1} << 30) / 4096);
    const double half = kSms * 7 / 2.0 * kThreads * 16 / 32;
    loaded<<<kSms * 8, kThreads>>>(chased, from, to, c.r ? static_cast<u32>(half / c.r) : 0, c.w ? static_cast<u32>(half / c.w) : 0, c.unit,
                                   1300000, took);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h.data(), took, kAll * 2, cudaMemcpyDeviceToHost));
    if (out) std::fwrite(h.data(), 2, kAll, out);
    std::vector<int> d;
    double mean = 0, above = 0;
    for (int k = 0; k < kAll; ++k) {
      if (n < 3 && h[k]) least[k] = std::min(least[k], h[k]);
      if (!h[k]) continue;
      d.push_back(h[k] - least[k]);
      mean += d.back();
      above += d.back() > 50;
    }
    if (++n <= 3) continue;
    std::sort(d.begin(), d.end());
    const auto at = [&](double q) { return d[static_cast<size_t>(q * (d.size() - 1))]; };
    std::printf("delay,%d,%d,%d,%d,%.1f,%.3f,%d,%d,%d,%d,%d,%d,%d\n", c.r, c.w, c.unit, (int)d.size(), mean / d.size(), above / d.size(), at(.1),
                at(.25), at(.5), at(.75), at(.9), at(.95), at(.99));
    std::fflush(stdout);
  }
  if (out) std::fclose(out);
}
