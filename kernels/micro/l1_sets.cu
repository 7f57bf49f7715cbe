// Sets, ways and replacement of the L1, seen by latency inside one kernel: fill with lines 0..K-1,
// load one extra line, then probe every line with loads that do not allocate. Prints CSV.
#include "micro.cuh"

__device__ __forceinline__ u32 timed(const u8* p, bool allocate) {
  u32 t0, t1, v;
  if (allocate)
    asm volatile("mov.u32 %0,%%clock;\n\tld.global.ca.u32 %1,[%2];" : "=r"(t0), "=r"(v) : "l"(p) : "memory");
  else
    asm volatile("mov.u32 %0,%%clock;\n\tld.global.L1::no_allocate.u32 %1,[%2];" : "=r"(t0), "=r"(v) : "l"(p) : "memory");
  asm volatile("{ .reg .pred p; setp.eq.u32 p,%1,77; @p trap; mov.u32 %0,%%clock; }" : "=r"(t1) : "r"(v) : "memory");
  return t1 - t0;
}
__device__ __forceinline__ void forget() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

// mode 0: extra line = fill + trial (the next lines). One thread, everything in order.
// out[trial * 16] = number lost, then the first 15 of them.
__global__ void one_extra(const u8* a, int fill, int trials, int extra_step, u32* out) {
  for (int t = blockIdx.x; t < trials; t += gridDim.x) {
    forget();
    for (int i = 0; i < fill; ++i) timed(a + static_cast<u64>(i) * 128, true);
    timed(a + (static_cast<u64>(fill) + static_cast<u64>(t) * extra_step) * 128, true);
    u32 lost = 0;
    for (int i = 0; i < fill; ++i) {
      bool hit = timed(a + static_cast<u64>(i) * 128, false) < 150;
      if (!hit) {
        if (lost < 15) out[t * 16 + 1 + lost] = i;
        ++lost;
      }
    }
    out[t * 16] = lost;
  }
}
// Loads lines 0..n-1 once (in order), optionally touches line `touch` again, then says which are left.
__global__ void survivors(const u8* a, int n, int repeat, int touch, u32* out) {
  forget();
  for (int r = 0; r < repeat; ++r)
    for (int i = 0; i < n; ++i) {
      timed(a + static_cast<u64>(i) * 128, true);
      if (touch >= 0 && i > touch) timed(a + static_cast<u64>(touch) * 128, true);
    }
  for (int i = 0; i < n; ++i) out[i] = timed(a + static_cast<u64>(i) * 128, false) < 150;
}
// Does a probe that misses change anything? Loads n lines, probes line n (absent) 8 times, then checks.
__global__ void probe_is_pure(const u8* a, int n, u32* out) {
  forget();
  for (int i = 0; i < n; ++i) timed(a + static_cast<u64>(i) * 128, true);
  u32 first = timed(a + static_cast<u64>(n + 7) * 128, false), second = timed(a + static_cast<u64>(n + 7) * 128, false);
  out[0] = first;
  out[1] = second;
}
// Hits when n lines, `step` lines apart, are read cyclically `repeat` times: count in the last pass.
__global__ void cyclic(const u8* a, int n, int step, int repeat, u32* out) {
  u32 hits = 0;
  for (int r = 0; r < repeat; ++r) {
    hits = 0;
    for (int i = 0; i < n; ++i) hits += timed(a + static_cast<u64>(i) * step * 128, true) < 150;
  }
  out[0] = hits;
}

int main() {
  u8* a = device_buffer<u8>(256u << 20);
  u32* out;
  CHECK(cudaMallocHost(&out, 1 << 22));
  auto sync = [] { CHECK(cudaDeviceSynchronize()); };
  probe_is_pure<<<1, 1>>>(a, 64, out); sync();
  std::printf("pure,%u,%u\n", out[0], out[1]);
  const int trials = 792;
  for (int fill : {1600, 1728}) {
    one_extra<<<132, 1>>>(a, fill, trials, 1, out); sync();
    for (int t = 0; t < trials; ++t) {
      std::printf("extra,%d,%d,%u", fill, t, out[t * 16]);
      for (u32 k = 0; k < out[t * 16] && k < 15; ++k) std::printf(" %u", out[t * 16 + 1 + k]);
      std::printf("\n");
    }
  }
  for (int n : {1728, 1736, 1744, 1760, 1792, 1856, 1920, 2048, 2304, 3000, 4096})
    for (int repeat : {1, 2, 4}) {
      survivors<<<1, 1>>>(a, n, repeat, -1, out); sync();
      std::printf("survivors,%d,%d,", n, repeat);
      for (int i = 0; i < n; i += 4) std::printf("%x", out[i] | out[i + 1] << 1 | out[i + 2] << 2 | out[i + 3] << 3);
      std::printf("\n");
    }
  for (int touch : {0, 5, 100}) {
    survivors<<<1, 1>>>(a, 4096, 1, touch, out); sync();
    std::printf("touched,%d,%u\n", touch, out[touch]);
  }
  // The capacity that each carve-out leaves.
  for (int percent : {0, 3, 7, 14, 28, 44, 58, 70, 86, 100}) {
    CHECK(cudaFuncSetAttribute(cyclic, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    for (int kib = 8; kib <= 248; kib += 4) {
      cyclic<<<1, 1>>>(a, kib * 8, 1, 3, out); sync();
      std::printf("capacity,%d,%d,%u\n", percent, kib, out[0]);
      if (out[0] < static_cast<u32>(kib) * 4) break;
    }
  }
}
