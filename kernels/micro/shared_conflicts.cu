// How long accesses to shared memory with bank conflicts take on one SM, alone and in front of a
// barrier: a chain of loads, a barrier by itself, a store or a load and then a barrier, and a load, a
// store that waits for it, and a barrier, by 1 to 32 warps. All lanes take part, in `ways`
// wavefronts. Prints CSV: kind, ways, warps, cycles of the SM's clock a round. By clock64, code warm,
// no profiler.
#include "micro.cuh"

constexpr int kSteps = 64;
extern __shared__ u32 table[];

enum class Kind { kChain, kBarrier, kStoreBarrier, kLoadBarrier, kChainStoreBarrier };

template <Kind kKind>
__global__ void timed(long long* out, int ways, u32* sink) {
  const u32 lane = threadIdx.x % 32;
  // Lanes of one wavefront lie side by side, the next wavefront's in the next row of the banks.
  const u32 row = lane / (32 / ways), column = lane % (32 / ways);
  const u32 base = static_cast<u32>(__cvta_generic_to_shared(table)) + (row * 32 + column) * 4;
  for (u32 i = threadIdx.x; i < 1024; i += blockDim.x) table[i] = static_cast<u32>(__cvta_generic_to_shared(table)) + i * 4;
  __syncthreads();
  u32 a = base, sum = 0;
  long long begin = 0, end = 0;
  {
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
      begin = clock64();
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        u32 v = 0;
        if (kKind == Kind::kChain || kKind == Kind::kChainStoreBarrier) asm volatile("ld.shared.u32 %0,[%0];" : "+r"(a)::"memory");
        if (kKind == Kind::kStoreBarrier) asm volatile("st.shared.u32 [%0],%0;" ::"r"(base) : "memory");
        if (kKind == Kind::kChainStoreBarrier) asm volatile("st.shared.u32 [%0],%0;" ::"r"(a) : "memory");
        if (kKind == Kind::kLoadBarrier) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(base) : "memory");
        if (kKind != Kind::kChain) asm volatile("bar.sync 0;" ::: "memory");
        sum += v;
      }
      end = clock64();
    }
  }
  __syncthreads();
  if (a + sum == 1) *sink = a;
  if (lane == 0) out[threadIdx.x / 32 * 2] = begin, out[threadIdx.x / 32 * 2 + 1] = end;
}

template <Kind kKind>
void run(const char* name, long long* out, u32* sink) {
  static long long h[64];
  for (int ways : {1, 2, 4, 8, 16, 32})
    for (int warps : {1, 2, 4, 8, 16, 32}) {
      if (kKind == Kind::kBarrier && ways > 1) continue;
      timed<kKind><<<1, warps * 32, 4096>>>(out, ways, sink);
      CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
      long long first = h[0], last = h[1];
      for (int w = 0; w < warps; ++w) {
        first = h[2 * w] < first ? h[2 * w] : first;
        last = h[2 * w + 1] > last ? h[2 * w + 1] : last;
      }
      std::printf("%s,%d,%d,%.2f\n", name, ways, warps, static_cast<double>(last - first) / kSteps);
    }
}

int main() {
  long long* out = device_buffer<long long>(64 * 8);
  u32* sink = device_buffer<u32>(8);
  std::printf("kind,ways,warps,cycles\n");
  run<Kind::kChain>("chain", out, sink);
  run<Kind::kBarrier>("barrier", out, sink);
  run<Kind::kStoreBarrier>("store_barrier", out, sink);
  run<Kind::kLoadBarrier>("load_barrier", out, sink);
  run<Kind::kChainStoreBarrier>("chain_store_barrier", out, sink);
}
