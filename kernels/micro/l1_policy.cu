// What the L1 counts and keeps: one warp, a short script of accesses, a launch per case.
// Read: l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{ld,st}[_lookup_hit],
//       l1tex__m_xbar2l1tex_read_sectors, l1tex__m_l1tex2xbar_write_sectors, lts__t_*_op_write.
#include "micro.cuh"

enum Step : u32 { kEnd, kLoad, kLoadCg, kLoadCv, kLoadVolatile, kLoadRelaxed, kLoadNoAllocate, kStore,
                  kStoreHalf, kStoreOther, kStoreFull, kStoreWt, kAtomic, kRed, kFence, kWait, kLoadOther,
                  kPrefetchL1, kPrefetchL2, kLoadNc };

// Lane l works on sector l / 8 of the line, word l % 8: one line, whole; `half` the first 4 words
// of each sector, `other` sector 0 only.
__global__ void script(u8* line, u32* sink, u32 s0, u32 s1, u32 s2, u32 s3) {
  u32 lane = threadIdx.x, v = 0;
  u32 steps[4] = {s0, s1, s2, s3};
#pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    u8* p = line + lane * 4;
    switch (steps[i]) {
      case kLoad: v += load_ca(p); break;
      case kLoadCg: v += load_cg(p); break;
      case kLoadCv: { u32 x; asm volatile("ld.global.cv.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); v += x; break; }
      case kLoadVolatile: { u32 x; asm volatile("ld.volatile.global.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); v += x; break; }
      case kLoadRelaxed: { u32 x; asm volatile("ld.relaxed.gpu.global.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); v += x; break; }
      case kLoadNoAllocate: { u32 x; asm volatile("ld.global.L1::no_allocate.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); v += x; break; }
      case kLoadNc: { u32 x; asm volatile("ld.global.nc.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory"); v += x; break; }
      case kLoadOther: if (lane < 8) v += load_ca(p); break;
      case kStore: store4(p, lane); break;
      case kStoreHalf: if (lane % 8 < 4) store4(p, lane); break;
      case kStoreOther: if (lane < 8) store4(p, lane); break;
      case kStoreFull: store4(p, lane); break;
      case kStoreWt: asm volatile("st.global.wt.u32 [%0],%1;" ::"l"(p), "r"(lane) : "memory"); break;
      case kAtomic: v += atomicAdd(reinterpret_cast<u32*>(p), 1u); break;
      case kRed: asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(lane) : "memory"); break;
      case kFence: __threadfence(); break;
      case kWait: wait_cycles(5000); break;
      case kPrefetchL1: asm volatile("prefetch.global.L1 [%0];" ::"l"(p) : "memory"); break;
      case kPrefetchL2: asm volatile("prefetch.global.L2 [%0];" ::"l"(p) : "memory"); break;
      default: break;
    }
    if (v == 0x12345) *sink = v;  // waits for the load
  }
}

// Partial stores to a sector: `first` bytes by one store, the rest by another, `between` stores to
// other lines and `delay` cycles in between. Does L2 see one write or two?
__global__ void merge(u8* base, int between, int delay, int other_warp, int rounds) {
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = 0; r < rounds; ++r) {
    u8* line = base + static_cast<u64>(r) * 65536;
    u32 lo = lane / 4 * 32 + lane % 4 * 4;  // eight sectors, first 16 bytes of each
    if (warp == 0) store4(line + lo, 1);
    if (other_warp) __syncthreads();
    if (warp == (other_warp ? 1 : 0)) {
      if (delay) wait_cycles(delay);
      for (int k = 0; k < between; ++k) store4(line + 1024 + k * 128 + lane * 4, 2);
      store4(line + lo + 16, 3);
    }
    __syncthreads();
    wait_cycles(3000);
  }
}

// The pattern of a column store: each warp writes one word of 32 sectors, neighbouring warps the
// neighbouring words of the same sectors; `words` consecutive words a lane group.
__global__ void column_store(u32* out, int pitch, int words) {
  u32 t = threadIdx.x, lane = t % 32, warp = t / 32;
  u32 per = 32 / words, row = lane / words, word = lane % words;
  u64 base = static_cast<u64>(blockIdx.x) * 64;
  store4(out + base * pitch + static_cast<u64>(row) * pitch + warp * words + word + per * 0, t);
}

int main() {
  u8* a = device_buffer<u8>(256u << 20);
  u32* sink = device_buffer<u32>(4096);
  struct { const char* name; u32 s[4]; } scripts[] = {
      {"load", {kLoad}}, {"load load", {kLoad, kLoad}}, {"load wait load", {kLoad, kWait, kLoad}},
      {"loadother load", {kLoadOther, kWait, kLoad}},
      {"cg cg", {kLoadCg, kWait, kLoadCg}}, {"load cg", {kLoad, kWait, kLoadCg}}, {"cg load", {kLoadCg, kWait, kLoad}},
      {"load cv", {kLoad, kWait, kLoadCv}}, {"load volatile", {kLoad, kWait, kLoadVolatile}},
      {"load relaxed", {kLoad, kWait, kLoadRelaxed}}, {"volatile load", {kLoadVolatile, kWait, kLoad}},
      {"noalloc load", {kLoadNoAllocate, kWait, kLoad}}, {"load noalloc", {kLoad, kWait, kLoadNoAllocate}},
      {"nc nc", {kLoadNc, kWait, kLoadNc}}, {"load fence load", {kLoad, kFence, kLoad}},
      {"store", {kStore}}, {"store store", {kStore, kStore}}, {"store wait store", {kStore, kWait, kStore}},
      {"storeother wait store", {kStoreOther, kWait, kStore}}, {"storehalf wait storehalf", {kStoreHalf, kWait, kStoreHalf}},
      {"storehalf storehalf", {kStoreHalf, kStoreHalf}},
      {"load wait store", {kLoad, kWait, kStore}}, {"load store", {kLoad, kStore}}, {"loadother wait store", {kLoadOther, kWait, kStore}},
      {"store wait load", {kStore, kWait, kLoad}}, {"store load", {kStore, kLoad}}, {"storehalf wait load", {kStoreHalf, kWait, kLoad}},
      {"load wait storehalf load", {kLoad, kWait, kStoreHalf, kLoad}},
      {"storewt wait load", {kStoreWt, kWait, kLoad}},
      {"atomic", {kAtomic}}, {"atomic wait load", {kAtomic, kWait, kLoad}}, {"load wait atomic load", {kLoad, kWait, kAtomic, kLoad}},
      {"load wait red load", {kLoad, kWait, kRed, kLoad}}, {"store wait red", {kStore, kWait, kRed}},
      {"prefetchL1 wait load", {kPrefetchL1, kWait, kLoad}}, {"prefetchL2 wait load", {kPrefetchL2, kWait, kLoad}}};
  for (auto& s : scripts) {
    label("script,%s", s.name);
    script<<<1, 32>>>(a, sink, s.s[0], s.s[1], s.s[2], s.s[3]);
  }
  for (int other : {0, 1})
    for (int delay : {0, 50, 200, 1000, 4000})
      for (int between : {0, 1, 4, 16}) {
        if (delay && between) continue;
        label("merge,other_warp=%d delay=%d between=%d", other, delay, between);
        merge<<<1, 64>>>(a, between, delay, other, 64);
      }
  for (int words : {1, 2, 4, 8})
    for (int warps : {2, 4, 8, 32})
      for (int grid : {1, 264}) {
        label("column_store,words=%d warps=%d grid=%d", words, warps, grid);
        column_store<<<grid, warps * 32>>>(reinterpret_cast<u32*>(a), 1024, words);
      }
  CHECK(cudaDeviceSynchronize());
}
