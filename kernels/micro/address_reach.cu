// Address translation: one thread's dependent loads, each so many bytes behind the last, round and round a
// buffer; and independent gathers of all SMs drawn in buffers of so many bytes. Prints CSV: kind,
// bytes of the buffer, step, cycles a load (chase: of the second time round; gather: of the whole GPU a warp's load).
#include "micro.cuh"
__global__ void chase(const u8* p, u64 bytes, u64 step, int loads, u64* out) {
  u64 at = 0;
  for (int again = 0; again < 2; ++again) {
    const long long begin = clock64();
    for (int k = 0; k < loads; ++k) {
      u32 v = load_cg(p + at);
      at += step + v;
      if (at >= bytes) at -= bytes;
    }
    out[again] = clock64() - begin;
  }
  if (at == 77) out[2] = 1;
}
__global__ void gather(const u8* p, u64 bytes, u32* out, u64* cycles) {
  u64 x = (u64{blockIdx.x} * blockDim.x + threadIdx.x) * 0x9e3779b97f4a7c15ull + 12345;
  u32 sum = 0;
  const long long begin = clock64();
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    sum += load_cg(p + (x >> 16) % (bytes / 128) * 128);
  }
  const long long end = clock64();
  if (sum == 77) out[0] = 1;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
int main() {
  const u64 most = u64{96} << 30;
  u8* p = nullptr;
  CHECK(cudaMalloc(&p, most));
  CHECK(cudaMemset(p, 0, most));
  u64* out = device_buffer<u64>(1 << 20);
  std::printf("kind,bytes,step,first,later\n");
  for (u64 step : {u64{128} << 10, u64{2} << 20})
    for (u64 bytes = u64{16} << 20; bytes <= most; bytes *= 2) {
      const int loads = static_cast<int>(bytes / step > 20000 ? 20000 : bytes / step);
      if (loads < 16) continue;
      chase<<<1, 1>>>(p, bytes, step + 128, loads, out);
      u64 h[2];
      CHECK(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost));
      std::printf("chase,%llu,%llu,%.1f,%.1f\n", (unsigned long long)bytes, (unsigned long long)step, (double)h[0] / loads, (double)h[1] / loads);
    }
  for (u64 bytes = u64{16} << 20; bytes <= most; bytes *= 2)
    for (int ctas : {1, 132}) {
      std::vector<u64> h(ctas);
      for (int again = 0; again < 2; ++again) gather<<<ctas, 512>>>(p, bytes, (u32*)out, out + 1000);
      CHECK(cudaMemcpy(h.data(), out + 1000, ctas * 8, cudaMemcpyDeviceToHost));
      double worst = 0;
      for (u64 v : h) worst = (double)v > worst ? (double)v : worst;
      std::printf("gather,%llu,%d,%.1f,%.1f\n", (unsigned long long)bytes, ctas, worst, worst / (64 * 16));
    }
}
