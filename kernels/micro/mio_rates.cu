// How fast an SM reads special registers and constants: `kReads` of them in a row by 1 to 32 warps, which start
// together. Prints CSV: what, warps, cycles from the first warp's begin to the last one's end.
#include "micro.cuh"

constexpr int kReads = 64;
__constant__ u32 table[1024];

__device__ __forceinline__ u32 now() {
  u32 t = 0;
  asm volatile("{.reg .pred p; setp.ne.u32 p,%1,4096; @p mov.u32 %0,%%clock;}" : "+r"(t) : "r"(threadIdx.x) : "memory");
  return t;
}

template <int what>
__global__ void __launch_bounds__(1024) reads(u32* out, const u32 a) {
  u32 v[8] = {}, begin, end;
  const u64 at = reinterpret_cast<u64>(table) + threadIdx.x * a;  // a is 0
  __syncthreads();
  for (int again = 0; again < 2; ++again) {  // the first time brings the code and the constants
    __syncthreads();
    begin = now();
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      u32 x = 0;
      u64 y = 0;
      if (what == 0) asm volatile("mov.u32 %0,%%warpid;" : "=r"(x));
      if (what == 1) asm volatile("mov.u32 %0,%%smid;" : "=r"(x));
      if (what == 2) asm volatile("ld.const.u32 %0,[%1];" : "=r"(x) : "l"(at + k * 8));
      if (what == 3) asm volatile("ld.const.u64 %0,[%1];" : "=l"(y) : "l"(at + k * 8));
      if (what == 4) {
        if (k % 2) asm volatile("mov.u32 %0,%%warpid;" : "=r"(x));
        else asm volatile("ld.const.u32 %0,[%1];" : "=r"(x) : "l"(at + k * 8));
      }
      if (what == 3) x = static_cast<u32>(y) + static_cast<u32>(y >> 32);
      v[k % 8] = v[k % 8] * threadIdx.x + x;
    }
    u32 s = 0;
    for (int k = 0; k < 8; ++k) s += v[k];
    if (s == 0x12345) out[0] = s;
    end = now();
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = begin, out[threadIdx.x / 32 * 2 + 1] = end;
}

template <int what>
void run(const char* name, u32* out) {
  std::vector<u32> h(64);
  for (int warps : {1, 4, 8, 16, 32}) {
    reads<what><<<1, warps * 32>>>(out, 0);
    CHECK(cudaMemcpy(h.data(), out, 256, cudaMemcpyDeviceToHost));
    u32 first = ~0u, last = 0;
    for (int w = 0; w < warps; ++w) first = h[w * 2] < first ? h[w * 2] : first, last = h[w * 2 + 1] > last ? h[w * 2 + 1] : last;
    std::printf("%s,%d,%u\n", name, warps, last - first);
  }
}

int main() {
  u32* out = device_buffer<u32>(1 << 16);
  std::printf("what,warps,cycles\n");
  run<0>("warpid", out);
  run<1>("smid", out);
  run<2>("constant", out);
  run<3>("constant_wide", out);
  run<4>("warpid_and_constant", out);
}
