// Transposes of 2,048 x 2,048 floats through a padded tile, with CTAs in rows and along diagonals:
// what camping on memory partitions is about. transposes_2048.wmt is what
// `warpmem emulate transposes_2048.cu` traced of it (PTX, no GPU).
#include <cuda_runtime.h>
#include <cstdio>
constexpr int kTile = 32, kRows = 8;
__global__ void padded(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
__global__ void diagonal(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile + 1];
  int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  int x = bx * kTile + threadIdx.x, y = by * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = by * kTile + threadIdx.x, y = bx * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
int main() {
  const int n = 2048;
  float *a, *b;
  cudaMalloc(&a, n * n * 4);
  cudaMalloc(&b, n * n * 4);
  cudaMemset(a, 0, n * n * 4);
  dim3 g(n / kTile, n / kTile), t(kTile, kRows);
  padded<<<g, t>>>(b, a, n);
  diagonal<<<g, t>>>(b, a, n);
  cudaDeviceSynchronize();
  cudaFree(a), cudaFree(b);
}
