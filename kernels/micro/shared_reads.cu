// Reads of the same lines by several SMs: how many of them reach the L2.
//   apart  two SMs of a GPC, one `later` cycles after the other; warm: lines that the L2 has, or DRAM
//   walk   many SMs walk over the same lines: alone, with barriers of their CTAs or of all SMs; all at the same
//          place, or some bytes or lines apart
// To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --metrics sm__cycles_elapsed.max,
//       lts__t_requests_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read.sum,
//       lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,l1tex__m_xbar2l1tex_read_sectors.sum shared_reads
// Counts of `apart` with warm lines include the reads that made them so. With an argument, and without the
// profiler, it prints when each SM's first warp had its data instead: "clock", SM, its clock when it began, and
// after rounds 1, 2, 4, 8 and 16.
#include <string>

#include "micro.cuh"

namespace {

enum Warm { kCold, kPages, kLines };          // what each SM has read before: nothing, the pages, all
enum Step { kFree, kCta, kGrid };             // what a round ends with: nothing, a barrier of the CTA, of all SMs
struct Walk {
  int rounds;
  int sectors;  // of each line that a warp reads
  Warm warm;
  Step step;
  int delay = 0;   // cycles a rank that an SM waits before each round
  int shift = 0;   // bytes a rank that its lines begin later
  int rotate = 0;  // lines a rank that it begins further on
  int stride = 128;
};

__device__ void meet(u32* counter, u32 all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < all) {
    }
  }
  __syncthreads();
}

// Each round a warp of an SM that takes part reads kLoads lines; all SMs the same ones.
template <int kLoads>
__global__ void walk(const u8* a, u32* out, u32* counter, const int* rank_of, u32 members, Walk w, u64* clocks) {
  const int rank = rank_of[sm_id()];
  if (rank < 0) return;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const u32 lines = w.rounds * kLoads * warps;
  u32 sum = 0, met = 0;
  const u64 began = clock64();
  if (w.warm == kPages) sum += load_cg(a + u64{lines} * w.stride);
  if (w.warm == kLines)
    for (u32 n = warp; n < lines; n += warps) sum += load_cg(a + u64{n} * w.stride + lane * 4);
  if (sum == 0x12345) *out = sum;
  if (w.warm != kCold || w.step == kGrid) meet(counter, members * ++met);
  for (int r = 0; r < w.rounds; ++r) {
    if (w.step == kGrid && r) meet(counter, members * ++met);
    if (w.delay) wait_cycles(static_cast<long long>(w.delay) * rank);
    if (lane < static_cast<u32>(w.sectors) * 8) {
#pragma unroll
      for (int k = 0; k < kLoads; ++k) {
        u32 n = (r * kLoads + k) * warps + warp + w.rotate * rank;
        if (n >= lines) n -= lines;
        sum += load_ca(a + u64{n} * w.stride + w.shift * rank + lane * 4);
      }
    }
    if (sum == 0x12345) *out = sum;  // waits for them
    if (w.step == kCta) __syncthreads();
    if (clocks && threadIdx.x == 0 && r < 16) clocks[sm_id() * 17 + 1 + r] = clock64();
  }
  if (clocks && threadIdx.x == 0) clocks[sm_id() * 17] = began;
}

// Two SMs whose clocks run together (one GPC's do) read the same lines, one every kApart cycles, the second
// `later` cycles after the first. Lines whose bits under `mask` have this parity.
constexpr long long kApart = 6000;
__global__ void apart(const u8* a, u32* out, u32* counter, volatile u64* begin, int first, int second, int rounds, int later,
                      bool warm, u64 mask, u32 parity) {
  const int sm = sm_id();
  if (sm != first && sm != second) return;
  const auto next = [&](u32 n) {
    while ((__popcll(n & mask) & 1) != parity) ++n;
    return n;
  };
  u32 sum = 0, n = 0;
  if (warm)
    for (int r = 0; r < rounds; ++r, n += 5) sum += load_cg(a + u64{n = next(n)} * 128 + threadIdx.x * 4);
  else sum += load_cg(a + (u64{1} << 20));
  if (sum == 0x12345) *out = sum;
  if (threadIdx.x == 0 && sm == first) *begin = clock64() + 20000, __threadfence();
  meet(counter, 2);
  const long long start = static_cast<long long>(*begin) + (sm == second ? later : 0);
  n = 0;
  for (int r = 0; r < rounds; ++r, n += 5) {
    const u8* const at = a + u64{n = next(n)} * 128 + threadIdx.x * 4;
    while (clock64() < start + r * kApart) {
    }
    sum += load_ca(at);
    if (sum == 0x12345) *out = sum;
  }
}

}  // namespace

