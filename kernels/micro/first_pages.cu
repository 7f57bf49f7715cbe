// First accesses to memory of a launch, by how far apart they are and whether anybody has been there since the
// program began: one thread's eight loads, each waiting for the last one, 4 KiB to 128 MiB apart, in memory that no kernel
// has read (the host's fill aside) or that one has. Prints CSV: step, touched before, time round, cycles of each load.
// To be run under the profiler, which flushes caches in front of each launch.
#include "micro.cuh"
struct Places { const u8* at[9]; };
__device__ __forceinline__ u32 clock_now() { u32 t; asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory"); return t; }
__global__ void chain(Places p, u32* out, int report) {
  u32 t[9]; u32 v = 0;
  t[0] = clock_now();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    v = load_cg(p.at[k] + v);
    asm volatile("{.reg .pred p; setp.eq.u32 p,%1,77; @p trap; mov.u32 %0,%%clock;}" : "=r"(t[k + 1]) : "r"(v) : "memory");
  }
  if (report || v) for (int k = 0; k < 8; ++k) out[k] = t[k + 1] - t[k];
}
__global__ void touch(const u8* p, u64 bytes, u64 step, u32* out) {
  u32 v = 0;
  for (u64 a = (u64{blockIdx.x} * blockDim.x + threadIdx.x) * step; a < bytes; a += step * gridDim.x * blockDim.x) v += load_cg(p + a);
  if (v == 77) *out = v;
}
int main() {
  u8* big = device_buffer<u8>(u64{8} << 30);
  u32* out = device_buffer<u32>(4096);
  std::printf("step,touched,again,cycles\n");
  for (int again = 0; again < 2; ++again)
    for (int touched = 0; touched < 2; ++touched)
      for (u64 step : {u64{4096}, u64{65536}, u64{262144}, u64{2} << 20, u64{4} << 20, u64{32} << 20, u64{128} << 20}) {
        const u64 base = again * (u64{2} << 30);
        if (touched) touch<<<132, 128>>>(big + base, step * 8, 65536, out);
        Places p;
        for (int k = 0; k < 8; ++k) p.at[k] = big + base + touched * 512 + k * step;
        chain<<<1, 1>>>(p, out, 1);
        u32 h[8];
        CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
        std::printf("%llu,%d,%d,", (unsigned long long)step, touched, again);
        for (int k = 0; k < 8; ++k) std::printf("%s%u", k ? " " : "", h[k]);
        std::printf("\n");
      }
}
