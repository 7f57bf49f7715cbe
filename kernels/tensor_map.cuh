// Tensor maps of square matrices of floats (compute capability 9.0).
#pragma once

#include "common.cuh"

#include <cuda.h>

namespace tensor_map {

using Encode = decltype(&cuTensorMapEncodeTiled);

// The driver's function, found at run time so that the program links with the runtime alone.
inline Encode find_encode() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                              cudaEnableDefault, &found));
#else
  CUDA_CHECK(
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess || function == nullptr) {
    suite::missing("the driver has no cuTensorMapEncodeTiled; install driver 525 or newer");
  }
  return reinterpret_cast<Encode>(function);
}

// Tiles of width x height of a square matrix.
inline CUtensorMap describe(Encode encode, float* matrix, int n, int width, int height,
                            bool swizzled) {
  CUtensorMap map;
  const cuuint64_t extent[2] = {cuuint64_t(n), cuuint64_t(n)};
  const cuuint64_t row_bytes[1] = {cuuint64_t(n) * sizeof(float)};
  const cuuint32_t tile[2] = {cuuint32_t(width), cuuint32_t(height)};
  const cuuint32_t step[2] = {1, 1};
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, extent, row_bytes, tile, step,
             CU_TENSOR_MAP_INTERLEAVE_NONE,
             swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", static_cast<int>(result));
    std::exit(suite::kWrong);
  }
  return map;
}

}  // namespace tensor_map
