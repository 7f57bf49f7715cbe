// When prefetches into the L2 are dropped: so many CTAs prefetch a line a lane, so many cycles from
// one to the next, of memory that nobody has read. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --print-units base --metrics dram__sectors_read.sum,
//       lts__t_sectors_srcunit_tex_op_read.sum,lts__t_requests_srcunit_tex.sum,sm__cycles_elapsed.max
//       prefetch_drops
#include "micro.cuh"

__global__ void prefetch(const u8* base, u32 rounds, u32 delay, u32* out) {
  const u64 thread = u64{blockIdx.x} * blockDim.x + threadIdx.x,
            threads = u64{gridDim.x} * blockDim.x;
  u64 next = clock64();
  for (u32 r = 0; r < rounds; ++r) {
    while (delay && clock64() < next) {
    }
    next += delay;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(base + (r * threads + thread) * 128) : "memory");
  }
  if (rounds == ~0u) out[0] = 1;
}

int main() {
  u8* const base = device_buffer<u8>(u64{256} << 20);
  u32* const out = device_buffer<u32>(256);
  for (u32 ctas : {1u, 8u, 33u, 132u})
    for (u32 threads : {32u, 256u, 1024u})
      for (u32 delay : {0u, 64u, 256u, 1024u, 4096u})
        for (u32 lines : {8192u, 131072u}) {
          const u32 rounds = lines / ctas / threads;
          if (rounds == 0 || u64{rounds} * delay > 2000000) continue;
          label("ctas=%u threads=%u delay=%u lines=%u", ctas, threads, delay,
                rounds * ctas * threads);
          prefetch<<<ctas, threads>>>(base, rounds, delay, out);
          CHECK(cudaGetLastError());
          CHECK(cudaDeviceSynchronize());
        }
  return 0;
}
