// How long a warp waits for code that it jumps to, and for parameters: blocks of so many instructions, each jumped
// over or run, the clock read at each landing; words so many bytes apart of the launch's parameters, one after
// the other. Prints CSV: kind, instructions of a block or bytes, threads, CTAs, round (three in a launch), then the
// cycles from one landing to the next as the first warp of the middle CTA saw them. To be run under the profiler,
// which flushes caches in front of each launch.
#include "micro.cuh"
__device__ __forceinline__ u32 clock_now() { u32 t; asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory"); return t; }
template <int M> struct Code { static __device__ __forceinline__ void run(float& x) { Code<M / 2>::run(x); Code<M / 2>::run(x); } };
template <> struct Code<16> { static __device__ __forceinline__ void run(float& x) {
#define F "fma.rn.f32 %0,%0,%0,%0;"
  asm volatile(F F F F F F F F F F F F F F F F : "+f"(x)); } };
constexpr int kBlocks = 24, kRounds = 3;
template <int M> __global__ void jump(u32 flags, float* sink, u32* out, int rounds) {
  float x = threadIdx.x;
  u32 t[kBlocks + 1];
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < kBlocks; ++k) {
      t[k] = clock_now();
      if (flags >> k & 1) Code<M>::run(x);
    }
    t[kBlocks] = clock_now();
    if (threadIdx.x % 32 == 0) {
      u32* o = out + ((blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * kRounds + r) * (kBlocks + 1);
#pragma unroll
      for (int k = 0; k <= kBlocks; ++k) o[k] = t[k];
    }
  }
  if (x == 77) *sink = x;
}
u32* out;
float* sink;

template <int M> void jumps() {
  std::vector<u32> h(kRounds * (kBlocks + 1) * 132 * 32);
  for (u32 run : {0u, ~0u})
    for (int threads : {32, 1024})
      for (int ctas : {1, 132}) {
        if (run && threads == 1024) continue;
        jump<M><<<ctas, threads>>>(run, sink, out, kRounds);
        CHECK(cudaMemcpy(h.data(), out, h.size() * 4, cudaMemcpyDeviceToHost));
        for (int r = 0; r < kRounds; ++r) {
          const u32* t = &h[(ctas / 2 * (threads / 32) * kRounds + r) * (kBlocks + 1)];
          std::printf("%s,%d,%d,%d,%d,", run ? "run" : "jumped", M, threads, ctas, r);
          for (int k = 0; k < kBlocks; ++k) std::printf("%s%u", k ? " " : "", t[k + 1] - t[k]);
          std::printf("\n");
        }
      }
}

// Parameters: a word every so many bytes of the launch's parameters, one after the other.
struct Many { u32 a[1000]; };
template <int STEP> __global__ void parameters(const __grid_constant__ Many p, u32* out) {
  u32 t[13], v = 0;
#pragma unroll
  for (int k = 0; k < 12; ++k) {
    t[k] = clock_now();
    v += p.a[k * STEP / 4];
    asm volatile("{.reg .pred p; setp.eq.u32 p,%0,77; @p trap;}" :: "r"(v) : "memory");
  }
  t[12] = clock_now();
  if (threadIdx.x == 0) {
#pragma unroll
    for (int k = 0; k < 13; ++k) out[blockIdx.x * 13 + k] = t[k];
  }
}
template <int STEP> void parameter_case() {
  u32 h[13 * 132];
  for (int ctas : {1, 132}) {
    static Many m{};
    parameters<STEP><<<ctas, 32>>>(m, out);
    CHECK(cudaMemcpy(h, out, ctas * 13 * 4, cudaMemcpyDeviceToHost));
    std::printf("parameters,%d,32,%d,0,", STEP, ctas);
    for (int k = 0; k < 12; ++k) std::printf("%s%u", k ? " " : "", h[ctas / 2 * 13 + k + 1] - h[ctas / 2 * 13 + k]);
    std::printf("\n");
  }
}

int main() {
  out = device_buffer<u32>(64 << 20);
  sink = device_buffer<float>(256);
  std::printf("kind,size,threads,ctas,round,cycles\n");
  jumps<16>(), jumps<32>(), jumps<64>(), jumps<128>(), jumps<256>(), jumps<512>(), jumps<1024>();
  parameter_case<4>(), parameter_case<16>(), parameter_case<32>();
  parameter_case<64>(), parameter_case<128>(), parameter_case<256>();
}
