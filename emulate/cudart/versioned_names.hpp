// version.cpp is compiled for CUDA 12 and for CUDA 13 (WARPMEM_CUDART), and both are in one
// library: what they define under one name has the version before it there
// (emulate/names/versioned.inc). libcudart.so.12 and .13 lead to it.
#pragma once

#define WARPMEM_JOIN(version, name) warpmem_##version##_##name
#define WARPMEM_OF(version, name) WARPMEM_JOIN(version, name)
#define WARPMEM_TEXT_OF(name) #name
#define WARPMEM_TEXT(name) WARPMEM_TEXT_OF(name)
// WARPMEM_ALIAS of what has the version before its name.
#define WARPMEM_VERSIONED_ALIAS(name, target) \
  extern "C" __attribute__((alias(WARPMEM_TEXT(target)))) decltype(target) name

#define cudaDriverGetVersion WARPMEM_OF(WARPMEM_CUDART, cudaDriverGetVersion)
#define cudaGetDeviceProperties WARPMEM_OF(WARPMEM_CUDART, cudaGetDeviceProperties)
#define cudaGraphAddDependencies WARPMEM_OF(WARPMEM_CUDART, cudaGraphAddDependencies)
#define cudaGraphAddNode WARPMEM_OF(WARPMEM_CUDART, cudaGraphAddNode)
#define cudaGraphGetEdges WARPMEM_OF(WARPMEM_CUDART, cudaGraphGetEdges)
#define cudaGraphNodeGetDependencies WARPMEM_OF(WARPMEM_CUDART, cudaGraphNodeGetDependencies)
#define cudaGraphNodeGetDependentNodes WARPMEM_OF(WARPMEM_CUDART, cudaGraphNodeGetDependentNodes)
#define cudaGraphRemoveDependencies WARPMEM_OF(WARPMEM_CUDART, cudaGraphRemoveDependencies)
#define cudaMemAdvise WARPMEM_OF(WARPMEM_CUDART, cudaMemAdvise)
#define cudaMemPrefetchAsync WARPMEM_OF(WARPMEM_CUDART, cudaMemPrefetchAsync)
#define cudaMemPrefetchAsync_ptsz WARPMEM_OF(WARPMEM_CUDART, cudaMemPrefetchAsync_ptsz)
#define cudaMemcpyBatchAsync WARPMEM_OF(WARPMEM_CUDART, cudaMemcpyBatchAsync)
#define cudaMemcpyBatchAsync_ptsz WARPMEM_OF(WARPMEM_CUDART, cudaMemcpyBatchAsync_ptsz)
#define cudaRuntimeGetVersion WARPMEM_OF(WARPMEM_CUDART, cudaRuntimeGetVersion)
#define cudaStreamGetCaptureInfo WARPMEM_OF(WARPMEM_CUDART, cudaStreamGetCaptureInfo)
#define cudaStreamGetCaptureInfo_ptsz WARPMEM_OF(WARPMEM_CUDART, cudaStreamGetCaptureInfo_ptsz)
#define cudaStreamUpdateCaptureDependencies \
  WARPMEM_OF(WARPMEM_CUDART, cudaStreamUpdateCaptureDependencies)
#define cudaStreamUpdateCaptureDependencies_ptsz \
  WARPMEM_OF(WARPMEM_CUDART, cudaStreamUpdateCaptureDependencies_ptsz)
