// Which lines share a set of the L1, by latency inside one kernel, no profiler. Prints CSV:
//   evict,BIT,LINE,A,B,C,D    of 2,600 random lines these four are enough to push LINE out. Lines lie in two
//                             2 MiB pages whose addresses differ in address bit BIT alone.
//   random,SEED,MASK,N,H      N random lines read cyclically: hits of the fourth pass
//   grid,OUTER,STEP,INNER,H   the same for OUTER pieces, STEP bytes apart, of INNER lines
// Lines are numbered from an address that is a multiple of 16 TiB, so that offsets never carry.
#include <cuda.h>

#include "micro.cuh"

#define DRIVER(call)                                               \
  do {                                                             \
    CUresult status_ = (call);                                     \
    if (status_ != CUDA_SUCCESS) {                                 \
      std::fprintf(stderr, "%s: error %d\n", #call, (int)status_); \
      std::exit(1);                                                \
    }                                                              \
  } while (0)

constexpr u64 kPage = 2 << 20;
constexpr int kLineBits = 14;  // of a page
constexpr int kMost = 500;     // numbers a CTA may report

// A line's number has the page as its bit 14.
struct Pages {
  const u8 *low, *high;
  __device__ const u8* line(u32 n) const { return (n >> kLineBits & 1 ? high : low) + (n & ((1u << kLineBits) - 1)) * 128ull; }
};

__device__ __forceinline__ u32 timed(const u8* p, bool allocate) {
  u32 t;
  if (allocate)
    asm volatile("{ .reg .u32 a,b,v; .reg .pred q; mov.u32 a,%%clock; ld.global.ca.u32 v,[%1]; setp.ne.u32 q,v,77; mov.u32 b,0; @q mov.u32 b,%%clock; sub.u32 %0,b,a; }" : "=r"(t) : "l"(p) : "memory");
  else
    asm volatile("{ .reg .u32 a,b,v; .reg .pred q; mov.u32 a,%%clock; ld.global.L1::no_allocate.u32 v,[%1]; setp.ne.u32 q,v,77; mov.u32 b,0; @q mov.u32 b,%%clock; sub.u32 %0,b,a; }" : "=r"(t) : "l"(p) : "memory");
  return t;
}
__device__ __forceinline__ void forget() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

struct Random {
  u64 state;
  __host__ __device__ u32 next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<u32>(state >> 20);
  }
};

extern __shared__ u32 lines[];

// Is `line` gone after two passes over the n lines less [from, to)? Three times out of three.
__device__ bool evicts(Pages pages, u32 line, int n, int from, int to) {
  for (int time = 0; time < 3; ++time) {
    forget();
    u32 sum = timed(pages.line(line), true);
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < n; ++i)
        if (i < from || i >= to) sum += load_ca(pages.line(lines[i]));
    if (sum == 77 || timed(pages.line(line), false) <= 150) return false;
  }
  return true;
}

__global__ void find_sets(Pages pages, int n, u32* out) {
  Random random{88172645463325252ull + blockIdx.x * 7919ull};
  for (int i = 0; i < 10; ++i) random.next();
  const auto any = [&] { return random.next() & ((2u << kLineBits) - 1); };
  const u32 line = any();
  for (int i = 0; i < n; ++i) lines[i] = any();
  u32* o = out + blockIdx.x * kMost;
  o[0] = 0;
  if (!evicts(pages, line, n, 0, 0)) return;
  for (int chunk : {32, 8, 1})
    for (int from = (n - 1) / chunk * chunk; from >= 0; from -= chunk) {
      const int to = from + chunk < n ? from + chunk : n;
      if (from >= n || !evicts(pages, line, n, from, to)) continue;
      for (int i = to; i < n; ++i) lines[i - (to - from)] = lines[i];
      n -= to - from;
    }
  if (n > 8) return;
  o[0] = n;
  o[1] = line;
  for (int i = 0; i < n; ++i) o[2 + i] = lines[i];
}

