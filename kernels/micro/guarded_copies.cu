// Asynchronous copies that a predicate switches off in some lanes: which counters follow the lanes that
// are on, and which count all of them. One warp, one copy of 16 bytes a lane; beside it a guarded load
// and a guarded store to shared memory. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --metrics memory_l2_theoretical_sectors_global,
//       memory_l1_wavefronts_shared,memory_l1_tag_requests_global,
//       l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum,
//       l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum guarded_copies
#include "micro.cuh"

enum class Kind { kCopy, kCopyOfAll, kLoad, kStore };

// `on`: of each 16 lanes; `pitch`: bytes from lane to lane.
template <Kind kKind>
__global__ void guarded(const u8* from, u8* out, u32 on, u32 pitch) {
  __shared__ __align__(16) u8 to[32 * 16];
  const u32 lane = threadIdx.x, s = static_cast<u32>(__cvta_generic_to_shared(to)) + lane * 16;
  const u8* const p = from + u64{lane} * pitch;
  u32 v = 0;
#define GUARDED(ACCESS) "{.reg .pred p; setp.lt.u32 p,%2,%3; @p " ACCESS "}"
  if (kKind == Kind::kCopy) asm volatile(GUARDED("cp.async.cg.shared.global [%0],[%1],16;") ::"r"(s), "l"(p), "r"(lane % 16), "r"(on) : "memory");
  if (kKind == Kind::kCopyOfAll) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(s), "l"(p) : "memory");
  if (kKind == Kind::kLoad) asm volatile(GUARDED("ld.global.u32 %0,[%1];") : "+r"(v) : "l"(p), "r"(lane % 16), "r"(on) : "memory");
  if (kKind == Kind::kStore) asm volatile(GUARDED("st.shared.u32 [%0],%1;") ::"r"(s), "r"(lane), "r"(lane % 16), "r"(on) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (to[lane] + v == 77) *out = 1;
}

int main() {
  u8* const from = device_buffer<u8>(1 << 20);
  u8* const out = device_buffer<u8>(64);
  for (u32 pitch : {16, 64}) {
    for (u32 on : {1, 2, 4, 8, 12, 16}) {
      label("\"copy, %u of 16, pitch %u\"", on, pitch);
      guarded<Kind::kCopy><<<1, 32>>>(from, out, on, pitch);
    }
    label("\"copy of all, pitch %u\"", pitch);
    guarded<Kind::kCopyOfAll><<<1, 32>>>(from, out, 16, pitch);
    label("\"load, 4 of 16, pitch %u\"", pitch);
    guarded<Kind::kLoad><<<1, 32>>>(from, out, 4, pitch);
    label("\"shared store, 4 of 16, pitch %u\"", pitch);
    guarded<Kind::kStore><<<1, 32>>>(from, out, 4, pitch);
  }
  CHECK(cudaDeviceSynchronize());
}
