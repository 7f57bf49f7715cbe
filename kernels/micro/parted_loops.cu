// Which lanes of a warp go on together behind a loop that they leave at different times, and how
// often lanes try that wait for each other. Where ptxas has put a YIELD into the loop (it looks at
// volatile words, or at what an atomic returns), whoever leaves it goes on alone and for good, until
// an instruction takes the whole warp; and lanes that want one lock try once for each that had it
// before. A line a case: the form, how many groups of lanes are behind it, and tries or rounds.
#include "micro.cuh"

__device__ u32 masks[32], rounds[1024];

__device__ void leave(u32 k) {
  masks[threadIdx.x & 31] = __activemask();
  rounds[threadIdx.x] = k;
}

// Lane l finds what it looks for after l % 8 rounds.
__global__ void plain(const u32* a) {
  u32 p = threadIdx.x * 64, k = 0;
  while (a[p] != 0) ++p, ++k;
  leave(k);
}

__global__ void looks(const volatile u32* a) {
  u32 p = threadIdx.x * 64, k = 0;
  while (a[p] != 0) ++p, ++k;
  leave(k);
}

__global__ void synced(const volatile u32* a) {
  u32 p = threadIdx.x * 64, k = 0;
  while (a[p] != 0) ++p, ++k;
  __syncwarp();
  leave(k);
}

__global__ void inserts(u32* a) {
  u32 p = threadIdx.x * 64, k = 0;
  while (atomicCAS(a + p, 0u, 1u) != 0) ++p, ++k;
  leave(k);
}

__global__ void locks(u32* a) {
  u32 k = 0;
  do ++k;
  while (atomicCAS(a, 0u, 1u) != 0);
  __threadfence();
  a[32] += 1;
  __threadfence();
  atomicExch(a, 0u);
  leave(k);
}

// Lane l waits for lane l - 1.
__global__ void chain(volatile u32* a) {
  u32 k = 0;
  if (threadIdx.x != 0)
    while (a[threadIdx.x - 1] == 0) ++k;
  __threadfence();
  a[threadIdx.x] = 1;
  leave(k);
}

template <typename Kernel, typename Pointer>
void ask(const char* name, Kernel kernel, Pointer words, bool fill, u32 threads) {
  u32 host[32 * 64] = {};
  for (u32 l = 0; l < 32 && fill; ++l)
    for (u32 i = 0; i < l % 8; ++i) host[l * 64 + i] = 9;
  CHECK(cudaMemcpy(const_cast<u32*>(words), host, sizeof host, cudaMemcpyHostToDevice));
  kernel<<<1, threads>>>(words);
  u32 together[32], each[1024], groups = 0, sum = 0;
  CHECK(cudaMemcpyFromSymbol(together, masks, sizeof together));
  CHECK(cudaMemcpyFromSymbol(each, rounds, sizeof each));
  for (u32 l = 0; l < 32; ++l) groups += (together[l] & ((1u << l) - 1)) == 0;
  for (u32 t = 0; t < threads; ++t) sum += each[t];
  std::printf("%s,%u,%u,%u\n", name, threads, groups, sum);
}

int main() {
  std::puts("form,threads,groups,rounds");
  u32* const words = device_buffer<u32>(32 * 64 * sizeof(u32));
  ask("plain", plain, words, true, 32);
  ask("looks", looks, words, true, 32);
  ask("synced", synced, words, true, 32);
  ask("inserts", inserts, words, true, 32);
  ask("locks", locks, words, false, 32);
  ask("locks", locks, words, false, 128);
  ask("chain", chain, words, false, 32);
  return 0;
}
