// How long an SM takes from one wave of CTAs to the next: grids of 1 to 16 waves of CTAs that do
// next to nothing. One labelled launch a case, for the profiler (cycles elapsed).
#include "micro.cuh"

// what 0: exit; 1: read %tid; 2: and %ctaid; 3: and load a parameter; 4: and store a word each; 5:
// all store the same word; 6: only the first warp of a CTA stores
template <int what>
__global__ void __launch_bounds__(1024) wave(u32* out, u32 never) {
  if (what == 0) return;
  u32 t = 0, c = 0;
  asm volatile("mov.u32 %0,%%tid.x;" : "=r"(t));
  if (what >= 2) asm volatile("mov.u32 %0,%%ctaid.x;" : "=r"(c));
  if (what < 3) {
    if (t + c == 0xfffff) __trap();
    return;
  }
  const u32 i = c * blockDim.x + t;
  if (what == 3) {
    if (i == never) out[i] = i;
  } else if (what == 4) {
    out[i] = i;
  } else if (what == 5) {
    out[c % 8 * 32] = i;
  } else if (t < 32) {
    out[i] = i;
  }
}

template <int what>
void run(u32* out) {
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  for (int threads : {32, 64, 128, 256, 512, 1024}) {
    const int fit = 2048 / threads < 32 ? 2048 / threads : 32;
    for (int waves : {1, 2, 3, 4, 8, 16}) {
      label("%d,%d,%d", what, threads, waves);
      wave<what><<<sms * fit * waves, threads>>>(out, 0xffffffff);
      CHECK(cudaDeviceSynchronize());
    }
  }
}

int main() {
  u32* out = device_buffer<u32>(u64{132} * 2048 * 16 * 4);
  run<0>(out);
  run<1>(out);
  run<2>(out);
  run<3>(out);
  run<4>(out);
  run<5>(out);
  run<6>(out);
}
