// Which stores leave an SM together, for how long a line of stores can still be joined, and what
// requests of whole lines, whole sectors and parts of sectors cost an SM's port. To be run under the
// profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --metrics sm__cycles_elapsed.max,
//       l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,
//       l1tex__m_l1tex2xbar_write_sectors.sum,lts__t_requests_srcunit_tex_op_write.sum,
//       lts__t_sectors_srcunit_tex_op_write.sum store_queue
#include "micro.cuh"

// Where a warp's `n`-th store goes: round a ring of `lines` lines of its own SM's, or of its own.
struct Ring {
  u8* base;
  u32 lines;
  u32 own;  // bytes from one warp's ring to the next; 0: all warps of a CTA share one
};

template <class T>
__device__ __forceinline__ void store(u8* p, T v) {
  *reinterpret_cast<volatile T*>(p) = v;
}
template <>
__device__ __forceinline__ void store<uint4>(u8* p, uint4 v) {
  asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(p), "r"(v.x) : "memory");
}

// One line a store: a warp's lanes write side by side, then go to the next line of the ring, and to the
// next piece of a line when they come round.
template <class T>
__global__ void one_line(Ring ring, int rounds) {
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  u8* const to = ring.base + u64{blockIdx.x} * (1 << 20) + u64{warp} * ring.own;
  const u32 piece = sizeof(T) * 32 < 128 ? sizeof(T) * 32 : 128, pieces = 128 / piece;
  u32 n = ring.own ? 0 : warp;
  const u32 step = ring.own ? 1 : warps;
  for (int r = 0; r < rounds; ++r, n += step)
    store<T>(to + n % ring.lines * 128 + n / ring.lines % pieces * piece + lane * sizeof(T) % piece, T{});
}

// Columns of a matrix with rows of `pitch` bytes: each store writes one word of 32 lines; the next store
// of the warp, or the next warp's, writes the word beside it.
__global__ void column(u8* base, u32 pitch, u32 by_warp, int rounds) {
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  u8* const to = base + u64{blockIdx.x} * (1 << 20) + u64{lane} * pitch;
  for (int r = 0; r < rounds; ++r) {
    const u32 word = by_warp ? r * warps + warp : warp * rounds + r;
    store<u32>(to + word % 32 * 4 + u64{word / 32 % 16} * 32 * pitch, r);
  }
}

// Structures of `words` words: every lane writes its own, word by word.
template <int words>
__global__ void structures(u32* base, u32 apart, int rounds) {
  const u32 threads = gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; ++r) {
    u32* const to = base + (u64{r % 8u} * threads + blockIdx.x * blockDim.x + threadIdx.x) * apart;
#pragma unroll
    for (int w = 0; w < words; ++w) *(volatile u32*)(to + w) = w;
  }
}

// Requests that nothing joins: lines far apart, `sectors` sectors of each, each written by one lane
// (4 bytes) or eight (all of it).
__global__ void scattered(u8* base, u32 sectors, u32 whole, int rounds) {
  const u32 lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const u32 each = whole ? 8 : 1, lanes = sectors * each;  // lanes that write one line
  u32 n = warp * 7919;
  for (int r = 0; r < rounds; ++r, n += 104729) {
    u8* const line = base + u64{(n + lane / lanes * 1315423911u) & 0x3ffff} * 128;
    if (lane < 32 / lanes * lanes) store<u32>(line + lane % lanes / each * 32 + lane % each * 4, r);
  }
}

int main() {
  u8* base = device_buffer<u8>(u64{2} << 30);
#define CASE(NAME, KERNEL, GRID, BLOCK, ...)                                   \
  do {                                                                         \
    label("%s,%d,%d", NAME, (int)(GRID), (int)(BLOCK));                        \
    KERNEL<<<GRID, BLOCK>>>(__VA_ARGS__);                                      \
    CHECK(cudaGetLastError());                                                 \
    CHECK(cudaDeviceSynchronize());                                            \
  } while (0)
  char name[96];
#define NAMED(...) (std::snprintf(name, sizeof name, __VA_ARGS__), name)
  for (u32 lines : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64}) {
    CASE(NAMED("one_line_1 own %u", lines), one_line<u8>, 132, 32, Ring{base, lines, 8192}, 512);
    CASE(NAMED("one_line_4 own %u", lines), one_line<u32>, 132, 32, Ring{base, lines, 8192}, 512);
    CASE(NAMED("one_line_16 own %u", lines), one_line<uint4>, 132, 32, Ring{base, lines, 8192}, 512);
  }
  for (u32 lines : {1, 4, 8, 16, 24, 32, 64}) {
    CASE(NAMED("one_line_1 own %u", lines), one_line<u8>, 132, 256, Ring{base, lines, 8192}, 128);
    CASE(NAMED("one_line_1 shared %u", lines), one_line<u8>, 132, 256, Ring{base, lines, 0}, 128);
    CASE(NAMED("one_line_4 shared %u", lines), one_line<u32>, 132, 256, Ring{base, lines, 0}, 128);
    CASE(NAMED("one_line_1 own %u", lines), one_line<u8>, 1056, 256, Ring{base, lines, 8192}, 16);
  }
  for (u32 threads : {32, 64, 256, 1024})
    for (u32 by_warp : {0, 1})
      for (u32 pitch : {128, 4224}) CASE(NAMED("column %s %u", by_warp ? "warps" : "own", pitch), column, 132, threads, base, pitch, by_warp, 32);
  for (u32 threads : {32, 256}) {
    CASE("structures 2/2", structures<2>, 132, threads, (u32*)base, 2, 8);
    CASE("structures 4/4", structures<4>, 132, threads, (u32*)base, 4, 8);
    CASE("structures 8/8", structures<8>, 132, threads, (u32*)base, 8, 8);
    CASE("structures 16/16", structures<16>, 132, threads, (u32*)base, 16, 8);
    CASE("structures 3/32", structures<3>, 132, threads, (u32*)base, 32, 8);
  }
  CASE("structures 8/8", structures<8>, 2112, 256, (u32*)base, 8, 8);
  CASE("structures 16/16", structures<16>, 2112, 256, (u32*)base, 16, 8);
  for (int grid : {1, 16, 132})
    for (u32 whole : {0, 1})
      for (u32 sectors : {1, 2, 4})
        CASE(NAMED("scattered %u %s", sectors, whole ? "whole" : "word"), scattered, grid, 1024, base, sectors, whole, 64);
}
