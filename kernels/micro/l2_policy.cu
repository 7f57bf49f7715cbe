// What the L2 does with writes, partial writes, atomics, copies of far lines, and reads of one line
// by several SMs. Read: lts__t_* by operation and source, ltcfabric, dram__sectors_*.
#include "micro.cuh"

// Every thread stores `bytes` (4 or 32 as two 16-byte stores) at steps of `step` bytes.
__global__ void write_footprint(u8* a, u64 count, u64 step, int bytes) {
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += static_cast<u64>(gridDim.x) * blockDim.x) {
    u8* p = a + i * step;
    if (bytes == 4) store4(p, static_cast<u32>(i));
    else if (bytes == 16) *reinterpret_cast<uint4*>(p) = make_uint4(1, 2, 3, 4);
  }
}
__global__ void red_footprint(u8* a, u64 count, u64 step) {
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += static_cast<u64>(gridDim.x) * blockDim.x)
    asm volatile("red.global.add.u32 [%0],%1;" ::"l"(a + i * step), "r"(1) : "memory");
}
__global__ void read_footprint(const u8* a, u32* out, u64 count, u64 step, int passes, int how) {
  u32 v = 0;
  for (int r = 0; r < passes; ++r)
    for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += static_cast<u64>(gridDim.x) * blockDim.x) {
      const u8* p = a + i * step;
      u32 x = 0;
      if (how == 0) x = load_cg(p);
      else if (how == 64) asm volatile("ld.global.L2::64B.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
      else if (how == 128) asm volatile("ld.global.L2::128B.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
      else if (how == 256) asm volatile("ld.global.L2::256B.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
      v += x;
    }
  if (v == 0x12345) out[threadIdx.x] = v;
}
// Write n bytes, then read them back (in the same launch, other SMs): hits by side.
__global__ void write_then_read(u8* a, u32* out, u64 count, u32* counter) {
  u64 stride = static_cast<u64>(gridDim.x) * blockDim.x, me = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (u64 i = me; i < count; i += stride) store4(a + i * 4, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < gridDim.x) __nanosleep(200);
  }
  __syncthreads();
  u32 v = 0;
  u64 other = (me + 57ull * blockDim.x) % stride;
  for (u64 i = other; i < count; i += stride) v += load_cg(a + i * 4);
  if (v == 0x12345) out[threadIdx.x] = v;
}

// The SMs whose bit is set meet (through atomics, counted apart) before each step, wait `delay`
// cycles times their rank if they are not the first, then read the same line.
__global__ void same_line(const u8* a, u32* out, u32* counter, const u32* mask, int members, int steps, int delay) {
  u32 sm = sm_id();
  if (!(mask[sm / 32] >> (sm % 32) & 1)) return;
  u32 rank = 0;
  for (u32 i = 0; i < sm; ++i) rank += mask[i / 32] >> (i % 32) & 1;
  u32 v = 0;
  for (int s = 0; s < steps; ++s) {
    if (threadIdx.x == 0) {
      atomicAdd(counter, 1);
      while (atomicAdd(counter, 0) < static_cast<u32>(members) * (s + 1)) {
      }
    }
    __syncwarp();
    if (delay) wait_cycles(static_cast<long long>(delay) * rank);
    v += load_ca(a + static_cast<u64>(s) * 4096 + threadIdx.x * 4);
    if (v == 0x12345) *out = v;
  }
  if (v == 0x12345) *out = v;
}

int main() {
  const u64 big = 1ull << 30;
  u8* a = device_buffer<u8>(big);
  u32* sink = device_buffer<u32>(1 << 20);
  u32* counter = device_buffer<u32>(4096);
  u32* mask = device_buffer<u32>(64);
  for (u64 mib : {2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96}) {
    u64 n = mib << 20;
    label("write_partial4of32,MiB=%llu", (unsigned long long)mib); write_footprint<<<1056, 256>>>(a, n / 32, 32, 4);
    label("write_partial16of32,MiB=%llu", (unsigned long long)mib); write_footprint<<<1056, 256>>>(a, n / 32, 32, 16);
    label("write_full,MiB=%llu", (unsigned long long)mib); write_footprint<<<1056, 256>>>(a, n / 16, 16, 16);
    label("write_one_sector_of_line,MiB=%llu", (unsigned long long)mib); write_footprint<<<1056, 256>>>(a, n / 128, 128, 4);
    label("red_one_word_of_sector,MiB=%llu", (unsigned long long)mib); red_footprint<<<1056, 256>>>(a, n / 32, 32);
  }
  for (u64 step : {32, 64, 128, 256})
    for (int how : {0, 64, 128, 256}) {
      label("read_hint,step=%llu hint=%d", (unsigned long long)step, how);
      read_footprint<<<1056, 256>>>(a, sink, 65536, step, 1, how);
    }
  for (u64 mib : {2, 8, 16, 32}) {
    CHECK(cudaMemset(counter, 0, 4));
    label("write_then_read,MiB=%llu", (unsigned long long)mib);
    write_then_read<<<264, 512>>>(a, sink, (mib << 20) / 4, counter);
  }
  auto meet = [&](std::vector<int> sms, int steps, int delay) {
    u32 m[8] = {};
    for (int s : sms) m[s / 32] |= 1u << (s % 32);
    CHECK(cudaMemcpy(mask, m, sizeof m, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counter, 0, 4));
    same_line<<<132, 32, 200 * 1024>>>(a, sink, counter, mask, static_cast<int>(sms.size()), steps, delay);
  };
  CHECK(cudaFuncSetAttribute(same_line, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  for (int j = 1; j < 132; ++j) { label("pair,0 %d", j); meet({0, j}, 64, 0); }
  for (int j : {1, 2, 4, 16, 32, 64, 128})
    for (int d : {50, 100, 200, 300, 400, 600, 800, 1200}) { label("pair_delay,0 %d delay=%d", j, d); meet({0, j}, 64, d); }
  for (int n : {2, 4, 6, 8, 12, 16, 18, 32, 64, 66, 100, 132}) {
    std::vector<int> v;
    for (int i = 0; i < n; ++i) v.push_back(i);
    label("first,%d", n); meet(v, 64, 0);
    label("first_delay10,%d", n); meet(v, 64, 10);
    label("first_delay50,%d", n); meet(v, 64, 50);
  }
  CHECK(cudaDeviceSynchronize());
}
