// In which order the warps of an SM get their loads to the L1 when these miss: each lane reads
// `each` words of 8 bytes in a row of 96 bytes at a place of its own, row after row. Where all
// warps come by in turn, rows are pushed out of the L1 between two loads of them; where a warp
// issues a row's loads one behind the other, they are not. Prints the clock at which the warps of
// one scheduler issue each load of their rows (no profiler), or, with an argument, runs the cases
// for a profiler: l1tex__t_sectors_pipe_lsu_mem_global_op_ld{,_lookup_hit},
// l1tex__m_xbar2l1tex_read_sectors.
#include "micro.cuh"

namespace {

constexpr int kRows = 3, kEach = 12;

__device__ __forceinline__ u32 mixed(u64 n) {
  n ^= n >> 31, n *= 0x7fb5d329728ea185ull;
  n ^= n >> 27, n *= 0x81dadef4bc2dd44dull;
  return static_cast<u32>(n >> 32);
}
__device__ __forceinline__ u32 load8(const u8* p) {
  u32 a, b;
  asm volatile("ld.global.ca.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
  return a ^ b;
}
__device__ __forceinline__ u32 now() {
  u64 t;
  asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory");
  return static_cast<u32>(t);
}

}  // namespace

// kWaits: each load's value is needed before the next one.
template <bool kClocks, bool kWaits>
__global__ void rows(const u8* table, u32 cells, u32* clocks, u32* out) {
  const u64 thread = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const u32 warp = threadIdx.x / 32;
  u32 sum = 0, at[kRows * kEach];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const u8* const p = table + static_cast<u64>(__umulhi(mixed(thread * 65537 + r), cells)) * 96;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      if (kClocks) at[r * kEach + k] = now();
      sum += load8(p + k * 8 + (kWaits ? (sum & 0) : 0));
      if (kWaits && sum == 0x12345) out[0] = sum;
    }
  }
  if (sum == 0x12345) out[threadIdx.x] = sum;
  if (kClocks && threadIdx.x % 32 == 0 && blockIdx.x == 5)
    for (int k = 0; k < kRows * kEach; ++k) clocks[warp * kRows * kEach + k] = at[k];
}

int main(int argc, char**) {
  const bool counted = argc > 1;
  u8* table = device_buffer<u8>(240u << 20);
  u32* clocks = device_buffer<u32>(64 * kRows * kEach * 4);
  u32* out = device_buffer<u32>(4096);
  std::vector<u32> h(64 * kRows * kEach);
  for (u32 mib : {4, 240})
    for (int waits : {0, 1})
      for (int warps : {1, 4, 8, 16, 32}) {
        const u32 cells = mib * 10922;
        if (counted) {
          for (int ctas : {132, 264, 1056}) {
            label("table=%u waits=%d warps=%d ctas=%d", mib, waits, warps, ctas);
            if (waits) rows<false, true><<<ctas, warps * 32>>>(table, cells, clocks, out);
            else rows<false, false><<<ctas, warps * 32>>>(table, cells, clocks, out);
            CHECK(cudaDeviceSynchronize());
          }
          continue;
        }
        for (int twice = 0; twice < 2; ++twice) {
          if (waits) rows<true, true><<<132, warps * 32>>>(table, cells, clocks, out);
          else rows<true, false><<<132, warps * 32>>>(table, cells, clocks, out);
          CHECK(cudaDeviceSynchronize());
        }
        CHECK(cudaMemcpy(h.data(), clocks, h.size() * 4, cudaMemcpyDeviceToHost));
        u32 first = ~0u;
        for (int w = 0; w < warps; ++w)
          first = h[w * kRows * kEach] < first ? h[w * kRows * kEach] : first;
        for (int w = 0; w < warps; w += 4) {
          std::printf("issue,table=%u waits=%d warps=%d warp=%d", mib, waits, warps, w);
          for (int k = 0; k < kRows * kEach; ++k)
            std::printf(" %u", h[w * kRows * kEach + k] - first);
          std::printf("\n");
        }
      }
}
