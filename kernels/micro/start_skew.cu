// By how much SMs start apart: each CTA writes down when its first instruction ran and when its first
// load was back, by the GPU-wide timer and by its SM's clock. Prints CSV: kernel, launch (0: the code
// was never run before), CTA, SM, timer (ns after the earliest), clock at start, clock after the load.
#include "micro.cuh"

template <int kCopy>
__global__ void start(u64* out, const u32* in) {
  u64 timer;
  asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(timer));
  const long long begin = clock64();
  u32 v = load_cg(in + blockIdx.x * 1024 + kCopy);
  if (v == 0x12345) out[0] = v;
  const long long loaded = clock64();
  if (threadIdx.x == 0) {
    u64* o = out + blockIdx.x * 4;
    o[0] = sm_id();
    o[1] = timer;
    o[2] = static_cast<u64>(begin);
    o[3] = static_cast<u64>(loaded);
  }
}

template <int kCopy>
void run(u64* out, const u32* in, u8* flush) {
  const int ctas = 132;
  std::vector<u64> h(ctas * 4);
  CHECK(cudaFuncSetAttribute(start<kCopy>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  for (int launch = 0; launch < 3; ++launch) {
    CHECK(cudaMemset(flush, launch, 256u << 20));
    CHECK(cudaDeviceSynchronize());
    start<kCopy><<<ctas, 256, 200 * 1024>>>(out, in);
    CHECK(cudaMemcpy(h.data(), out, h.size() * 8, cudaMemcpyDeviceToHost));
    u64 first = ~0ull;
    for (int c = 0; c < ctas; ++c) first = h[c * 4 + 1] < first ? h[c * 4 + 1] : first;
    for (int c = 0; c < ctas; ++c)
      std::printf("skew,%d,%d,%d,%llu,%llu,%llu,%llu\n", kCopy, launch, c, (unsigned long long)h[c * 4],
                  (unsigned long long)(h[c * 4 + 1] - first), (unsigned long long)h[c * 4 + 2], (unsigned long long)h[c * 4 + 3]);
  }
}

int main() {
  u64* out = device_buffer<u64>(1 << 20);
  u32* in = device_buffer<u32>(64 << 20);
  u8* flush = device_buffer<u8>(256u << 20);
  run<0>(out, in, flush);
  run<1>(out, in, flush);
  run<2>(out, in, flush);
}
