// The caches of constants: how long a dependent load takes by footprint and by how far apart the
// addresses are, what distinct addresses in a warp cost within a 64-byte line and beyond, how many an SM
// looks up a cycle, and what an operand named in an instruction costs at first and later. No
// profiler. Prints CSV, the kind of row first:
//   chase,path (0: uniform, 1: by lane),SMs,bytes apart,footprint,cycles a load the first time round,the second,the third
//   distinct,warps,addresses,bytes apart,cycles a load of a warp
//   burst,warps,loads of each,bytes apart,cycles all of them take the first time,the second,the third
//   operand,lines of 64 bytes,cycles an instruction the first time,the second,the third
#include "micro.cuh"

__constant__ u32 table[8192];
__constant__ float factors[8192];

// Three times round a footprint, a load at a time, by a table of zeros.
template <bool kByLane>
__global__ void chase(u64* out, u32 apart, u32 count) {
  u32 v = kByLane ? threadIdx.x / 32 : 0;  // 0
  u64 took[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    u32 at = v;
    const long long from = clock64();
#pragma unroll 1
    for (u32 i = 0; i < count; ++i) {
      v = table[at];
      at += apart + v;
    }
    took[k] = u64(clock64() - from);
  }
  if (threadIdx.x == 0) {
    for (int k = 0; k < 3; ++k) out[blockIdx.x * 4 + k] = took[k];
    out[blockIdx.x * 4 + 3] = v;
  }
}
__global__ void distinct(u64* out, u32 addresses, u32 apart, int rounds) {
  u32 v = 0, at = threadIdx.x % addresses * apart;
  v = table[at];
  __syncthreads();
  const long long from = clock64();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) v = table[at + v];
  __syncthreads();
  const u64 took = u64(clock64() - from);
  if (threadIdx.x == 0) out[blockIdx.x * 4] = took, out[blockIdx.x * 4 + 3] = v;
}
// Independent loads of all warps of an SM, the same addresses in each.
template <int kLoads>
__global__ void burst(u64* out, u32 apart) {
  __shared__ u64 first, last;
  u64 took[3];
  u32 sum = 0;
  for (int k = 0; k < 3; ++k) {
    if (threadIdx.x == 0) first = ~u64(0), last = 0;
    __syncthreads();
    const u64 from = clock64();
    u32 v[kLoads];
    u32 at = threadIdx.x / 1024 + sum;  // 0
#pragma unroll
    for (int i = 0; i < kLoads; ++i) v[i] = table[at + i * apart];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += v[i];
    u64 until = clock64() + sum;
    atomicMin(reinterpret_cast<unsigned long long*>(&first), from);
    atomicMax(reinterpret_cast<unsigned long long*>(&last), until);
    __syncthreads();
    took[k] = last - first;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    for (int k = 0; k < 3; ++k) out[blockIdx.x * 4 + k] = took[k];
    out[blockIdx.x * 4 + 3] = sum;
  }
}
// A chain of operands named in instructions, one of each 64-byte line of the table.
template <int kLines>
__global__ void operand(u64* out, float seed) {
  float v = seed;
  u64 took[3];
#pragma unroll 1
  for (int k = 0; k < 3; ++k) {
    const long long from = clock64();
#pragma unroll
    for (int line = 0; line < kLines; ++line) v = v * factors[line * 16] + v;
    asm volatile("" : "+f"(v)::"memory");
    took[k] = u64(clock64() - from);
  }
  if (threadIdx.x == 0)
    for (int k = 0; k < 3; ++k) out[k] = took[k] + (v == 12345);
}

int main() {
  u64* out = device_buffer<u64>(1 << 16);
  u64 h[256];
  const auto fetch = [&] {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
  };
  // Copying to the table makes the constant caches forget it.
  const std::vector<u32> zeros(8192, 0);
  const auto forget = [&] {
    CHECK(cudaMemcpyToSymbol(table, zeros.data(), sizeof(table)));
    CHECK(cudaMemcpyToSymbol(factors, zeros.data(), sizeof(factors)));
  };
  for (int ctas : {1, 132})
    for (u32 apart : {4u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u, 4096u})
      for (u32 bytes : {512u, 1024u, 1536u, 2048u, 2560u, 3072u, 4096u, 8192u, 16384u, 24576u, 32768u}) {
        const u32 count = bytes / apart;
        if (count < 2) continue;
        for (int by_lane : {0, 1}) {
          forget();
          if (by_lane) chase<true><<<ctas, 32>>>(out, apart / 4, count);
          else chase<false><<<ctas, 32>>>(out, apart / 4, count);
          fetch();
          std::printf("chase,%d,%d,%u,%u,%.1f,%.1f,%.1f\n", by_lane, ctas, apart, bytes, double(h[0]) / count, double(h[1]) / count, double(h[2]) / count);
        }
      }
  for (int warps : {1, 2, 4, 8, 16, 32})
    for (u32 apart : {4u, 8u, 32u, 64u})
      for (u32 n : {1u, 2u, 3u, 4u, 8u, 16u, 24u, 32u}) {
        distinct<<<1, warps * 32>>>(out, n, apart / 4, 512);
        distinct<<<1, warps * 32>>>(out, n, apart / 4, 512);
        fetch();
        std::printf("distinct,%d,%u,%u,%.2f\n", warps, n, apart, double(h[0]) / 512);
      }
  for (int ctas : {1, 132})
    for (int warps : {1, 4, 8, 32})
      for (u32 apart : {4u, 16u, 148u, 256u}) {
        const auto row = [&](int loads) {
          fetch();
          std::printf("burst%s,%d,%d,%u,%llu,%llu,%llu\n", ctas > 1 ? " of all SMs" : "", warps, loads, apart, static_cast<unsigned long long>(h[0]), static_cast<unsigned long long>(h[1]), static_cast<unsigned long long>(h[2]));
        };
        forget();
        burst<4><<<ctas, warps * 32>>>(out, apart / 4);
        row(4);
        forget();
        burst<16><<<ctas, warps * 32>>>(out, apart / 4);
        row(16);
        forget();
        burst<48><<<ctas, warps * 32>>>(out, apart / 4);
        row(48);
      }
  const auto print = [&](int lines) {
    fetch();
    std::printf("operand,%d,%.1f,%.1f,%.1f\n", lines, double(h[0]) / lines, double(h[1]) / lines, double(h[2]) / lines);
  };
  forget();
  operand<8><<<1, 32>>>(out, 1);
  print(8);
  forget();
  operand<32><<<1, 32>>>(out, 1);
  print(32);
  forget();
  operand<128><<<1, 32>>>(out, 1);
  print(128);
}
