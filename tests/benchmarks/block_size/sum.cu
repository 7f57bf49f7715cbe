// Each block adds up its part in shared memory.
#ifndef BLOCK
#define BLOCK 256
#endif
__global__ void sum(int n, const float* x, float* out) {
  __shared__ float part[BLOCK];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK + t;
  part[t] = i < n ? x[i] : 0.f;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
int main() {
  int n = 1 << 20;
  float *x, *out;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&out, n * 4);
  sum<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(n, x, out);
  return cudaDeviceSynchronize();
}
