// How long a line of stores can still be joined by another warp's: two to eight warps of an SM
// store to the same lines, each warp beside the one before, so many cycles after it. `lines` a
// store, `each` lanes to one; `turned`: each line's words lie behind those of the line before, so
// that no bank has two. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --print-units base --metrics
//       l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,lts__t_requests_srcunit_tex_op_write.sum,
//       lts__t_sectors_srcunit_tex_op_write.sum,l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum
//       store_turns
#include "micro.cuh"

constexpr u32 kRounds = 16, kPeriod = 2048;

__global__ void turns(u8* base, u32 lines, u32 each, u32 turned, u32 delay) {
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, line = lane / each;
  const u32 word = (warp * each + lane % each + (turned ? line * each : 0)) % 32;
  u8* const to = base + u64{blockIdx.x} * (u64{1} << 21) + line * 128 + word * 4;
  __shared__ u64 first;
  if (threadIdx.x == 0) first = clock64() + 400;
  __syncthreads();
  u64 at = first + warp * delay;
  for (u32 r = 0; r < kRounds; ++r, at += kPeriod) {
    while (static_cast<u64>(clock64()) < at) {
    }
    if (line < lines) store4(to + r * lines * 128, r);
  }
}

struct Shape {
  u32 lines, each, turned, warps;
};

int main(int argc, char**) {
  u8* const base = device_buffer<u8>(u64{1} << 29);
  std::vector<Shape> shapes;
  if (argc > 1)
    for (const Shape s :
         {Shape{1, 1, 0, 2}, {4, 1, 0, 2},  {8, 1, 0, 2},  {8, 1, 1, 2},  {8, 2, 0, 2},
          {8, 4, 0, 2},      {8, 4, 1, 2},  {9, 2, 0, 2},  {10, 2, 0, 2}, {12, 1, 1, 2},
          {12, 2, 0, 2},     {12, 2, 1, 2}, {14, 2, 0, 2}, {16, 1, 0, 2}, {16, 1, 1, 2},
          {16, 2, 0, 2},     {16, 2, 1, 2}, {20, 1, 0, 2}, {23, 1, 1, 2}, {2, 16, 0, 2}})
      shapes.push_back(s);
  else
    for (u32 lines : {1u, 4u, 8u, 16u, 32u})
      for (u32 warps : {2u, 4u, 5u, 8u}) shapes.push_back({lines, 32 / lines, 0, warps});
  for (const Shape& s : shapes)
    for (u32 delay : {0u, 4u, 8u, 12u, 16u, 24u, 32u, 40u, 48u, 64u, 96u, 128u}) {
      if (argc > 1 && (delay == 4 || delay == 12 || delay == 128)) continue;
      label("lines=%u each=%u turned=%u warps=%u delay=%u", s.lines, s.each, s.turned, s.warps,
            delay);
      turns<<<132, s.warps * 32>>>(base, s.lines, s.each, s.turned, delay);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
    }
  return 0;
}
