// How far apart stores to one line can be and still leave the SM together: every warp writes `L` lines a
// store, a piece of each by 32 / L lanes side by side, and comes back to the same lines `D` stores later, for
// their next piece. Nothing else between the stores. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --print-units base --metrics sm__cycles_elapsed.max,
//       l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,lts__t_requests_srcunit_tex_op_write.sum,
//       lts__t_sectors_srcunit_tex_op_write.sum store_joins
#include "micro.cuh"

template <int L, int D>
__global__ void __launch_bounds__(512) joins(u8* base, int rounds, int pair) {
  constexpr u32 kLanes = 32 / L, kPiece = kLanes * 4, kPieces = 128 / kPiece;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  u8* const to = base + u64{blockIdx.x} * (1 << 20) + (pair ? warp / 2 * 65536 + warp % 2 * 64 : warp * 65536) +
                 lane / kLanes * D * 128 + lane % kLanes * 4;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (u32 s = 0; s < 32; ++s)
      *reinterpret_cast<volatile u32*>(to + (s % D * 128 + s / D % kPieces * kPiece)) = static_cast<u32>(r);
  }
}

template <int L, int D>
void run(u8* base) {
  for (int threads : {32, 64, 128, 256, 512}) {
    label("%d lines back after %d,132,%d", L, D, threads);
    joins<L, D><<<132, threads>>>(base, 8, 0);
    CHECK(cudaDeviceSynchronize());
  }
  if (L == 8 || L == 4)
    for (int threads : {64, 128, 256}) {
      label("%d lines of two warps back after %d,132,%d", L, D, threads);
      joins<L, D><<<132, threads>>>(base, 8, 1);
      CHECK(cudaDeviceSynchronize());
    }
}
template <int L>
void runs(u8* base) {
  run<L, 1>(base);
  run<L, 2>(base);
  run<L, 3>(base);
  run<L, 4>(base);
  run<L, 6>(base);
  run<L, 8>(base);
  run<L, 16>(base);
}

int main() {
  u8* base = device_buffer<u8>(u64{1} << 30);
  runs<1>(base);
  runs<2>(base);
  runs<4>(base);
  runs<8>(base);
  runs<16>(base);
  runs<32>(base);
}
