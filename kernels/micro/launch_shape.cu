// What a launch costs by its shape: shared memory, clusters, constants, parameters; and how fast SMs of
// a cluster read and write each other's shared memory. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --metrics sm__cycles_elapsed.max,sm__cycles_active.max,
//       sm__cycles_active.sum,smsp__inst_executed.sum launch_shape
#include <cooperative_groups.h>

#include "cluster.cuh"
namespace cg = cooperative_groups;

__constant__ u32 table[16384];

__global__ void empty() {}
__global__ void waiting(int cycles) { wait_cycles(cycles); }
__global__ void store_one(u32* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void touch_shared(u32* out) {
  extern __shared__ u32 words[];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (words[threadIdx.x ^ 1] == 12345) *out = 1;
}
// `rounds` loads and stores of shared memory, each with a barrier, in a loop and written out.
__global__ void shared_loop(u32* out, int rounds) {
  extern __shared__ u32 words[];
  u32 v = threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    words[threadIdx.x] = v;
    __syncthreads();
    v += words[threadIdx.x ^ 32];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
template <int kRounds>
__global__ void shared_straight(u32* out) {
  extern __shared__ u32 words[];
  u32 v = threadIdx.x;
#pragma unroll
  for (int r = 0; r < kRounds; ++r) {
    words[threadIdx.x] = v;
    __syncthreads();
    v += words[threadIdx.x ^ 32];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// A chain of `rounds` constants, `apart` words from one to the next, one address a warp.
__global__ void constant_chain(u32* out, u32 apart, u32 mask, int rounds) {
  u32 v = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) v += table[(v + r * apart) & mask];
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// `distinct` addresses in a warp, `apart` words from one to the next.
__global__ void constant_distinct(u32* out, u32 distinct, u32 apart, int rounds) {
  u32 v = 0, at = threadIdx.x % distinct * apart;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) v += table[at + (v & 1)];
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// Every thread reads, or writes, words of the CTA `ahead` further on in the cluster.
template <bool kWrites>
__global__ void remote(u32* out, int ahead, int rounds) {
  __shared__ u32 words[4096];
  cg::cluster_group cluster = cg::this_cluster();
  for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = 0;
  cluster.sync();
  u32* const other = cluster.map_shared_rank(words, (cluster.block_rank() + ahead) % cluster.num_blocks());
  u32 v = 0;
#pragma unroll 8
  for (int r = 0; r < rounds; ++r) {
    volatile u32* const word = other + (r * blockDim.x + threadIdx.x) % 4096;
    if (kWrites) *word = r;
    else v += *word;
  }
  cluster.sync();
  if (v == 12345) *out = v;
}

template <class... Args>
void launch(const char* name, void (*kernel)(Args...), int grid, int block, int cluster, size_t shared, Args... args) {
  label("%s,%d,%d,%d,%d", name, grid, block, cluster, (int)shared);
  launch_cluster(kernel, grid, block, cluster, shared, args...);
}

int main() {
  u32* out = device_buffer<u32>(64 << 20);
  char name[96];
#define NAMED(...) (std::snprintf(name, sizeof name, __VA_ARGS__), name)
  for (int kib : {4, 48, 200})
    for (int grid : {132, 1056, 4224}) {
      launch("empty", empty, grid, 256, 1, size_t(kib) << 10);
      launch("store_one", store_one, grid, 256, 1, size_t(kib) << 10, out);
      launch("touch_shared", touch_shared, grid, 256, 1, size_t(kib) << 10, out);
    }
  for (int grid : {1, 132, 1056})
    for (int block : {64, 256, 1024}) {
      for (int r : {1, 4, 16, 64}) launch(NAMED("shared_loop %d", r), shared_loop, grid, block, 1, size_t(4096), out, r);
      launch("shared_straight 16", shared_straight<16>, grid, block, 1, size_t(4096), out);
      launch("shared_straight 64", shared_straight<64>, grid, block, 1, size_t(4096), out);
    }
  for (u32 apart : {1u, 16u, 64u, 1024u})
    for (int r : {1, 8, 64, 256}) launch(NAMED("constant_chain %u/%d", apart, r), constant_chain, 132, 32, 1, size_t(0), out, apart, 16383u, r);
  for (u32 words : {512u, 1024u, 8192u, 16384u})  // footprints, twice round
    launch(NAMED("constant_round %u", words), constant_chain, 132, 32, 1, size_t(0), out, 16u, words - 1, int(words / 8));
  for (u32 distinct : {1, 2, 4, 8, 16, 32})
    for (int block : {32, 256})
      for (int r : {16, 144}) launch(NAMED("constant_distinct %u/%d", distinct, r), constant_distinct, 132, block, 1, size_t(0), out, distinct, 16u, r);
  for (int c : {1, 2, 4, 8, 16})
    for (int grid : {1056, 4224 / 16 * 16}) {
      for (int cycles : {100, 1000, 4000})
        for (int kib : {0, 48, 110}) launch(NAMED("waiting %d", cycles), waiting, grid, 256, c, size_t(kib) << 10, cycles);
      launch("touch_shared", touch_shared, grid, 256, c, size_t(4096), out);
    }
  for (int c : {2, 4, 8})
    for (int ahead : {1, c / 2})
      for (int block : {256, 1024})
        for (int r : {16, 144}) {
          launch(NAMED("remote_read %d/%d", ahead, r), remote<false>, 128, block, c, size_t(0), out, ahead, r);
          launch(NAMED("remote_write %d/%d", ahead, r), remote<true>, 128, block, c, size_t(0), out, ahead, r);
        }
}
