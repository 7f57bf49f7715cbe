// What a launch costs beside its memory traffic, and how fast each level of the memory system can
// be: to be run under the profiler, one launch a case, whose label goes to stdout.
//   ncu --clock-control none --csv --page raw --metrics sm__cycles_elapsed.max,sm__cycles_active.max,… launch_timing
#include "micro.cuh"

__global__ void empty() {}

// Straight code that no cache has seen: kInstructions multiply-adds, dependent or not.
template <int kInstructions, int kChains>
__global__ void straight(float* out, float a, float b) {
  float r[kChains];
  for (int c = 0; c < kChains; ++c) r[c] = threadIdx.x;
#pragma unroll
  for (int i = 0; i < kInstructions / kChains; ++i)
#pragma unroll
    for (int c = 0; c < kChains; ++c) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(r[c]) : "f"(a), "f"(b));
  float sum = 0;
  for (int c = 0; c < kChains; ++c) sum += r[c];
  if (sum == 12345.0f) *out = sum;
}

// The same number of instructions in a loop of 64.
__global__ void looped(float* out, float a, float b, int rounds) {
  float r[4] = {1, 2, 3, 4};
#pragma unroll 1
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (int k = 0; k < 64; ++k) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(r[k % 4]) : "f"(a), "f"(b));
  const float sum = r[0] + r[1] + r[2] + r[3];
  if (sum == 12345.0f) *out = sum;
}

__global__ void wait_kernel(int cycles) { wait_cycles(cycles); }

__global__ void store_one(u32* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void load_one(const u32* in, u32* out) {
  const u32 v = load_cg(in + blockIdx.x * blockDim.x + threadIdx.x);
  if (v == 12345) *out = v;
}
// A chain of `depth` loads of one thread, each of a line of its own.
__global__ void chase(const u32* in, u32* out, int depth) {
  u32 v = 0;
  for (int i = 0; i < depth; ++i) v += load_cg(in + v + i * 4096 + blockIdx.x * 32);
  if (v == 12345) *out = v;
}

// Every CTA reads its share of `bytes` `rounds` times, 16 bytes a lane, four loads under way a thread.
template <bool kL1>
__global__ void read_rounds(const uint4* in, u32* out, u64 bytes, int rounds) {
  const u64 n = bytes / 16;
  u32 sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += u64{gridDim.x} * blockDim.x * 4) {
      uint4 v[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const u64 at = i + u64(k) * gridDim.x * blockDim.x;
        v[k] = make_uint4(0, 0, 0, 0);
        if (at < n) {
          if (kL1) asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(in + at));
          else asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(in + at));
        }
      }
      for (int k = 0; k < 4; ++k) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
  if (sum == 12345) *out = sum;
}
__global__ void write_rounds(uint4* to, u64 bytes, int rounds) {
  const u64 n = bytes / 16;
  for (int r = 0; r < rounds; ++r)
    for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += u64{gridDim.x} * blockDim.x) {
      asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(to + i), "r"(r) : "memory");
    }
}
// One sector a lane at random places of a footprint.
__global__ void random_sectors(const u32* in, u32* out, u32 mask, int rounds) {
  u32 h = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b9u + 1, sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      h ^= h << 13; h ^= h >> 17; h ^= h << 5;
      sum += load_cg(in + u64{h & mask} * 8);
    }
  }
  if (sum == 12345) *out = sum;
}
__global__ void random_stores(u32* to, u32 mask, int rounds) {
  u32 h = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b9u + 1;
  for (int r = 0; r < rounds; ++r) {
    h ^= h << 13; h ^= h >> 17; h ^= h << 5;
    store4(to + u64{h & mask} * 8, h);
  }
}
// `apart`: words between the addresses of neighbouring lanes; `words`: footprint.
template <bool kReturns>
__global__ void atomics(u32* to, u32 apart, u32 words, int rounds) {
  u32 at = (blockIdx.x * blockDim.x + threadIdx.x) * apart, sum = 0;
  for (int r = 0; r < rounds; ++r) {
    if (kReturns) sum += atomicAdd(to + at % words, 1u);
    else atomicAdd(to + at % words, 1u);
    at += gridDim.x * blockDim.x * apart + 32;
  }
  if (kReturns && sum == 12345) to[0] = sum;
}
__global__ void barriers(int rounds) {
  for (int i = 0; i < rounds; ++i) __syncthreads();
}