__global__ void cyclic(const u8* a, const u32* which, int n, u32* hits) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) lines[i] = which[i];
  __syncthreads();
  if (threadIdx.x) return;
  forget();
  for (int pass = 0; pass < 4; ++pass) {
    *hits = 0;
    u32 h = 0;
    for (int i = 0; i < n; ++i) h += timed(a + lines[i] * 128ull, true) <= 150;
    *hits = h;
  }
}

int main() {
  CHECK(cudaFree(nullptr));
  const int ctas = 64, top = 44;
  u32 *out, *which;
  CHECK(cudaMallocHost(&out, ctas * kMost * sizeof(u32)));
  CHECK(cudaMallocHost(&which, 4096 * sizeof(u32)));
  CHECK(cudaFuncSetAttribute(find_sets, cudaFuncAttributePreferredSharedMemoryCarveout, 14));
  CHECK(cudaFuncSetAttribute(cyclic, cudaFuncAttributePreferredSharedMemoryCarveout, 14));
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle low, high;
  DRIVER(cuMemCreate(&low, 32 * kPage, &prop, 0));
  DRIVER(cuMemCreate(&high, kPage, &prop, 0));
  CUdeviceptr range = 0;
  DRIVER(cuMemAddressReserve(&range, 4ull << top, 0, 0, 0));
  const CUdeviceptr base = (range + (2ull << top) - 1) >> (top + 1) << (top + 1);
  DRIVER(cuMemMap(base, 32 * kPage, 0, low, 0));
  DRIVER(cuMemSetAccess(base, 32 * kPage, &access, 1));
  CHECK(cudaMemset(reinterpret_cast<void*>(base), 0, 32 * kPage));
  const u8* a = reinterpret_cast<const u8*>(base);
  const auto again = [&](int n) {
    cyclic<<<1, 32, n * sizeof(u32)>>>(a, which, n, out);
    CHECK(cudaDeviceSynchronize());
    return out[0];
  };
  for (u64 seed : {1, 2, 3})
    for (u32 mask : {0x3fffu, 0x7ffffu})
      for (int n : {256, 512, 640, 768, 1024, 1280, 1536, 1700}) {
        Random random{88172645463325252ull + seed};
        for (int i = 0; i < n; ++i) which[i] = random.next() & mask;
        std::printf("random,%llu,%u,%d,%u\n", (unsigned long long)seed, mask, n, again(n));
      }
  const int shapes[][2] = {{16, 32}, {32, 32}, {8, 128}, {64, 16}, {128, 8}, {16, 96}};
  for (const auto& shape : shapes)
    for (int bit = 12; (static_cast<u64>(shape[0]) << bit) <= 32 * kPage; ++bit) {
      int n = 0;
      for (int o = 0; o < shape[0]; ++o)
        for (int i = 0; i < shape[1]; ++i) which[n++] = (static_cast<u32>(o) << (bit - 7)) + i;
      std::printf("grid,%d,%llu,%d,%u\n", shape[0], 1ull << bit, shape[1], again(n));
    }
  for (int bit = 21; bit <= top; ++bit) {
    // Where the first pages are mapped already, one of those is the other.
    const bool mapped = (1ull << bit) < 32 * kPage;
    const CUdeviceptr other = base ^ 1ull << bit;
    if (!mapped) {
      DRIVER(cuMemMap(other, kPage, 0, high, 0));
      DRIVER(cuMemSetAccess(other, kPage, &access, 1));
    }
    find_sets<<<ctas, 1, 2600 * sizeof(u32)>>>(Pages{a, reinterpret_cast<const u8*>(other)}, 2600, out);
    CHECK(cudaDeviceSynchronize());
    for (int c = 0; c < ctas; ++c) {
      const u32* o = out + c * kMost;
      if (o[0] != 4) continue;
      std::printf("evict,%d", bit);
      for (int i = 1; i <= 5; ++i) std::printf(",%llu", (o[i] >> kLineBits & 1 ? 1ull << (bit - 7) : 0) + (o[i] & ((1ull << kLineBits) - 1)));
      std::printf("\n");
    }
    std::fflush(stdout);
    if (!mapped) DRIVER(cuMemUnmap(other, kPage));
  }
}
