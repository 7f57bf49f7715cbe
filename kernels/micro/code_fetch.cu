// When an SM has which part of its code: straight code of one warp that reads the clock every 32
// instructions (512 bytes), run by a launch for the first time and again, with and without a pause of some 4,000
// cycles at its start. Prints CSV: pause, launch, then the clock at each point from the first one's. By
// clock64, no profiler.
#include "micro.cuh"

constexpr int kPoints = 40;

template <bool kPause>
__global__ void straight(long long* out, float a, float b) {
  long long at[kPoints];
  float f[4] = {a, b, a + b, a - b};
  at[0] = clock64();
  if (kPause) wait_cycles(4000);
#pragma unroll
  for (int p = 1; p < kPoints; ++p) {
    at[p] = clock64();
#pragma unroll
    for (int i = 0; i < 30; ++i) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(f[i % 4]) : "f"(a), "f"(b));
  }
  for (int p = 0; p < kPoints; ++p) out[p] = at[p];
  if (f[0] + f[1] + f[2] + f[3] == 1.2345f) out[kPoints] = 1;
}

int main() {
  long long* out = device_buffer<long long>(4096);
  long long h[kPoints];
  for (int pause : {0, 1})
    for (int launch = 0; launch < 3; ++launch) {
      if (pause) straight<true><<<1, 32>>>(out, 1.0001f, 0.5f);
      else straight<false><<<1, 32>>>(out, 1.0001f, 0.5f);
      CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
      std::printf("%d,%d", pause, launch);
      for (int p = 1; p < kPoints; ++p) std::printf(",%lld", h[p] - h[0]);
      std::printf("\n");
    }
}
