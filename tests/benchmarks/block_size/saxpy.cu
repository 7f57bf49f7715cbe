// y = a x + y, a thread for each element.
#ifndef BLOCK
#define BLOCK 256
#endif
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
  int n = 1 << 20;
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  saxpy<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(n, 2.f, x, y);
  return cudaDeviceSynchronize();
}
