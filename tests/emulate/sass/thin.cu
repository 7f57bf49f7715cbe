// What tests/emulate/sass_programs.cpp runs: the smallest programs that need each of a kernel's
// means. thin.sass is its machine code, as printed by
//   nvcc -arch=sm_90 -cubin thin.cu && nvdisasm -c thin.cubin
#include <cstdio>

extern "C" __global__ void copy(float* to, const float* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

// 8 x 8 tiles of square matrices of n.
extern "C" __global__ void product(float* c, const float* a, const float* b, int n) {
  __shared__ float left[8][8], right[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; k += 8) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(k + y) * n + column];
    __syncthreads();
#pragma unroll 2
    for (int i = 0; i < 8; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void reduction(int* sum, const int* from) {
  __shared__ int of_warp[8];
  int v = from[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll 1
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(~0u, v, by);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 8) {
    v = of_warp[threadIdx.x];
#pragma unroll 1
    for (int by = 4; by > 0; by /= 2) v += __shfl_down_sync(0xffu, v, by);
    if (threadIdx.x == 0) sum[blockIdx.x] = v;
  }
}

// Lanes that go round a loop a different number of times, and meet behind it.
extern "C" __global__ void steps(int* to, const int* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = from[i], count = 0;
#pragma unroll 1
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++count;
  }
  to[i] = count + __popc(__activemask());
}

extern "C" __global__ void divisions(int* q, float* r, const int* a, const int* b, const float* x,
                                     const float* y) {
  const int i = threadIdx.x;
  q[i] = a[i] / b[i];
  r[i] = x[i] / y[i];
}

extern "C" __global__ void says(int n) {
  if (threadIdx.x == 3) printf("thread %d of %d\n", threadIdx.x, n);
}
