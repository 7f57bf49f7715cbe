// What the first accesses of small grids cost: kernels of a few instructions on 1 to 132 CTAs, each case a launch with
// caches flushed by the profiler (sm__cycles_elapsed.max, sm__cycles_active.max). Labels: kernel, CTAs, threads.
#include "micro.cuh"

__global__ void empty(u32*, const u32*, u32 never) {
  if (never == 1) asm volatile("trap;");
}
__global__ void read_id(u32*, const u32*, u32 never) {
  if (threadIdx.x + blockIdx.x == never) asm volatile("trap;");
}
__global__ void store(u32* to, const u32*, u32) { to[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
// A load that is waited for.
__global__ void load(u32*, const u32* from, u32 never) {
  if (load_ca(from + blockIdx.x * blockDim.x + threadIdx.x) == never) asm volatile("trap;");
}
// The address is at hand at once: no parameter but the pointer.
__global__ void load_same(u32*, const u32* from, u32 never) {
  if (load_ca(from) == never) asm volatile("trap;");
}
template <int apart>
__global__ void chain(u32*, const u32* from, u32 never) {
  u32 at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) at += load_ca(from + at) + apart / 4;  // zeros
  if (at == never) asm volatile("trap;");
}
__global__ void copy(u32* to, const u32* from, u32) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = load_ca(from + i);
}
__global__ void copy_twice(u32* to, const u32* from, u32) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = load_ca(from + i);
  __syncthreads();
  to[i + (1 << 20)] = load_ca(from + i + (1 << 20)) + load_ca(to + i);
}

int main() {
  u32* const from = device_buffer<u32>(256u << 20);
  u32* const to = device_buffer<u32>(256u << 20);
  using Kernel = void (*)(u32*, const u32*, u32);
  const struct {
    const char* name;
    Kernel kernel;
  } kernels[] = {{"empty", empty}, {"read_id", read_id}, {"store", store}, {"load", load}, {"load_same", load_same},
                 {"chain_128", chain<128 * 1024>}, {"chain_page", chain<4 << 20>}, {"copy", copy}, {"copy_twice", copy_twice}};
  for (int run = 0; run < 3; ++run)
    for (int threads : {32, 256, 1024})
      for (int ctas : {1, 8, 33, 132})
        for (const auto& k : kernels) {
          label("%s,%d,%d", k.name, ctas, threads);
          k.kernel<<<ctas, threads>>>(to, from, 0xffffffff);
          CHECK(cudaDeviceSynchronize());
        }
}
