// How long a grid's loads take when caches are cold, by warp: a copy of one word a thread. Prints CSV: CTAs,
// run, CTA, warp, SM, clock before the load, cycles until it is back. With an argument, one launch a case, to
// be run under the profiler, whose caches are cold each time.
#include "micro.cuh"

__global__ void copy(const u32* in, u32* to, u32* out, int offset) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 t0, t1;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t0)::"memory");
  const u32 v = load_cg(in + i + offset);
  asm volatile("{.reg .pred p; setp.eq.u32 p,%1,77; @p trap; mov.u32 %0,%%clock;}" : "=r"(t1) : "r"(v) : "memory");
  to[i] = v;
  if (threadIdx.x % 32 == 0) {
    out[i / 32 * 3] = sm_id();
    out[i / 32 * 3 + 1] = t0;
    out[i / 32 * 3 + 2] = t1 - t0;
  }
}

int main(int argc, char**) {
  u32 *in = device_buffer<u32>(8 << 20), *to = device_buffer<u32>(8 << 20), *out = device_buffer<u32>(8 << 20);
  u8* flush = device_buffer<u8>(256 << 20);
  std::vector<u32> h(1024 * 8 * 3);
  for (int offset : {0, 1})
    for (int ctas : {1, 132, 264, 528, 1024})
      for (int run = 0; run < (argc > 1 ? 1 : 3); ++run) {
        if (argc == 1) CHECK(cudaMemset(flush, run, 256 << 20));
        CHECK(cudaDeviceSynchronize());
        copy<<<ctas, 256>>>(in, to, out, offset);
        CHECK(cudaMemcpy(h.data(), out, ctas * 96, cudaMemcpyDeviceToHost));
        for (int w = 0; w < ctas * 8; ++w)
          std::printf("%d+%d,%d,%d,%d,%u,%u,%u\n", ctas, offset, run, w / 8, w % 8, h[w * 3], h[w * 3 + 1], h[w * 3 + 2]);
      }
}
