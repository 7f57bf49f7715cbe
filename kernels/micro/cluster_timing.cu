// What clusters cost: their launch, their barrier, and the way to another SM's shared memory. And how
// fast an SM's copy engine moves bulk copies. To be run under the profiler, one launch a case.
#include <cooperative_groups.h>

#include "cluster.cuh"
namespace cg = cooperative_groups;

__global__ void empty() {}
__global__ void barriers(int rounds) {
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = 0; i < rounds; ++i) cluster.sync();
}
// One thread of each CTA chases a word of its neighbour's.
__global__ void chase(u32* out, int rounds) {
  __shared__ u32 word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) word = 0;
  cluster.sync();
  const u32* other = cluster.map_shared_rank(&word, (cluster.block_rank() + 1) % cluster.num_blocks());
  u32 v = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < rounds; ++i) v += *(volatile const u32*)(other + v);
  cluster.sync();
  if (v == 12345) *out = v;
}
// All threads read the neighbour's shared memory.
__global__ void stream(u32* out, int rounds) {
  __shared__ u32 words[4096];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i;
  cluster.sync();
  const u32* other = cluster.map_shared_rank(words, (cluster.block_rank() + 1) % cluster.num_blocks());
  u32 v = 0;
  for (int r = 0; r < rounds; ++r)
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) v += *(volatile const u32*)(other + i);
  cluster.sync();
  if (v == 12345) *out = v;
}
// `bytes` at a time from the L2 into shared memory, `rounds` one after the other.
__global__ void bulk(const u8* in, u32 bytes, int rounds) {
  extern __shared__ __align__(128) u8 to[];
  __shared__ u64 done;
  const u32 bar = (u32)__cvta_generic_to_shared(&done), dst = (u32)__cvta_generic_to_shared(to);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(bar));
  __syncthreads();
  if (threadIdx.x == 0)
    for (int r = 0; r < rounds; ++r) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(bar), "r"(bytes));
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0],[%1],%2,[%3];" ::"r"(dst), "l"(in + (u64(blockIdx.x) * 8 + r % 8) * 16384), "r"(bytes), "r"(bar) : "memory");
      asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p,[%0],%1; @!p bra W;}" ::"r"(bar), "r"(r & 1) : "memory");
    }
}

template <class... Args>
void launch(const char* name, void (*kernel)(Args...), int grid, int block, int cluster, size_t shared, Args... args) {
  label("%s,%d,%d,%d", name, grid, block, cluster);
  launch_cluster(kernel, grid, block, cluster, shared, args...);
}

int main() {
  u32* out = device_buffer<u32>(1 << 20);
  u8* in = device_buffer<u8>(64 << 20);
  for (int c : {1, 2, 4, 8})
    for (int g : {64, 128, 1024, 4096}) launch("empty", empty, g, 256, c, 0);
  for (int c : {2, 4, 8})
    for (int r : {1, 9, 65}) launch(r == 1 ? "barrier 1" : r == 9 ? "barrier 9" : "barrier 65", barriers, 64, 256, c, 0, r);
  for (int c : {2, 8})
    for (int r : {1, 17, 65}) launch(r == 1 ? "chase 1" : r == 17 ? "chase 17" : "chase 65", chase, 64, 32, c, 0, out, r);
  for (int c : {2, 8})
    for (int r : {1, 5, 17}) launch(r == 1 ? "stream 1" : r == 5 ? "stream 5" : "stream 17", stream, 64, 256, c, 0, out, r);
  for (u32 b : {128u, 1024u, 4096u, 16384u})
    for (int r : {8, 40}) launch(r == 8 ? "bulk 8" : "bulk 40", bulk, 132, 32, 1, size_t(b), (const u8*)in, b, r);
}
