// When the L2 writes dirty lines back: stores of a footprint, a wait, reads of another one, copies
// at different paces, and what was there before. Read: dram__sectors_{read,write}.sum,
// lts__t_sectors_op_{read,write}.sum, sm__cycles_elapsed.max, in one pass.
//
// The profiler leaves dirty lines of its own behind: count with --cache-control none (each counted
// launch then follows a `rinse` that reads 512 MiB) and with --cache-control all, to see both.
#include <string_view>

#include "micro.cuh"

__device__ __forceinline__ void store16(u8* p, u32 v) {
  asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ u32 load16(const u8* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v.x ^ v.y ^ v.z ^ v.w;
}

// All CTAs are resident: they wait for each other.
__device__ void meet(u32* counter, u32 goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < goal) __nanosleep(100);
  }
  __syncthreads();
}

__global__ void rinse(const u8* a, u32* out, u64 pieces) {
  u32 v = 0;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < pieces; i += static_cast<u64>(gridDim.x) * blockDim.x)
    v ^= load16(a + i * 16);
  if (v == 0x12345) out[threadIdx.x] = v;
}

// `before` pieces of 16 bytes read, `writes` stored `rounds` times, `wait` cycles, `after` read.
__global__ void in_turn(const u8* r, u8* w, u32* out, u32* counter, u64 before, u64 writes, int rounds, long long wait, u64 after) {
  const u64 me = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x, all = static_cast<u64>(gridDim.x) * blockDim.x;
  u32 v = 0, goal = 0;
  for (u64 i = me; i < before; i += all) v ^= load16(r + i * 16);
  if (before) meet(counter, goal += gridDim.x);
  for (int k = 0; k < rounds; ++k) {
    for (u64 i = me; i < writes; i += all) store16(w + i * 16, k);
    meet(counter, goal += gridDim.x);
  }
  if (wait) wait_cycles(wait);
  for (u64 i = me; i < after; i += all) v ^= load16(r + (before + i) * 16);
  if (v == 0x12345) out[threadIdx.x] = v;
}

// Reads and stores side by side: of each thread's steps, `reads` loads, then `stores` stores, then
// `pace` cycles of nothing.
__global__ void mixed(const u8* r, u8* w, u32* out, u64 steps, int reads, int stores, long long pace) {
  const u64 me = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x, all = static_cast<u64>(gridDim.x) * blockDim.x;
  u32 v = 0;
  for (u64 i = me; i < steps; i += all) {
    for (int k = 0; k < reads; ++k) v ^= load16(r + (i + k * steps) * 16);
    for (int k = 0; k < stores; ++k) store16(w + (i + k * steps) * 16, v);
    if (pace) wait_cycles(pace);
  }
  if (v == 0x12345) out[threadIdx.x] = v;
}

// A copy of `words` of one type: by as many threads as words, or by those that are resident.
template <class T, bool kL1>
__global__ void copy(const T* r, T* w, u64 words) {
  const u64 all = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += all)
    w[i] = kL1 ? __ldca(r + i) : __ldcg(r + i);
}

// `mine` pieces stored (or read), `others` read, `mine` read again: which of them are still there.
__global__ void survive(const u8* r, u8* w, u32* out, u32* counter, u64 mine, u64 others, bool stored) {
  const u64 me = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x, all = static_cast<u64>(gridDim.x) * blockDim.x;
  u32 v = 0;
  for (u64 i = me; i < mine; i += all) {
    if (stored) store16(w + i * 16, 1);
    else v ^= load16(w + i * 16);
  }
  meet(counter, gridDim.x);
  for (u64 i = me; i < others; i += all) v ^= load16(r + i * 16);
  meet(counter, 2 * gridDim.x);
  for (u64 i = me; i < mine; i += all) v ^= load16(w + i * 16);
  if (v == 0x12345) out[threadIdx.x] = v;
}

