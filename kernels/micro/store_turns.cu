// How long a line of stores can still be joined by another warp's: two to eight warps of an SM store to
// the same `lines` lines, 32 / lines lanes to each, each warp beside the one before, so many cycles after
// it. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --print-units base --metrics
//       l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,lts__t_requests_srcunit_tex_op_write.sum,
//       lts__t_sectors_srcunit_tex_op_write.sum store_turns
#include "micro.cuh"

constexpr u32 kRounds = 16, kPeriod = 2048;

__global__ void turns(u8* base, u32 lines, u32 delay) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, lanes = 32 / lines;
  u8* const to = base + u64{blockIdx.x} * (u64{1} << 21) + lane / lanes * 128 + (warp * lanes + lane % lanes) * 4 % 128;
  __syncthreads();
  __shared__ u64 first;
  if (threadIdx.x == 0) first = clock64() + 400;
  __syncthreads();
  u64 at = first + warp * delay;
  for (u32 r = 0; r < kRounds; ++r, at += kPeriod) {
    while (static_cast<u64>(clock64()) < at) {
    }
    store4(to + r * lines * 128, r);
  }
}

int main() {
  u8* const base = device_buffer<u8>(u64{1} << 29);
  for (u32 lines : {1u, 4u, 8u, 16u, 32u})
    for (u32 warps : {2u, 4u, 5u, 8u})
      for (u32 delay : {0u, 4u, 8u, 12u, 16u, 24u, 32u, 40u, 48u, 64u, 96u, 128u}) {
        label("lines=%u warps=%u delay=%u", lines, warps, delay);
        turns<<<132, warps * 32>>>(base, lines, delay);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
      }
  return 0;
}
