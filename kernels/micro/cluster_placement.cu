// Where the CTAs of clusters run, when they start, how many clusters fit the GPU at once, what a barrier
// of a cluster costs when somebody is late, and how far SMs of a cluster are from each other. No
// profiler. Prints CSV, the kind of row first:
//   place,cluster,policy,threads,shared,grid,clusters that fit at once,"SM of each CTA","its start, ns"
//   barrier,cluster,threads,shared,late cycles,cycles a round (the slowest CTA's)
//   distance,cluster,SM of the reader,SM of the read,cycles a dependent load
//   remote,cluster,threads,shared,kind,cycles for 256 accesses a warp,"SM of each CTA"
#include <algorithm>
#include <string>

#include <cooperative_groups.h>

#include "micro.cuh"
namespace cg = cooperative_groups;

struct Seen {
  u64 sm, timer, cycles;
};

__device__ __forceinline__ u64 timer_ns() {
  u64 t;
  asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t));
  return t;
}
__device__ __forceinline__ void note(Seen* out, u64 began, u64 cycles) {
  if (threadIdx.x == 0) out[blockIdx.x] = {sm_id(), began, cycles};
}

__global__ void place(Seen* out, int cycles) {
  const u64 began = timer_ns();
  const long long from = clock64();
  while (clock64() - from < cycles) {
  }
  note(out, began, 0);
}
// All but one CTA of each cluster wait for the late one.
__global__ void barrier(Seen* out, int rounds, int late) {
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  const long long from = clock64();
  for (int r = 0; r < rounds; ++r) {
    if (cluster.block_rank() == 0 && threadIdx.x == 0 && late) {
      const long long begin = clock64();
      while (clock64() - begin < late) {
      }
    }
    cluster.sync();
  }
  note(out, 0, u64(clock64() - from));
}
// Thread 0 of the cluster's CTA 0 chases a word of CTA `other`.
__global__ void distance(Seen* out, int other, int rounds) {
  __shared__ u32 word;
  cg::cluster_group cluster = cg::this_cluster();
  word = 0;
  cluster.sync();
  const u32* const at = cluster.map_shared_rank(&word, other);
  u32 v = 0;
  const long long from = clock64();
  if (cluster.block_rank() == 0 && threadIdx.x == 0)
    for (int i = 0; i < rounds; ++i) v += *(volatile const u32*)(at + v);
  const u64 took = u64(clock64() - from);
  cluster.sync();
  note(out, v, took);
}
// 256 accesses a thread to the next CTA's shared memory.
template <bool kWrites>
__global__ void remote(Seen* out) {
  __shared__ u32 words[4096];
  cg::cluster_group cluster = cg::this_cluster();
  for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = 0;
  cluster.sync();
  u32* const other = cluster.map_shared_rank(words, (cluster.block_rank() + 1) % cluster.num_blocks());
  u32 v = 0;
  const long long from = clock64();
#pragma unroll 8
  for (int r = 0; r < 256; ++r) {
    volatile u32* const word = other + (r * blockDim.x + threadIdx.x) % 4096;
    if (kWrites) *word = r;
    else v += *word;
  }
  cluster.sync();
  note(out, v, u64(clock64() - from));
}

constexpr int kMost = 4096;  // CTAs
Seen* seen;
std::vector<Seen> answer(kMost);

template <class... Args>
bool launch(void (*kernel)(Args...), int grid, int threads, int cluster, int kib, int policy, int* fit, Args... args) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  cudaLaunchConfig_t c{};
  c.gridDim = grid;
  c.blockDim = threads;
  c.dynamicSmemBytes = size_t(kib) << 10;
  cudaLaunchAttribute a[2];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim = {unsigned(cluster), 1, 1};
  a[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  a[1].val.clusterSchedulingPolicyPreference = static_cast<cudaClusterSchedulingPolicy>(policy);
  c.attrs = a;
  c.numAttrs = policy ? 2 : 1;
  if (fit && cudaOccupancyMaxActiveClusters(fit, kernel, &c) != cudaSuccess) {
    cudaGetLastError();
    *fit = -1;
  }
  for (int k = 0; k < 2; ++k) {  // the second time the code is there
    if (cudaLaunchKernelEx(&c, kernel, args...) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaMemcpy(answer.data(), seen, grid * sizeof(Seen), cudaMemcpyDeviceToHost));
  return true;
}

std::string sms(int grid) {
  std::string text;
  for (int c = 0; c < grid; ++c) text += (c ? " " : "") + std::to_string(answer[c].sm);
  return text;
}
u64 slowest(int grid) {
  u64 most = 0;
  for (int c = 0; c < grid; ++c) most = std::max(most, answer[c].cycles);
  return most;
}

int main() {
  seen = device_buffer<Seen>(kMost * sizeof(Seen));
  struct Shape {
    int threads, kib;
  };
  for (int policy : {0, 1, 2})  // default, spread, load balancing
    for (int cluster : {1, 2, 3, 4, 6, 8, 12, 16})
      for (Shape s : {Shape{256, 0}, Shape{1024, 0}, Shape{256, 48}, Shape{256, 110}, Shape{256, 200}})
        for (int grid : {96, 384, 1536}) {
          if (policy && (grid != 96 || cluster < 4)) continue;
          int fit = 0;
          const int rounded = grid / cluster * cluster;
          if (!launch(place, rounded, s.threads, cluster, s.kib, policy, &fit, seen, 20000)) continue;
          u64 first = ~0ull;
          for (int c = 0; c < rounded; ++c) first = std::min(first, answer[c].timer);
          std::string starts;
          for (int c = 0; c < rounded; ++c) starts += (c ? " " : "") + std::to_string(answer[c].timer - first);
          std::printf("place,%d,%d,%d,%d,%d,%d,\"%s\",\"%s\"\n", cluster, policy, s.threads, s.kib, rounded, fit, sms(rounded).c_str(), starts.c_str());
        }
  for (int cluster : {2, 4, 8, 16})
    for (int threads : {32, 256, 1024})
      for (int late : {0, 1000}) {
        const int rounds = 64;
        for (int kib : {0, 200})
          if (launch(barrier, cluster, threads, cluster, kib, 0, nullptr, seen, rounds, late))
            std::printf("barrier,%d,%d,%d,%d,%.1f\n", cluster, threads, kib, late, double(slowest(cluster)) / rounds);
      }
  for (int cluster : {4, 8, 16})
    for (int other = 0; other < cluster; ++other)
      if (launch(distance, 128, 32, cluster, 200, 0, nullptr, seen, other, 256))
        for (int c = 0; c < 128; c += cluster)
          std::printf("distance,%d,%d,%d,%.1f\n", cluster, int(answer[c].sm), int(answer[c + other].sm), double(answer[c].cycles) / 256);
  for (int cluster : {2, 4, 8, 16})
    for (int threads : {256, 1024})
      for (int kib : {0, 200})
        for (int grid : {cluster, 64}) {
          if (launch(remote<false>, grid, threads, cluster, kib, 0, nullptr, seen))
            std::printf("remote,%d,%d,%d,read,%llu,\"%s\"\n", cluster, threads, kib, (unsigned long long)slowest(grid), sms(grid).c_str());
          if (launch(remote<true>, grid, threads, cluster, kib, 0, nullptr, seen))
            std::printf("remote,%d,%d,%d,write,%llu,\"%s\"\n", cluster, threads, kib, (unsigned long long)slowest(grid), sms(grid).c_str());
        }
}
