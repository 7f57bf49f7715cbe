// A copy, and the same with four blocks' worth a thread: as many transactions, more of them under
// way. unrolled_copy.ptx is what nvcc 13.0 makes of it (-ptx -arch=sm_80).
template <int kUnroll>
__device__ __forceinline__ void copy(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x * kUnroll + threadIdx.x;
  float v[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) v[u] = in[i + u * blockDim.x];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) out[i + u * blockDim.x] = v[u];
}
extern "C" __global__ void copy_1(float* __restrict__ out, const float* __restrict__ in) { copy<1>(out, in); }
extern "C" __global__ void copy_4(float* __restrict__ out, const float* __restrict__ in) { copy<4>(out, in); }
