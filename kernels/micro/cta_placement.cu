// Which SM each CTA of a launch gets, while none of them ends: grids from less than one CTA an SM to
// all that fit, blocks of 32 to 1,024 threads, with room for few or many CTAs an SM (by shared
// memory or by threads). Prints CSV: threads, dynamic shared memory (bytes), CTAs that an SM has
// room for, CTAs, how many of them ran at once (all), then the SM of each CTA in grid order. No
// profiler.
#include "micro.cuh"

#include <algorithm>

__global__ void place(u32* sm, u64* start, u64* end, long long cycles) {
  if (threadIdx.x == 0) {
    u64 t;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t));
    sm[blockIdx.x] = sm_id();
    start[blockIdx.x] = t;
    wait_cycles(cycles);
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t));
    end[blockIdx.x] = t;
  }
}

int main() {
  constexpr u32 kMost = 8192;
  u32* sm = device_buffer<u32>(kMost * 4);
  u64* start = device_buffer<u64>(kMost * 8);
  u64* end = device_buffer<u64>(kMost * 8);
  std::vector<u32> h(kMost);
  std::vector<u64> s(kMost), e(kMost);
  CHECK(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  std::printf("threads,shared,room,ctas,at_once,sms\n");
  for (u32 threads : {32u, 64u, 128u, 256u, 512u, 1024u})
    for (u32 shared : {0u, 12000u, 25000u, 50000u, 100000u, 200000u})
      for (u32 ctas : {40u, 100u, 132u, 133u, 140u, 200u, 264u, 300u, 400u, 512u, 528u, 700u, 1024u, 1056u, 2048u, 4096u, 4224u}) {
        int fit = 0;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, place, static_cast<int>(threads), shared));
        if (ctas > static_cast<u32>(fit) * 132) continue;
        if (shared != 0 && ctas != 140 && ctas != 264 && ctas != 400 && ctas != 512 && ctas != 1024) continue;
        for (int again = 0; again < (ctas == 512 && shared == 0 ? 3 : 1); ++again) {
          place<<<ctas, threads, shared>>>(sm, start, end, 60000 + ctas * 20);
          CHECK(cudaDeviceSynchronize());
          CHECK(cudaMemcpy(h.data(), sm, ctas * 4, cudaMemcpyDeviceToHost));
          CHECK(cudaMemcpy(s.data(), start, ctas * 8, cudaMemcpyDeviceToHost));
          CHECK(cudaMemcpy(e.data(), end, ctas * 8, cudaMemcpyDeviceToHost));
          const u64 first_end = *std::min_element(e.begin(), e.begin() + ctas);
          u32 at_once = 0;
          for (u32 c = 0; c < ctas; ++c) at_once += s[c] < first_end;
          std::printf("%u,%u,%d,%u,%u,", threads, shared, fit, ctas, at_once);
          for (u32 c = 0; c < ctas; ++c) std::printf("%s%u", c ? " " : "", h[c]);
          std::printf("\n");
        }
      }
}
