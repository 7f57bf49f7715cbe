// Two kernels whose fat binary is kernels.fatbin, so that machine code can be read where there is
// no nvcc:
//   nvcc -fatbin -O3 -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80
//        -gencode arch=compute_75,code=compute_75 -o kernels.fatbin kernels.cu
//   nvcc -cubin -O3 -arch=sm_80 -o kernels.cubin kernels.cu
extern "C" __global__ void scale(float* x, float f, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= f;
}

// 8 KiB of shared memory, and more live values than few registers hold.
extern "C" __global__ void many(const float* in, float* out, int n) {
  __shared__ float tile[2048];
  float v[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) v[k] = in[threadIdx.x + k * n];
  tile[threadIdx.x] = v[0] + v[47];
  __syncthreads();
#pragma unroll
  for (int round = 0; round < 2; ++round)
#pragma unroll
    for (int k = 0; k < 48; ++k) v[k] = v[k] * v[(k * 7 + 5) % 48] + tile[(threadIdx.x + k) & 2047];
#pragma unroll
  for (int k = 0; k < 48; ++k) out[threadIdx.x + k * n] = v[k];
}
