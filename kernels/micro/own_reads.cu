// Which reads past its L1 an SM shares with itself: one warp, or more, of one SM or all of a grid
// read the same line, or lines side by side, again and again past the L1, so many cycles apart, and
// the profiler counts what comes to the L2. One launch a case; label: kind (same: all rounds read
// one line, then the next one; next: each round reads the line and the sector behind it, as in[i] +
// in[i + 1]; warps: each warp reads the line once), CTAs, warps, reads of a line, cycles apart,
// cold (1: DRAM has it). Run under ncu with --cache-control none.
#include "micro.cuh"

__global__ void again(const u8* memory, int warps_same, int reads, int apart, int skew, u64 region,
                      u32* sink) {
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u8* mine = memory + blockIdx.x * region;
  u32 sum = 0;
  for (int line = 0; line < 32; ++line) {
    const u8* at = mine + (warps_same ? line : line * (blockDim.x / 32) + warp) * 256;
    __syncthreads();
    const long long begin = clock64();
    if (warps_same)
      while (clock64() - begin < static_cast<long long>(warp) * apart) {
      }
    if (apart == 0 || warps_same) {
      u32 v[4] = {0, 0, 0, 0};
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (k < reads) v[k] = load_cg(at + lane * 4 + (skew ? k * 4 : 0));
      sum += v[0] + v[1] + v[2] + v[3];
    } else {
      u32 v[4] = {0, 0, 0, 0};
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (k < reads) {
          while (clock64() - begin < static_cast<long long>(k) * apart) {
          }
          v[k] = load_cg(at + lane * 4 + (skew ? k * 4 : 0));
        }
      sum += v[0] + v[1] + v[2] + v[3];
    }
  }
  if (sum == 0x1234567) *sink = sum;
}
__global__ void sum3(const u32* in, u32* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = load_cg(in + i) + load_cg(in + i + 1) + load_cg(in + i + 2);
}
__global__ void sum2far(const u32* in, u32* out) {  // two reads of the same words
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = load_cg(in + i) + load_cg(in + i);
}
__global__ void touch(const u8* p, u64 bytes, u32* sink) {
  u32 sum = 0;
  for (u64 i = (blockIdx.x * u64(blockDim.x) + threadIdx.x) * 32; i < bytes;
       i += u64(gridDim.x) * blockDim.x * 32)
    sum += load_cg(p + i);
  if (sum == 0x1234567) *sink = sum;
}

int main() {
  const u64 bytes = u64(32) << 20;
  u8* memory = device_buffer<u8>(bytes);
  u8* other = device_buffer<u8>(u64(256) << 20);
  u32* sink = device_buffer<u32>(8);
  u32* out = device_buffer<u32>(bytes);
  const auto warm = [&](bool cold) {
    label("touch");
    if (cold) touch<<<1024, 256>>>(other, u64(256) << 20, sink);
    else touch<<<1024, 256>>>(memory, bytes, sink);
    CHECK(cudaDeviceSynchronize());
  };
  for (bool cold : {false, true}) {
    for (int ctas : {1, 132})
      for (int skew : {0, 1})
        for (int reads : {1, 2, 3, 4})
          for (int apart : {0, 10, 20, 40, 80, 160, 320}) {
            if (reads == 1 && apart) continue;
            if (cold && apart && reads != 2) continue;
            warm(cold);
            label("%s,%d,1,%d,%d,%d", skew ? "next" : "same", ctas, reads, apart, cold);
            again<<<ctas, 32>>>(memory, 0, reads, apart, skew, 65536, sink);
            CHECK(cudaDeviceSynchronize());
          }
    for (int ctas : {1, 132})
      for (int warps : {2, 4, 8})
        for (int apart : {0, 4, 16, 64, 200}) {
          if (cold && apart % 16) continue;
          warm(cold);
          label("warps,%d,%d,1,%d,%d", ctas, warps, apart, cold);
          again<<<ctas, warps * 32>>>(memory, 1, 1, apart, 0, 65536, sink);
          CHECK(cudaDeviceSynchronize());
        }
    for (int warps : {1, 8})
      for (int ctas : {1, 16, 132, 1024, 4096}) {
        warm(cold);
        label("sum3,%d,%d,3,0,%d", ctas, warps, cold);
        sum3<<<ctas, warps * 32>>>(reinterpret_cast<u32*>(memory), out);
        CHECK(cudaDeviceSynchronize());
        warm(cold);
        label("twice,%d,%d,2,0,%d", ctas, warps, cold);
        sum2far<<<ctas, warps * 32>>>(reinterpret_cast<u32*>(memory), out);
        CHECK(cudaDeviceSynchronize());
      }
  }
}
