// Structures written field by field: which of a warp's stores to the same sectors leave the SM
// together, and for how long. Each lane writes `W` words of 4 or 8 bytes side by side, one store a
// word; the kinds of store differ (weak, or volatile, which is .sys), and so does what was read
// before (nothing, the same words), how many instructions lie between two stores, and how many
// warps do the same. To be run under the profiler, one launch a case:
//   ncu --clock-control none --csv --page raw --print-units base --metrics sm__cycles_elapsed.max,
//       l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,
//       l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum,l1tex__m_l1tex2xbar_write_sectors.sum,
//       lts__t_requests_srcunit_tex_op_write.sum,lts__t_sectors_srcunit_tex_op_write.sum
//       store_fields
#include "micro.cuh"

enum Kind { kWeak, kVolatile };

template <Kind kind>
__device__ __forceinline__ void put(u32* p, u32 v) {
  if constexpr (kind == kWeak) asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
  else asm volatile("st.volatile.global.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory");
}
template <Kind kind>
__device__ __forceinline__ void put(u64* p, u64 v) {
  if constexpr (kind == kWeak) asm volatile("st.global.u64 [%0],%1;" ::"l"(p), "l"(v) : "memory");
  else asm volatile("st.volatile.global.u64 [%0],%1;" ::"l"(p), "l"(v) : "memory");
}

// `between` dependent additions between two stores, four cycles or so each.
template <class T, int W, Kind kind>
__global__ void fields(T* base, u32 apart, int rounds, int read, int between) {
  const u32 threads = gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; ++r) {
    T* const to =
        base + (u64{static_cast<u32>(r)} * threads + blockIdx.x * blockDim.x + threadIdx.x) * apart;
    T v[W];
#pragma unroll
    for (int w = 0; w < W; ++w) v[w] = read ? to[w] : T(w);
#pragma unroll
    for (int w = 0; w < W; ++w) {
      u32 x = threadIdx.x;
      for (int k = 0; k < between; ++k) asm volatile("add.u32 %0,%0,1;" : "+r"(x));
      put<kind>(to + w, v[w] + T(1) + (x == 0xffffffffu));
    }
  }
}

u8* memory;

template <class T, int W, Kind kind>
void run(u32 apart, int grid, int block, int rounds, int read, int between) {
  label("%d words of %d apart %d %s read %d between %d,%d,%d", W, (int)sizeof(T), (int)apart,
        kind == kWeak ? "weak" : "volatile", read, between, grid, block);
  fields<T, W, kind><<<grid, block>>>(reinterpret_cast<T*>(memory), apart, rounds, read, between);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
template <class T, int W>
void shapes() {
  for (int read : {0, 1}) {
    for (int block : {32, 128, 256, 1024}) run<T, W, kWeak>(W, 132, block, 4, read, 0);
    run<T, W, kVolatile>(W, 132, 256, 4, read, 0);
    run<T, W, kWeak>(W, 2112, 256, 1, read, 0);
    run<T, W, kVolatile>(W, 2112, 256, 1, read, 0);
  }
}

int main() {
  memory = device_buffer<u8>(u64{1} << 30);
  shapes<u64, 2>();
  shapes<u64, 3>();
  shapes<u64, 4>();
  shapes<u64, 5>();
  shapes<u32, 2>();
  shapes<u32, 3>();
  shapes<u32, 4>();
  shapes<u32, 6>();
  shapes<u32, 8>();
  shapes<u32, 10>();
  shapes<u32, 16>();
  for (int between : {1, 2, 4, 8, 16, 32, 64, 128, 256})
    for (int block : {32, 256}) {
      run<u64, 3, kWeak>(3, 132, block, 4, 0, between);
      run<u64, 3, kWeak>(3, 132, block, 4, 1, between);
      run<u32, 2, kWeak>(2, 132, block, 4, 0, between);
    }
  for (int apart : {4, 6, 8, 16, 32})  // gaps between structures: more lines a store
    for (int block : {32, 256}) run<u64, 3, kWeak>(apart, 132, block, 4, 0, 0);
}
