// How long a load from DRAM takes while others read and write, as dram_mixed, but everyone stops by the clock instead
// of looking at a word, and either side is also tried alone in DRAM: one warp reads words of lines that nobody has read,
// each when the one before has come; the CTAs of the other SMs take 16 bytes a thread a step, with so many cycles of
// waiting between two. Prints CSV: what the others do, cycles that they wait, sectors a cycle and way (those of `half` and
// `write_sectors`: see there), loads, then their cycles: mean, least, and quantiles. By clock64, no profiler.
//   read_write_l2   they read from DRAM and write to 8 MiB over and over
//   write_read_l2   they write to DRAM and read 8 MiB over and over
//   copy_apart      they read and write, but do not write what they have read
//   half            half of the CTAs read, the others write: so many sectors in both together
//   write_sectors   whole sectors of lines, every other of which is left out: half as many
#include <algorithm>

#include "micro.cuh"
constexpr int kLoads = 1200, kThreads = 256, kEach = 8;
constexpr u64 kBackground = u64{4} << 30, kChased = u64{1} << 30;
__device__ unsigned long long steps;
enum { kNothing, kRead, kWrite, kCopy, kReadWriteL2, kWriteReadL2, kCopyApart, kWriteSectors, kHalfReadHalfWrite };
__global__ void __launch_bounds__(256) mixed(const u8* chased, uint4* from, uint4* to, int what, int gap, u32 seed, u32* latency, u64* cycles, long long span) {
  const long long start = clock64();
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    u64 at = seed;
    wait_cycles(150000);
    const u64 begin = clock64();
    int n = 0;
    for (int k = 0; k < kLoads; ++k) {
      at = at * 6364136223846793005ull + 1442695040888963407ull;
      const u8* p = chased + (at >> 20) % (kChased / 128) * 128;
      const long long t0 = clock64();
      const u32 v = load_cg(p);
      at += v;
      asm volatile("" ::"l"(at) : "memory");
      if (v == 77) asm volatile("trap;");
      const long long t1 = clock64();
      latency[k] = static_cast<u32>(t1 - t0);
      ++n;
      if (t1 - start > span) break;
    }
    cycles[0] = clock64() - begin; cycles[1] = n;
    return;
  }
  const u64 others = gridDim.x - 1, all = kBackground / 16, small = (u64{8} << 20) / 16;
  u64 i = (u64{blockIdx.x} - 1) * kThreads + threadIdx.x;
  u32 n = 0;
  uint4 sum = {};
  while (clock64() - start < span) {
    if (what == kRead || what == kCopy || what == kReadWriteL2) { uint4 v = __ldcg(from + i); sum.x += v.x + v.y; if (what == kCopy) to[i] = make_uint4(v.x, v.y, n, n); }
    if (what == kReadWriteL2) to[i % small] = make_uint4(n, n, n, n);
    if (what == kWrite) to[i] = make_uint4(n, n, n, n);
    if (what == kWriteReadL2) { uint4 v = __ldcg(from + i % small); sum.x += v.x; to[i] = make_uint4(n, n, n, n); }
    if (what == kCopyApart) { uint4 v = __ldcg(from + i); sum.x += v.x + v.y; to[i] = make_uint4(n, n, n, n); }
    if (what == kHalfReadHalfWrite) { if (blockIdx.x & 1) { uint4 v = __ldcg(from + i); sum.x += v.x + v.y; } else to[i] = make_uint4(n, n, n, n); }
    if (what == kWriteSectors) { u64 j = i / 2 * 8 % all; if (!(threadIdx.x & 1)) { to[j] = make_uint4(n, n, n, n); to[j + 1] = make_uint4(n, n, n, n); } }
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
  u64* cycles = device_buffer<u64>(16);
  std::printf("others,gap,sectors,loads,mean,least,p10,p25,p50,p75,p90,p99,most\n");
  const char* names[] = {"nothing", "read", "write", "copy", "read_write_l2", "write_read_l2", "copy_apart", "write_sectors", "half"};
  u32 seed = 1;
  for (int what = 0; what <= 8; ++what)
    for (int gap : {1200, 2500, 5000, 10000, 20000}) {
      if (what == 0 && gap > 1200) continue;
      const unsigned long long none = 0;
      CHECK(cudaMemcpyToSymbol(steps, &none, 8));
      const long long span = 1500000;
      mixed<<<1 + 131 * kEach, kThreads>>>(chased, from, to, what, gap, seed++, latency, cycles, span);
      CHECK(cudaDeviceSynchronize());
      u64 c[2]; unsigned long long n = 0;
      CHECK(cudaMemcpy(c, cycles, 16, cudaMemcpyDeviceToHost));
      std::vector<u32> h(c[1]);
      CHECK(cudaMemcpy(h.data(), latency, c[1] * 4, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpyFromSymbol(&n, steps, 8));
      const double sectors = static_cast<double>(n) * kThreads * 16 / 32 / static_cast<double>(span);
      double mean = 0;
      for (u32 v : h) mean += v;
      std::sort(h.begin(), h.end());
      const auto at = [&](double q) { return h[static_cast<size_t>(q * (h.size() - 1))]; };
      std::printf("%s,%d,%.2f,%d,%.1f,%u,%u,%u,%u,%u,%u,%u,%u\n", names[what], gap, sectors, (int)c[1], mean / c[1], h[0], at(.1), at(.25), at(.5), at(.75), at(.9), at(.99), h.back());
      std::fflush(stdout);
    }
}
