// Launches that may be clusters, of any size that the GPU takes.
#pragma once
#include "micro.cuh"

template <class... Args>
void launch_cluster(void (*kernel)(Args...), int grid, int block, int cluster, size_t shared, Args... args) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  cudaLaunchConfig_t c{};
  c.gridDim = grid;
  c.blockDim = block;
  c.dynamicSmemBytes = shared;
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim = {unsigned(cluster), 1, 1};
  c.attrs = a;
  c.numAttrs = cluster > 1;
  CHECK(cudaLaunchKernelEx(&c, kernel, args...));
  CHECK(cudaDeviceSynchronize());
}
