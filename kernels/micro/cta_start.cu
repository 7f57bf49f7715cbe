// When the CTAs of a grid start.
//   starts  without an argument: grids of one CTA an SM, and of as many as fit. Prints CSV: start, CTAs an SM,
//           threads, CTA, SM, the SM's clock when its first instruction ran (SMs of one GPC have one clock)
//   idle    with an argument, to be run under the profiler, one launch a case (kernel, spin cycles, threads, CTAs),
//           each several times:
//             ncu --clock-control none --csv --page raw --print-units base --metrics sm__cycles_elapsed.max,
//                 sm__cycles_active.max,sm__cycles_active.avg,sm__cycles_active.min cta_start idle
//           What is elapsed and not active, an SM has no CTA in.
#include "micro.cuh"

__global__ void starts(u64* out, int spin) {
  const long long begin = clock64();
  if (threadIdx.x == 0) {
    out[blockIdx.x * 2] = sm_id();
    out[blockIdx.x * 2 + 1] = static_cast<u64>(begin);
  }
  wait_cycles(spin);  // so that all of them have to find room
}

__global__ void spin(int cycles) { wait_cycles(cycles); }
__global__ void store(u32* to) { to[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void copy(const u32* from, u32* to) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

void idle() {
  u32* const from = device_buffer<u32>(64u << 20);
  u32* const to = device_buffer<u32>(64u << 20);
  for (int threads : {32, 256, 1024})
    for (int ctas : {1, 132, 264, 528, 1056, 2112, 4224, 8448})
      for (int run = 0; run < 5; ++run) {
        for (int cycles : {0, 500, 4000}) {
          label("spin,%d,%d,%d", cycles, threads, ctas);
          spin<<<ctas, threads>>>(cycles);
          CHECK(cudaDeviceSynchronize());
        }
        label("store,0,%d,%d", threads, ctas);
        store<<<ctas, threads>>>(to);
        CHECK(cudaDeviceSynchronize());
        label("copy,0,%d,%d", threads, ctas);
        copy<<<ctas, threads>>>(from, to);
        CHECK(cudaDeviceSynchronize());
      }
}

int main(int argc, char**) {
  if (argc > 1) {
    idle();
    return 0;
  }
  u64* out = device_buffer<u64>(1 << 20);
  std::vector<u64> h(1 << 16);
  for (bool full : {false, true})
    for (int threads : {32, 64, 128, 256, 512, 1024})
      for (int run = 0; run < 3; ++run) {
        const int fit = 2048 / threads < 32 ? 2048 / threads : 32, each = full ? fit : 1, ctas = 132 * each;
        starts<<<ctas, threads>>>(out, 60000);
        CHECK(cudaMemcpy(h.data(), out, ctas * 16, cudaMemcpyDeviceToHost));
        if (run == 2)  // its code has been run before
          for (int c = 0; c < ctas; ++c)
            std::printf("start,%d,%d,%d,%llu,%llu\n", each, threads, c, (unsigned long long)h[c * 2],
                        (unsigned long long)h[c * 2 + 1]);
      }
}
