// What a warpgroup's products (wgmma) read of shared memory, as the counters see it: no load does
// it. Launches of 4 warps a CTA, `rounds` products each, with A in shared memory or in registers,
// for tiles of 8 and 64 columns of B, and without and with eight rows in the same banks. Needs
// sm_90a: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a
//
// Counted: memory_l1_wavefronts_shared, l1tex__data_pipe_lsu_wavefronts_mem_shared.sum (and its
// op_ld, op_st), l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum, l1tex__data_bank_reads.sum.
#include "micro.cuh"

namespace {

constexpr int kRounds = 256;

// `stride` bytes from eight rows to the next eight, `lead` from eight columns of k to the next.
__device__ u64 matrix(const void* at, u32 lead, u32 stride) {
  const u32 a = static_cast<u32>(__cvta_generic_to_shared(at));
  return u64{(a & 0x3ffff) >> 4} | u64{lead >> 4} << 16 | u64{stride >> 4} << 32;
}

template <bool kFromRegisters>
__device__ __forceinline__ void product8(float (&c)[4], const u32 (&ra)[4], u64 a, u64 b) {
  if constexpr (kFromRegisters) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 0;"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "l"(b));
  } else {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "l"(a), "l"(b));
  }
}

__device__ __forceinline__ void product64(float (&c)[32], u64 a, u64 b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"
      "%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
        "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),
        "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]),
        "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]),
        "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
      : "l"(a), "l"(b));
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void finish() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

template <bool kFromRegisters>
__global__ void products_of_8(float* out, int rounds, u32 lead, u32 stride) {
  extern __shared__ __align__(1024) char tile[];
  float c[4] = {};
  u32 ra[4] = {};
  const u64 a = matrix(tile, lead, stride), b = matrix(tile + 16384, lead, stride);
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    fence();
    product8<kFromRegisters>(c, ra, a, b);
    finish();
  }
  if (c[0] == 1e30f) out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

__global__ void products_of_64(float* out, int rounds, u32 lead, u32 stride) {
  extern __shared__ __align__(1024) char tile[];
  float c[32] = {};
  const u64 a = matrix(tile, lead, stride), b = matrix(tile + 16384, lead, stride);
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    fence();
    product64(c, a, b);
    finish();
  }
  float sum = 0;
  for (float x : c) sum += x;
  if (sum == 1e30f) out[threadIdx.x] = sum;
}

}  // namespace

int main() {
  float* out = device_buffer<float>(4096);
  for (int rounds : {0, kRounds}) {
    for (u32 lead : {128u, 1024u}) {
      const u32 stride = lead == 128 ? 256 : 2048;
      label("registers n8 lead %u rounds %d", lead, rounds);
      products_of_8<true><<<1, 128, 32768>>>(out, rounds, lead, stride);
      CHECK(cudaDeviceSynchronize());
      label("shared n8 lead %u rounds %d", lead, rounds);
      products_of_8<false><<<1, 128, 32768>>>(out, rounds, lead, stride);
      CHECK(cudaDeviceSynchronize());
      label("shared n64 lead %u rounds %d", lead, rounds);
      products_of_64<<<1, 128, 32768>>>(out, rounds, lead, stride);
      CHECK(cudaDeviceSynchronize());
    }
  }
  return 0;
}