int main(int argc, char**) {
  const bool timed = argc > 1;
  u8* a = device_buffer<u8>(64u << 20);
  u8* flush = device_buffer<u8>(256u << 20);
  u32* out = device_buffer<u32>(1 << 20);
  u32* counter = device_buffer<u32>(1 << 20);
  int* ranks = device_buffer<int>(1 << 20);
  u64* clocks = device_buffer<u64>(1 << 20);
  std::vector<u64> h(256 * 17);
  const auto run = [&](const char* name, const std::vector<int>& sms, int warps, int loads, Walk w) {
    std::vector<int> rank(256, -1);
    int members = 0;
    for (int sm : sms) rank[sm] = members++;
    CHECK(cudaMemcpy(ranks, rank.data(), rank.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counter, 0, 4));
    if (timed) CHECK(cudaMemset(flush, 0, 256u << 20));
    label("%s sms=%d warps=%d loads=%d rounds=%d sectors=%d warm=%d step=%d delay=%d shift=%d rotate=%d stride=%d", name, members, warps, loads, w.rounds, w.sectors, w.warm, w.step, w.delay,
          w.shift, w.rotate, w.stride);
    const auto go = [&](auto kernel) {
      CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 1024));
      kernel<<<132, warps * 32, 128 * 1024>>>(a, out, counter, ranks, members, w, timed ? clocks : nullptr);
      CHECK(cudaGetLastError());
    };
    if (loads == 1) go(walk<1>);
    else if (loads == 2) go(walk<2>);
    else if (loads == 4) go(walk<4>);
    else go(walk<8>);
    CHECK(cudaDeviceSynchronize());
    if (!timed) return;
    CHECK(cudaMemcpy(h.data(), clocks, h.size() * 8, cudaMemcpyDeviceToHost));
    for (int sm : sms) {
      std::printf("clock,%d", sm);
      for (int r : {0, 1, 2, 4, 8, 16}) std::printf(",%llu", (unsigned long long)h[sm * 17 + r]);
      std::printf("\n");
    }
  };
  std::vector<int> all, some;
  for (int i = 0; i < 132; ++i) all.push_back(i);
  const std::vector<int> gpc = {12, 13, 28, 29, 44, 45, 60, 61, 74, 75, 88, 89, 102, 103, 116, 117};  // SMs of one GPC
  const auto first = [&](std::size_t n) { return std::vector<int>(gpc.begin(), gpc.begin() + n); };
  for (Step step : {kFree, kCta, kGrid})
    for (Warm warm : {kCold, kPages, kLines}) {
      run("shape", all, 1, 1, {64, 4, warm, step});
      run("shape", all, 4, 4, {16, 4, warm, step});
      run("shape", all, 8, 1, {64, 4, warm, step});
      run("shape", all, 16, 8, {16, 4, warm, step});
    }
  if (!timed) {
    // The bits of a line's number that say which side is its home (cards/gpus/h200.toml, l2.home_bits), in
    // one page of 2 MiB.
    const u64 mask = (1 << 12 | 1 << 13 | 1 << 15 | 1 << 17 | 1 << 19) >> 7;
    CHECK(cudaFuncSetAttribute(apart, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 1024));
    for (int warm : {0, 1})
      for (u32 parity : {0, 1})
        for (int later = -80; later < (warm ? 400 : 1200); later += warm ? (later < 120 ? 8 : 20) : 40) {
          CHECK(cudaMemset(counter, 0, 4));
          label("apart later=%d warm=%d parity=%u", later, warm, parity);
          apart<<<132, 32, 128 * 1024>>>(a, out, counter, clocks, 12, 28, 64, later, warm, mask, parity);
          CHECK(cudaGetLastError());
          CHECK(cudaDeviceSynchronize());
        }
    for (int sectors : {1, 2, 3, 4})
      for (Warm warm : {kCold, kLines}) {
        run("sectors", all, 4, 4, {16, sectors, warm, kFree});
        run("sectors", all, 4, 4, {16, sectors, warm, kGrid});
      }
    for (int delay : {1, 2, 4, 8, 16, 32, 64}) run("delay", all, 1, 1, {64, 4, kLines, kGrid, delay});
    for (std::size_t n : {2, 3, 4, 6, 8, 12, 16})
      for (Warm warm : {kPages, kLines}) {
        run("gpc", first(n), 1, 1, {64, 4, warm, kGrid});
        run("gpc", first(n), 4, 4, {16, 4, warm, kGrid});
      }
    for (int delay : {25, 50, 75, 100, 125, 150, 175, 200, 225, 250, 275, 300, 350, 400, 500, 600, 800, 1000})
      for (Warm warm : {kPages, kLines}) run("pair", {12, 28}, 1, 1, {64, 4, warm, kGrid, delay});
    for (int delay : {25, 50, 100, 200, 400}) run("pair4", {12, 28}, 4, 4, {16, 4, kLines, kGrid, delay});
    for (std::size_t n : {2, 4, 8, 16})
      for (int warps : {1, 2, 4, 8, 16, 32}) run("many", first(n), warps, 8, {8, 4, kLines, kGrid});
  }
  for (Warm warm : {kCold, kLines}) {
    run("shift", all, 4, 4, {16, 4, warm, kFree, 0, 4});
    run("shift", all, 4, 4, {16, 4, warm, kGrid, 0, 4});
    run("rotate", all, 4, 4, {16, 4, warm, kFree, 0, 0, 1});
    run("rotate", all, 4, 4, {16, 4, warm, kGrid, 0, 0, 1});
    run("rotate", all, 4, 4, {16, 4, warm, kFree, 0, 0, 16});
    run("long", all, 8, 1, {512, 4, warm, kFree});
    run("long", all, 8, 1, {512, 4, warm, kCta});
    run("long", all, 8, 4, {128, 4, warm, kFree});
    run("stride", all, 4, 4, {16, 4, warm, kFree, 0, 0, 0, 4096});
  }
}
