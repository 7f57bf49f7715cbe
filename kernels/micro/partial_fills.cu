// When the L2 completes sectors that were written in part, and when it writes them back: every
// thread writes one word of a sector, `stride` bytes from the next thread's, in CTAs that come one
// after the other as grids do, or in 1,056 that stay and then wait so many cycles before the launch
// ends. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --print-units base --metrics dram__sectors_read.sum,
//       dram__sectors_write.sum,lts__t_sectors_op_write.sum,sm__cycles_elapsed.max partial_fills
#include "micro.cuh"

__global__ void grid_store(u8* out, const u32* in, u32 stride, u32 offset) {
  const u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  store4(out + i * stride + offset, in ? in[i] : static_cast<u32>(i));
}

__global__ void stay_store(u8* out, u32 count, u32 stride, u32 offset, u32 wait) {
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += u64{gridDim.x} * blockDim.x)
    store4(out + i * stride + offset, static_cast<u32>(i));
  const u64 from = clock64();
  while (clock64() - from < wait) {
  }
}

int main() {
  const u64 bytes = u64{512} << 20;
  u8* const out = device_buffer<u8>(bytes);
  u32* const in = device_buffer<u32>(u64{64} << 20);
  const auto done = [] {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  };
  for (u32 stride : {32u, 64u, 128u})
    for (u32 lines : {49152u, 65536u, 98304u, 131072u, 262144u, 524288u}) {
      const u32 count = static_cast<u32>(u64{lines} * 128 / stride);
      for (bool reads : {false, true}) {
        label("grid stride=%u lines=%u reads=%d wait=0", stride, lines, reads);
        grid_store<<<count / 256, 256>>>(out, reads ? in : nullptr, stride, 8);
        done();
      }
      for (u32 wait : {0u, 2000u, 5000u, 10000u, 20000u, 50000u, 200000u}) {
        if (wait && lines != 131072 && lines != 262144) continue;
        label("stay stride=%u lines=%u reads=0 wait=%u", stride, lines, wait);
        stay_store<<<1056, 256>>>(out, count, stride, 8, wait);
        done();
      }
    }
  return 0;
}