int main(int argc, char** argv) {
  const u64 big = 512ull << 20;
  u8* r = device_buffer<u8>(big);
  u8* w = device_buffer<u8>(big);
  u8* clean = device_buffer<u8>(big);
  u32* sink = device_buffer<u32>(1 << 16);
  u32* counter = device_buffer<u32>(4096);
  const int ctas = 264, threads = 512;
  auto rinsed = [&] {
    label("rinse");
    rinse<<<1056, 512>>>(clean, sink, big / 16);
  };
  auto turn = [&](u64 before, u64 writes, int rounds, long long wait, u64 after) {
    CHECK(cudaMemset(counter, 0, 4));
    rinsed();
    label("in_turn,before=%llu writes=%llu rounds=%d wait=%lld after=%llu", (unsigned long long)before, (unsigned long long)writes, rounds, wait, (unsigned long long)after);
    in_turn<<<ctas, threads>>>(r, w, sink, counter, before << 16, writes << 16, rounds, wait, after << 16);
  };
  auto mix = [&](u64 mib, int reads, int stores, long long pace) {
    rinsed();
    label("mixed,mib=%llu reads=%d stores=%d pace=%lld", (unsigned long long)mib, reads, stores, pace);
    mixed<<<ctas, threads>>>(r, w, sink, mib << 16, reads, stores, pace);
  };
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (part == "left") {
    // What the profiler itself leaves: all that is dirty comes out while 512 MiB are read, before or
    // after the stores.
    for (u64 m : {0, 1, 4, 16, 64})
      for (bool first : {false, true}) {
        CHECK(cudaMemset(counter, 0, 4));
        label("left,writes=%llu first=%d", (unsigned long long)m, first);
        in_turn<<<ctas, threads>>>(r, w, sink, counter, first ? 0 : 256 << 16, m << 16, 1, 0, 256 << 16);
      }
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  auto copied = [&](auto kind, bool l1, u64 mib, bool once) {
    using T = decltype(kind);
    const u64 words = (mib << 20) / sizeof(T);
    const unsigned grid = once ? static_cast<unsigned>(words / 256) : 132 * 8;
    rinsed();
    label("copy,mib=%llu bytes=%d l1=%d once=%d", (unsigned long long)mib, (int)sizeof(T), l1, once);
    if (l1) copy<T, true><<<grid, 256>>>((const T*)r, (T*)w, words);
    else copy<T, false><<<grid, 256>>>((const T*)r, (T*)w, words);
  };
  if (part == "" || part == "copy")
    for (u64 mib : {32, 64, 128})
      for (bool once : {true, false})
        for (bool l1 : {true, false}) {
          copied(float{}, l1, mib, once);
          copied(float2{}, l1, mib, once);
          copied(float4{}, l1, mib, once);
        }
  if (part == "copy") {
    rinsed();
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  if (part == "" || part == "survive")
   for (bool stored : {false, true})
    for (u64 mine : {8, 20})
      for (u64 others : {0, 8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64}) {
        CHECK(cudaMemset(counter, 0, 4));
        rinsed();
        label("survive,mine=%llu others=%llu stored=%d", (unsigned long long)mine, (unsigned long long)others, stored);
        survive<<<ctas, threads>>>(r, w, sink, counter, mine << 16, others << 16, stored);
      }
  if (part == "survive") {
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  // Time alone.
  for (u64 m : {4, 8, 16, 24, 32})
    for (long long t : {0, 20000, 100000, 400000}) turn(0, m, 1, t, 0);
  // Stored again and again.
  for (int k : {4, 16}) turn(0, 8, k, 0, 0), turn(0, 20, k, 0, 0);
  // Reads alone, reads after stores, stores after reads.
  for (u64 after : {8, 16, 24, 32, 40, 48, 64, 96, 128})
    for (u64 m : {0, 2, 8, 16, 24}) turn(0, m, 1, 0, after);
  for (u64 m : {8, 16, 20, 24, 28, 32, 48}) turn(96, m, 1, 0, 0);
  // Side by side.
  for (u64 m : {2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128})
    for (long long pace : {0, 2000}) mix(m, 1, 1, pace);
  for (u64 m : {2, 4, 8, 12, 16, 24, 32})
    for (auto [x, y] : {std::pair{3, 1}, {7, 1}, {1, 3}}) mix(m, x, y, 0);
  CHECK(cudaDeviceSynchronize());
}
