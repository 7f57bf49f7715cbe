// How often a load's wavefronts at the tags come again when much is under way: each thread loads
// one word, or several one behind the other, `apart` bytes from the next thread's, cold or from the
// L2. Each request takes as many wavefronts as its lines (apart / 4 of them, at most 32) need at
// four tag banks (a quarter); what is counted beyond that came again. To be run under the profiler,
// one launch a case:
//   ncu --cache-control none --clock-control none --csv --page raw --print-units base --metrics
//       l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum,
//       l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__m_xbar2l1tex_read_sectors.sum,
//       l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,dram__sectors_read.sum,sm__cycles_elapsed.max
//       miss_replays
#include <utility>

#include "micro.cuh"

template <int kLoads>
__global__ void load_apart(const u8* base, u32 apart, u32* out) {
  const u64 thread = u64{blockIdx.x} * blockDim.x + threadIdx.x,
            threads = u64{gridDim.x} * blockDim.x;
  u32 v[kLoads], all = 0;
#pragma unroll
  for (int k = 0; k < kLoads; ++k) v[k] = load_ca(base + (k * threads + thread) * apart);
#pragma unroll
  for (int k = 0; k < kLoads; ++k) all |= v[k];
  if (all) out[0] = all;
}

// The same in grids of more CTAs than fit at once, with stores: 0 for none of them.
__global__ void copy_apart(const u8* in, u32 apart, u8* out, u32 apart_out) {
  const u64 thread = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  const u32 v = apart ? load_ca(in + thread * apart) : 1;
  if (apart_out) store4(out + thread * apart_out, v);
  else if (v > 1) store4(out, v);
}

// Takes the place of everything in the L2.
__global__ void sweep(const u8* base, u64 lines, u32* out) {
  u32 all = 0;
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < lines;
       i += u64{gridDim.x} * blockDim.x)
    all |= load_cg(base + i * 128);
  if (all) out[0] = all;
}

template <int kLoads>
void run(const u8* base, const u8* other, u32* out) {
  for (u32 apart : {128u, 64u, 32u, 16u, 4u})
    for (u32 sms : {1u, 16u, 132u})
      for (u32 threads : {32u, 64u, 128u, 256u, 512u, 768u, 1024u, 2048u}) {
        if (u64{threads} * kLoads * sms * apart > u64{24} << 20) continue;
        if (threads < 512 && (sms == 16 || apart < 32)) continue;
        sweep<<<264, 1024>>>(other, u64{1} << 20, out);
        CHECK(cudaDeviceSynchronize());
        for (const char* from : {"cold", "l2"}) {
          label("loads=%d apart=%u sms=%u threads=%u %s", kLoads, apart, sms, threads, from);
          load_apart<kLoads> < <<threads> 1024 ? sms * 2 : sms, threads> 1024
              ? 1024
              : threads >>> (base, apart, out);
          CHECK(cudaGetLastError());
          CHECK(cudaDeviceSynchronize());
        }
      }
}

int main(int argc, char**) {
  u8* const base = device_buffer<u8>(u64{320} << 20);
  u8* const other = device_buffer<u8>(u64{320} << 20);
  u32* const out = device_buffer<u32>(256);
  for (u32 waves : {1u, 2u, 4u, 8u})
    for (auto [apart, apart_out] : {std::pair{128u, 0u},
                                    {64u, 0u},
                                    {32u, 0u},
                                    {128u, 4u},
                                    {64u, 4u},
                                    {32u, 4u},
                                    {0u, 128u},
                                    {0u, 64u},
                                    {4u, 128u},
                                    {4u, 64u},
                                    {4u, 4u},
                                    {32u, 32u},
                                    {64u, 64u}}) {
      sweep<<<264, 1024>>>(other, u64{1} << 20, out);
      label("waves=%u apart=%u out=%u", waves, apart, apart_out);
      copy_apart<<<1056 * waves, 256>>>(base, apart, other, apart_out);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
    }
  if (argc > 1) return 0;
  run<1>(base, other, out);
  run<2>(base, other, out);
  run<4>(base, other, out);
  return 0;
}
