// What straight code costs the first time, and rounds of it: launches of so many multiply-adds (16
// bytes each), run once, twice or eight times, on 1 to 132 SMs by 1 to 16 warps each. Counted:
// cycles elapsed, caches flushed. Labels: instructions, rounds, SMs, warps.
#include "micro.cuh"

template <int kN>
__device__ __forceinline__ void body(float (&f)[8], float a, float b) {
  if constexpr (kN <= 64) {
#pragma unroll
    for (int k = 0; k < kN; ++k) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(f[k % 8]) : "f"(a), "f"(b));
  } else {
    body<kN / 2>(f, a, b);
    body<kN - kN / 2>(f, a, b);
  }
}

template <int kN>
__global__ void __launch_bounds__(1024) loop(float* out, float a, float b, int rounds) {
  float f[8];
  for (int k = 0; k < 8; ++k) f[k] = a + k;
#pragma unroll 1
  for (int n = 0; n < rounds; ++n) body<kN>(f, a, b);
  float sum = 0;
  for (float v : f) sum += v;
  if (sum == 1.2345f) out[0] = 1;
}

template <int kN>
void run(float* out) {
  for (int rounds : {1, 2, 8})
    for (int sms : {1, 8, 32, 64, 132})
      for (int warps : {1, 4, 16}) {
        if (rounds > 1 && sms != 64) continue;
        label("%d,%d,%d,%d", kN, rounds, sms, warps);
        loop<kN><<<sms, warps * 32>>>(out, 1.0001f, 0.5f, rounds);
        CHECK(cudaDeviceSynchronize());
      }
}

int main() {
  float* out = device_buffer<float>(4096);
  run<512>(out);
  run<1024>(out);
  run<2048>(out);
  run<4096>(out);
  run<8192>(out);
  run<16384>(out);
}
