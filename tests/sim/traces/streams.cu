// n streams of copy, kernel, copy: `streams N pinned|pageable`. Prints the milliseconds between two
// events. one_stream.wmt: warpmem emulate --gpu h100_sxm streams.cu -- 1 pinned; four_streams.wmt:
// 4 pinned.
#include <cstdio>
#include <cstdlib>
__global__ void scale(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}
int main(int, char** argv) {
  const int streams = atoi(argv[1]), n = 1 << 20, part = n / streams;
  const bool pinned = argv[2][1] == 'i';
  float *host, *device;
  if (pinned) cudaMallocHost(&host, n * 4);
  else host = (float*)malloc(n * 4);
  cudaMalloc(&device, n * 4);
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaStream_t s[16];
  cudaEvent_t begin, end, done;
  cudaEventCreate(&begin), cudaEventCreate(&end), cudaEventCreate(&done);
  for (int i = 0; i < streams; ++i) cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
  cudaEventRecord(begin, s[0]);
  for (int i = 0; i < streams; ++i) {
    cudaMemcpyAsync(device + i * part, host + i * part, part * 4, cudaMemcpyHostToDevice, s[i]);
    scale<<<part / 256, 256, 0, s[i]>>>(device + i * part, part);
    cudaMemcpyAsync(host + i * part, device + i * part, part * 4, cudaMemcpyDeviceToHost, s[i]);
  }
  for (int i = 1; i < streams; ++i) {
    cudaEventRecord(done, s[i]);
    cudaStreamWaitEvent(s[0], done, 0);
  }
  cudaEventRecord(end, s[0]);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  float ms;
  cudaEventElapsedTime(&ms, begin, end);
  for (int i = 0; i < n; ++i)
    if (host[i] != 2.0f * i) return 2;
  printf("%.6f\n", ms);
}
