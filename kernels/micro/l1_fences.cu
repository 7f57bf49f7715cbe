// What fences, and accesses that acquire or release, leave of the L1: warp 0 reads eight lines of global memory and
// eight words a lane of local memory, a warp (this one or another) does what the label says, and warp 0 reads them
// again. A launch per case; the label: what, and whose.
// Read: l1tex__t_sectors_pipe_lsu_mem_{global,local}_op_ld[_lookup_hit], l1tex__m_xbar2l1tex_read_sectors.
#include "micro.cuh"

constexpr int kLines = 8;

enum What { kNothing, kBlock, kGpu, kSystem, kAcquire, kAcquireCluster, kAtomic, kAtomicAcquire, kAtomicBoth, kAtomicRelease, kStoreRelease, kLast };
const char* const kNames[] = {"nothing",        "fence.block",    "fence.gpu",    "fence.sys",      "ld.acquire.gpu", "ld.acquire.cluster",
                              "atom.relaxed", "atom.acquire", "atom.acq_rel", "atom.release", "st.release"};

__device__ __forceinline__ u32 loaded(const u32* p) {
  u32 v;
  asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__global__ void fences(const u32* lines, u32* other, u32* sink, int what, u32 whose) {
  u32 local[64];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u32 sum = 0;
  for (int pass = 0; pass < 2; ++pass) {
    if (warp == 0) {
      if (pass == 0)
        for (u32 i = 0; i < kLines; ++i) local[(i + lines[0]) % 64] = i;
      for (u32 i = 0; i < kLines; ++i) sum += loaded(lines + i * 32 + lane + (sum >> 31));
      for (u32 i = 0; i < kLines; ++i) sum += local[(i + (sum >> 31)) % 64];
    }
    if (sum == 0x12345) *sink = sum;
    wait_cycles(3000);
    __syncthreads();
    if (pass == 0 && warp == whose) {
      u32 v = 0;
      switch (what) {
        case kBlock: asm volatile("fence.acq_rel.cta;" ::: "memory"); break;
        case kGpu: asm volatile("fence.acq_rel.gpu;" ::: "memory"); break;
        case kSystem: asm volatile("fence.acq_rel.sys;" ::: "memory"); break;
        case kAcquire: asm volatile("ld.acquire.gpu.global.u32 %0,[%1];" : "=r"(v) : "l"(other) : "memory"); break;
        case kAcquireCluster: asm volatile("ld.acquire.cluster.global.u32 %0,[%1];" : "=r"(v) : "l"(other) : "memory"); break;
        case kAtomic: asm volatile("atom.relaxed.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(other) : "memory"); break;
        case kAtomicAcquire: asm volatile("atom.acquire.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(other) : "memory"); break;
        case kAtomicBoth: asm volatile("atom.acq_rel.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(other) : "memory"); break;
        case kAtomicRelease: asm volatile("atom.release.gpu.global.add.u32 %0,[%1],1;" : "=r"(v) : "l"(other) : "memory"); break;
        case kStoreRelease: asm volatile("st.release.gpu.global.u32 [%0],%1;" ::"l"(other), "r"(v) : "memory"); break;
        default: break;
      }
      if (v == 0x12345) *sink = v;
      wait_cycles(3000);
    }
    __syncthreads();
  }
}

int main() {
  u32* const lines = device_buffer<u32>(1 << 20);
  u32* const other = device_buffer<u32>(1 << 20);
  u32* const sink = device_buffer<u32>(64);
  for (int what = 0; what < kLast; ++what)
    for (u32 whose : {0u, 1u}) {
      label("%s,%s", kNames[what], whose ? "another" : "own");
      fences<<<1, 64>>>(lines, other, sink, what, whose);
    }
  CHECK(cudaDeviceSynchronize());
}
