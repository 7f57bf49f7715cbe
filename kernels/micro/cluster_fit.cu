// How many clusters the driver says are active at once, by CTAs that an SM holds (shared memory of a
// CTA decides) and CTAs of a cluster.
#include "micro.cuh"

__global__ void holds(u32* a) {
  extern __shared__ u32 words[];
  words[threadIdx.x] = 1;
  if (a) a[0] = words[0];
}

int main() {
  CHECK(cudaFuncSetAttribute(holds, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaFuncSetAttribute(holds, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  std::puts("ctas_an_sm,cluster,clusters");
  for (int kib : {200, 112, 74, 55, 44, 36, 31, 27, 24, 13, 0})
    for (u32 size = 1; size <= 16; ++size) {
      cudaLaunchAttribute cluster{};
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim.x = size, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
      cudaLaunchConfig_t config{};
      config.gridDim = dim3(64 * size), config.blockDim = dim3(32);
      config.dynamicSmemBytes = static_cast<size_t>(kib) * 1024;
      config.attrs = &cluster, config.numAttrs = 1;
      int an_sm = 0, clusters = 0;
      CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&an_sm, holds, 32, config.dynamicSmemBytes));
      CHECK(cudaOccupancyMaxActiveClusters(&clusters, holds, &config));
      std::printf("%d,%u,%d\n", an_sm, size, clusters);
    }
  return 0;
}
