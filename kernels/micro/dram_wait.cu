// How long a DRAM read takes while DRAM is idle or busy, and when the long ones come. One thread of one
// SM reads lines that nobody has read before, one after the other, and notes when each was asked for and
// how long it took; the other SMs read other memory at a pace of their own. No profiler.
// Prints a line a case: case,APART,PACE,asked:took,asked:took,… in SM cycles from the first load on.
#include "micro.cuh"

struct Sample {
  u64 asked;
  u32 took, sum;
};

// CTA 0 samples; the rest read 16 bytes a lane from `stream`, round its `lines` lines, and wait `pace`
// cycles between two loads of a warp; < 0: they do nothing.
__global__ void sample(const u8* lines, u32 apart, u32 count, const uint4* stream, u64 stream_vectors,
                       long long pace, volatile u32* stop, Sample* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    u32 sum = load_cg(lines);  // the page is known from here on
    wait_cycles(20000);        // the others are at their pace
    for (u32 i = 1; i <= count; ++i) {
      const long long from = clock64();
      const u32 v = load_cg(lines + u64{i} * apart + (sum & 1));
      sum += v & 2;
      const long long to = clock64() + (v & 1);
      out[i - 1] = {u64(from), u32(to - from), sum};
    }
    *stop = 1;
    return;
  }
  if (pace < 0) return;
  u64 at = (u64{blockIdx.x} * blockDim.x + threadIdx.x) * 4099 * 8 % stream_vectors;
  u32 sum = 0;
  for (int r = 0; r < 100000 && !*stop; ++r) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(stream + at));
    sum += v.x;
    at += 132 * 256 * 8 + 8;
    if (at >= stream_vectors) at -= stream_vectors;
    if (pace > 0) wait_cycles(pace);
  }
  if (sum == 12345) out[0].sum = sum;
}

int main() {
  const u64 kStream = u64{16} << 30, kLines = u64{4} << 30;
  u8* lines = device_buffer<u8>(kLines);
  uint4* stream = device_buffer<uint4>(kStream);
  u32* stop = device_buffer<u32>(128);
  const u32 kCount = 2048;
  Sample* out = device_buffer<Sample>(kCount * sizeof(Sample));
  std::vector<Sample> back(kCount);
  u64 used = 0;
  for (u32 apart : {512u, 4096u + 128u})
    for (long long pace : {-1ll, 20000ll, 8000ll, 4000ll, 2000ll, 1000ll, 500ll, 0ll}) {
      CHECK(cudaMemset(stop, 0, 128));
      CHECK(cudaMemset(stream, 0, u64{256} << 20));  // nothing of the lines is left in the L2
      sample<<<132, 256>>>(lines + used, apart, kCount, stream, kStream / 16, pace, stop, out);
      CHECK(cudaDeviceSynchronize());
      used += u64{apart} * (kCount + 2) / (2 << 20) * (2 << 20) + (2 << 20);
      CHECK(cudaMemcpy(back.data(), out, kCount * sizeof(Sample), cudaMemcpyDeviceToHost));
      std::printf("case,%u,%lld", apart, pace);
      for (const Sample& s : back) std::printf(",%llu:%u", (unsigned long long)(s.asked - back[0].asked), s.took);
      std::printf("\n");
    }
}