int main() {
  const u64 kBytes = 1ull << 30;
  u32* a = device_buffer<u32>(kBytes);
  u32* b = device_buffer<u32>(kBytes);
  float* f = reinterpret_cast<float*>(b);
#define CASE(NAME, GRID, BLOCK, SHARED, CALL, ...)                 \
  do {                                                             \
    label("%s %s,%d,%d", NAME, #__VA_ARGS__, (int)(GRID), (int)(BLOCK)); \
    CALL<<<GRID, BLOCK, SHARED>>>(__VA_ARGS__);                    \
    CHECK(cudaGetLastError());                                     \
    CHECK(cudaDeviceSynchronize());                                \
  } while (0)
  for (int g : {1, 132, 264, 1056, 4224, 16896})
    for (int t : {32, 128, 256, 1024}) CASE("empty", g, t, 0, empty);
  CHECK(cudaFuncSetAttribute(wait_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  for (int t : {32, 256, 1024}) {
    CASE("wait one", 132, t, 200 * 1024, wait_kernel, 2000);
    CASE("wait one", 132 * 4, t, 200 * 1024, wait_kernel, 2000);
    CASE("wait one", 132 * 8, t, 200 * 1024, wait_kernel, 2000);
  }
#define STRAIGHT(N)                                             \
  CASE("straight " #N "/1", 132, 32, 0, (straight<N, 1>), f, 1.0f, 0.5f);    \
  CASE("straight " #N "/4", 132, 32, 0, (straight<N, 4>), f, 1.0f, 0.5f);    \
  CASE("straight " #N "/4", 132, 256, 0, (straight<N, 4>), f, 1.0f, 0.5f);   \
  CASE("straight " #N "/4", 132 * 4, 1024, 0, (straight<N, 4>), f, 1.0f, 0.5f)
  STRAIGHT(64); STRAIGHT(256); STRAIGHT(1024); STRAIGHT(4096); STRAIGHT(16384);
  for (int r : {1, 4, 16, 64, 256}) {
    CASE("looped", 132, 32, 0, looped, f, 1.0f, 0.5f, r);
    CASE("looped", 132, 1024, 0, looped, f, 1.0f, 0.5f, r);
  }
  for (int g : {1, 132, 1056}) {
    CASE("store_one", g, 256, 0, store_one, a);
    CASE("load_one", g, 256, 0, load_one, a, b);
  }
  for (int d : {1, 2, 4, 8, 32}) CASE("chase", 1, 32, 0, chase, a, b, d);
  const uint4* in = reinterpret_cast<const uint4*>(a);
  uint4* to = reinterpret_cast<uint4*>(b);
  // L1: 128 KiB an SM; L2: 16 MiB shared out; DRAM: 512 MiB.
  for (int r : {1, 5, 21}) {
    CASE("read l1", 132, 1024, 0, read_rounds<true>, in, b, u64{132} * 128 * 1024, r);
    CASE("read l1", 132, 256, 0, read_rounds<true>, in, b, u64{132} * 128 * 1024, r);
  }
  for (int r : {1, 5, 21})
    for (int t : {64, 256, 1024}) CASE("read l2", 132, t, 0, read_rounds<false>, in, b, u64{16} << 20, r);
  for (int g : {1, 2, 4, 8, 16, 18, 36, 66})
    for (int r : {2, 6}) CASE("read l2 few", g, 1024, 0, read_rounds<false>, in, b, u64{1} << 20, r);
  for (int g : {1, 2, 4, 8, 16, 18, 36, 66, 132})
    for (int r : {2, 6}) CASE("write l2 few", g, 1024, 0, write_rounds, to, u64{1} << 20, r);
  for (int r : {1, 3, 9}) CASE("write l2", 264, 1024, 0, write_rounds, to, u64{8} << 20, r);
  for (u64 mib : {64, 256, 512})
    for (int g : {132, 264}) {
      CASE("read dram", g, 1024, 0, read_rounds<false>, in, b, mib << 20, 1);
      CASE("write dram", g, 1024, 0, write_rounds, to, mib << 20, 1);
    }
  for (u32 bits : {10, 14, 18, 19, 22, 25}) {
    CASE("random sectors", 264, 1024, 0, random_sectors, a, b, (1u << bits) - 1, 16);
    CASE("random stores", 264, 1024, 0, random_stores, b, (1u << bits) - 1, 16);
  }
  for (int r : {8, 32}) {
    CASE("red word", 132, 256, 0, atomics<false>, a, 0, 1, r);
    CASE("red sector", 132, 256, 0, atomics<false>, a, 1, 8, r);
    CASE("red lines", 132, 256, 0, atomics<false>, a, 1, 1 << 20, r);
    CASE("red sectors", 132, 256, 0, atomics<false>, a, 8, 1 << 22, r);
    CASE("atom word", 132, 256, 0, atomics<true>, a, 0, 1, r);
    CASE("atom lines", 132, 256, 0, atomics<true>, a, 1, 1 << 20, r);
    CASE("atom sectors", 132, 256, 0, atomics<true>, a, 8, 1 << 22, r);
  }
  for (int t : {32, 256, 1024})
    for (int r : {16, 128}) CASE("barriers", 132, t, 0, barriers, r);
}
