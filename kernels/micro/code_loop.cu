// Loops whose code is larger than a cache of instructions: rounds of so many multiply-adds (16 bytes each),
// by 1 to 32 warps of one SM, and of all. Prints CSV: instructions a round, SMs, warps, cycles of each of the first 4
// rounds, then of the mean of the last 8 (of SM 0's slowest warp). By clock64, no profiler.
#include "micro.cuh"

template <int kN>
__device__ __forceinline__ void body(float (&f)[8], float a) {
  if constexpr (kN <= 64) {
#pragma unroll
    for (int k = 0; k < kN; ++k) asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(f[k % 8]) : "f"(a));
  } else {
    body<kN / 2>(f, a);
    body<kN - kN / 2>(f, a);
  }
}
template <int kN>
__global__ void __launch_bounds__(1024) loop(long long* out, float a) {
  float f[8];
  for (int k = 0; k < 8; ++k) f[k] = a + k;
  __syncthreads();
#pragma unroll 1
  for (int n = 0; n < 12; ++n) {
    if (threadIdx.x % 32 == 0) out[(blockIdx.x * 32 + threadIdx.x / 32) * 16 + n] = clock64();
    body<kN>(f, a);
  }
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * 32 + threadIdx.x / 32) * 16 + 12] = clock64();
  float sum = 0;
  for (float v : f) sum += v;
  if (sum == 1.2345f) out[0] = 1;
}
long long* out;
template <int kN>
void run() {
  std::vector<long long> h(132 * 32 * 16);
  for (int sms : {1, 132})
    for (int warps : {1, 4, 8, 32}) {
      loop<kN><<<sms, warps * 32>>>(out, 1.0001f);
      CHECK(cudaMemcpy(h.data(), out, h.size() * 8, cudaMemcpyDeviceToHost));
      const auto span = [&](int from, int to) {
        long long least = h[from], most = 0;
        for (int w = 0; w < warps; ++w) {
          least = h[w * 16 + from] < least ? h[w * 16 + from] : least;
          most = h[w * 16 + to] > most ? h[w * 16 + to] : most;
        }
        return most - least;
      };
      std::printf("%d,%d,%d,%lld,%lld,%lld,%lld,%.1f\n", kN, sms, warps, span(0, 1), span(1, 2), span(2, 3), span(3, 4), span(4, 12) / 8.0);
    }
}
int main() {
  out = device_buffer<long long>(132 * 32 * 16 * 8);
  std::printf("instructions,sms,warps,first,second,third,fourth,later\n");
  run<256>(); run<512>(); run<768>(); run<1024>(); run<1536>(); run<2048>(); run<3072>(); run<4096>(); run<6144>(); run<7168>(); run<8192>(); run<9216>(); run<12288>(); run<16384>(); run<24576>();
}
