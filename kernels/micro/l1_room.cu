// Which line goes when a line finds a free way in its set but the L1 has no room left: one thread loads as many
// lines as fit and then further ones, and after each looks which of all before it is gone, by loads that leave
// nothing behind. Prints "config,fill,line,..." and "config,step,line,lost,...", lines counted from the first of the
// buffer ("first,address / 128"); then "cyclic,percent,lines,hits": hits of the fourth pass over lines in a row.
// No profiler. The carve-out is what each configuration asks for.
#include "micro.cuh"

constexpr u32 kMostLines = 2400, kMostSteps = 640, kMostLost = 5;

// Cycles of a load. The clock starts when the address is there and stops when the value is.
__device__ __forceinline__ u32 timed(const u8* p, bool allocate) {
  u32 v, t0, t1;
  asm volatile("{ .reg .pred q; setp.eq.u64 q,%1,0; @q trap; mov.u32 %0,%%clock; }" : "=r"(t0) : "l"(p) : "memory");
  if (allocate) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  else asm volatile("ld.global.L1::no_allocate.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  asm volatile("{ .reg .pred q; setp.eq.u32 q,%1,77; @q trap; mov.u32 %0,%%clock; }" : "=r"(t1) : "r"(v) : "memory");
  return t1 - t0;
}

// The lines by number from the first: in a row, or all over the buffer.
__host__ __device__ inline u32 number(u32 i, bool random) {
  if (!random) return i;
  u32 x = i * 40503 + 3000 & 0xffff;
  x ^= x >> 7;
  return x * 30011 & 0xffff;
}

struct Config {
  const char* name;
  int percent;  // of the shared memory that is preferred
  u32 fill, more;
  bool backwards;  // looks at the newest line first
  bool random_fill, random_more;
};

__host__ __device__ inline u32 line_of(const Config& c, u32 i) { return number(i, i < c.fill ? c.random_fill : c.random_more); }

// lost: kMostLost for each step, by order of loading.
__global__ void give(const u8* base, Config c, u32* lost, u32* slow) {
  __shared__ u32 gone[(kMostLines + 31) / 32];
  __shared__ unsigned short found[kMostLost * kMostSteps];
  for (u32 i = 0; i < (kMostLines + 31) / 32; ++i) gone[i] = 0;
  for (u32 i = 0; i < kMostLost * kMostSteps; ++i) found[i] = 0xffff;
  const auto at = [&](u32 i) { return base + line_of(c, i) * 128ull; };
  u32 late = 0;
  for (u32 i = 0; i < c.fill; ++i) timed(at(i), true);
  for (u32 i = c.fill; i < c.fill + c.more; ++i) {
    timed(at(i), true);
    wait_cycles(2000);
    u32 n = 0;
    for (u32 k = 0; k <= i; ++k) {
      const u32 j = c.backwards ? i - k : k;
      if (gone[j / 32] >> j % 32 & 1) continue;
      u32 cycles = timed(at(j), false);
      if (cycles > 150) cycles = timed(at(j) + (cycles >> 31), false), ++late;  // it may have been late for another reason
      if (cycles <= 150) continue;
      gone[j / 32] |= 1u << j % 32;
      if (n < kMostLost) found[(i - c.fill) * kMostLost + n++] = static_cast<unsigned short>(j);
    }
  }
  for (u32 i = 0; i < c.more * kMostLost; ++i) lost[i] = found[i];
  *slow = late;
}

// Hits of the fourth pass over n lines in a row.
__global__ void cyclic(const u8* base, u32 n, u32* out) {
  u32 hits = 0;
  for (int pass = 0; pass < 4; ++pass) {
    hits = 0;
    for (u32 i = 0; i < n; ++i) hits += timed(base + i * 128ull, true) <= 150;
  }
  *out = hits;
}

int main() {
  u8* const base = device_buffer<u8>(64 << 20);
  std::printf("first,%llu\n", static_cast<unsigned long long>(reinterpret_cast<u64>(base) / 128));
  u32* lost;
  CHECK(cudaMallocHost(&lost, (kMostLost * kMostSteps + 1) * 4));
  const Config configs[] = {
      {"rows", 14, 1728, 320, false, false, false},     {"backwards", 14, 1728, 320, true, false, false},
      {"random", 14, 1728, 640, false, false, true},    {"all-random", 14, 1400, 640, false, true, true},
      {"small", 100, 144, 368, false, false, false},    {"small-random", 100, 130, 370, false, true, true},
      {"half", 44, 928, 640, false, false, false},      {"half-random", 44, 850, 640, true, true, true}};
  for (const Config& c : configs) {
    CHECK(cudaFuncSetAttribute(give, cudaFuncAttributePreferredSharedMemoryCarveout, c.percent));
    give<<<1, 1>>>(base, c, lost, lost + kMostLost * kMostSteps);
    CHECK(cudaDeviceSynchronize());
    std::printf("%s,fill", c.name);
    for (u32 i = 0; i < c.fill; ++i) std::printf(",%u", line_of(c, i));
    std::printf("\n");
    for (u32 i = 0; i < c.more; ++i) {
      std::printf("%s,%u,%u", c.name, i, line_of(c, c.fill + i));
      for (u32 k = 0; k < kMostLost; ++k)
        if (const u32 j = lost[i * kMostLost + k]; j != 0xffff) std::printf(",%u", line_of(c, j));
      std::printf("\n");
    }
    std::fprintf(stderr, "%s: %u slow\n", c.name, lost[kMostLost * kMostSteps]);
  }
  for (int percent : {14, 44, 100})
    for (u32 around : {percent == 14 ? 1728u : percent == 44 ? 928u : 160u})
      for (u32 n = around - 12; n <= around + 100; n += 2) {
        CHECK(cudaFuncSetAttribute(cyclic, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
        cyclic<<<1, 1>>>(base, n, lost);
        CHECK(cudaDeviceSynchronize());
        std::printf("cyclic,%d,%u,%u\n", percent, n, lost[0]);
      }
}
