// Reads, writes and atomics of host memory by kernels: latency, by stride and occupancy
// (cards/gpus/h100/link.csv); with an argument a few launches for Nsight Compute
// (cards/gpus/h100/zero_copy_counters.csv). nvcc -O2 -arch=sm_90 -std=c++17
#include "link.cuh"

__global__ void zread4(const char* p, size_t bytes, int stride, int rounds, unsigned* sink) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes)
    sum += __ldcg((const unsigned*)(p + (i * stride) % bytes));
  if (sum == 0x7fffff12) sink[0] = sum;
}
__global__ void zwrite4(char* p, size_t bytes, int stride, int rounds) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes) *(unsigned*)(p + (i * stride) % bytes) = (unsigned)i;
}
__global__ void zatomic(char* p, size_t bytes, int stride, int rounds) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r, i += lanes) atomicAdd((unsigned*)(p + (i * stride) % bytes), 1u);
}
__global__ void zatomic_sys(char* p, size_t bytes, int stride, int rounds) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r, i += lanes)
    atomicAdd_system((unsigned*)(p + (i * stride) % bytes), 1u);
}
// One thread, dependent reads; 0: as compiled, 1: by L2. Latency of each in ns by the SM's clock is
// given as cycles.
__global__ void chase(const char* p, size_t bytes, int stride, int n, int volatile_too,
                      long long* out) {
  unsigned off = 0;
  long long t0 = 0;
  for (int i = 0; i < n + 8; ++i) {
    if (i == 8) t0 = clock64();
    unsigned v =
        volatile_too ? *(const volatile unsigned*)(p + off) : __ldcg((const unsigned*)(p + off));
    off = (off + stride + v) % bytes;  // v is zero
  }
  out[0] = (clock64() - t0) / n;
  out[1] = off;
}
__global__ void chase_ca(const char* p, size_t bytes, int stride, int n, long long* out) {
  unsigned off = 0;
  long long t0 = 0;
  for (int i = 0; i < n + 8; ++i) {
    if (i == 8) t0 = clock64();
    unsigned v = __ldca((const unsigned*)(p + off));
    off = (off + stride + v) % bytes;
  }
  out[0] = (clock64() - t0) / n;
  out[1] = off;
}
__global__ void chase_atomic(char* p, int n, int sys, long long* out) {
  unsigned v = 0;
  const long long t0 = clock64();
  for (int i = 0; i < n; ++i)
    v = sys ? atomicAdd_system((unsigned*)p + (v & 1), 0u) : atomicAdd((unsigned*)p + (v & 1), 0u);
  out[0] = (clock64() - t0) / n;
  out[1] = v;
}
static void zero_copy() {
  char* m;
  CK(cudaHostGetDevicePointer((void**)&m, h_pin, 0));
  unsigned* sink = (unsigned*)d_b;
  long long *out, res[2];
  CK(cudaMalloc(&out, 64));
  auto lat = [&](const char* what, const std::function<void()>& g) {
    std::vector<double> v;
    for (int r = 0; r < 6; ++r) {
      g();
      CK(cudaDeviceSynchronize());
      CK(cudaMemcpy(res, out, 16, cudaMemcpyDeviceToHost));
      v.push_back((double)res[0]);
    }
    row("zero_copy", what, 0, 1, "cycles", v);
  };
  lat("latency new lines cg", [&] { chase<<<1, 1>>>(m, BIG, 4096 + 128, 200, 0, out); });
  lat("latency new lines volatile", [&] { chase<<<1, 1>>>(m, BIG, 4096 + 128, 200, 1, out); });
  lat("latency one line cg", [&] { chase<<<1, 1>>>(m, 128, 0, 200, 0, out); });
  lat("latency one line volatile", [&] { chase<<<1, 1>>>(m, 128, 0, 200, 1, out); });
  lat("latency one line ca", [&] { chase_ca<<<1, 1>>>(m, 128, 0, 200, out); });
  lat("latency next sectors cg", [&] { chase<<<1, 1>>>(m, BIG, 32, 200, 0, out); });
  lat("latency next sectors ca", [&] { chase_ca<<<1, 1>>>(m, BIG, 32, 200, out); });
  lat("latency 64 KiB twice cg", [&] { chase<<<1, 1>>>(m, 65536, 128, 2000, 0, out); });
  lat("latency 16 MiB step 128 cg", [&] { chase<<<1, 1>>>(m, 16 * MiB, 128, 2000, 0, out); });
  lat("latency 2 MiB steps cg", [&] { chase<<<1, 1>>>(m, BIG, 2 * MiB + 128, 200, 0, out); });
  lat("latency device one line cg", [&] { chase<<<1, 1>>>(d_a, 128, 0, 200, 0, out); });
  CK(cudaMemset(d_a, 0, BIG));
  lat("latency device new lines cg", [&] { chase<<<1, 1>>>(d_a, BIG, 4096 + 128, 200, 0, out); });
  lat("atomic host", [&] { chase_atomic<<<1, 1>>>(m, 200, 0, out); });
  lat("atomic_system host", [&] { chase_atomic<<<1, 1>>>(m, 200, 1, out); });
  lat("atomic device", [&] { chase_atomic<<<1, 1>>>(d_a, 200, 0, out); });
  struct G {
    int blocks, threads;
  } grids[] = {{1, 32}, {1, 1024}, {8, 1024}, {SMS, 32}, {SMS, 128}, {SMS, 512}, {SMS * 2, 1024}};
  for (auto g : grids)
    for (int stride : {4, 8, 16, 32, 64, 128}) {
      const size_t lanes = (size_t)g.blocks * g.threads;
      const int rounds = (int)std::max<size_t>(
          4, std::min<size_t>(g.blocks == 1 ? 512 : 4096, 64 * MiB / (stride * lanes)));
      const size_t moved = lanes * rounds * 4, warps = lanes * rounds / 32;
      const std::string tail = f("stride=%d blocks=%d threads=%d", stride, g.blocks, g.threads);
      timed("zero_copy", "read4 " + tail, moved, warps, 5,
            [&] { zread4<<<g.blocks, g.threads, 0, S[0]>>>(m, BIG, stride, rounds, sink); });
      timed("zero_copy", "write4 " + tail, moved, warps, 5,
            [&] { zwrite4<<<g.blocks, g.threads, 0, S[0]>>>(m, BIG, stride, rounds); });
      if (stride == 16) {
        timed("zero_copy", "read16 " + tail, moved * 4, warps, 5,
              [&] { zread16<<<g.blocks, g.threads, 0, S[0]>>>(m, BIG, stride, rounds, sink); });
        timed("zero_copy", "write16 " + tail, moved * 4, warps, 5,
              [&] { zwrite16<<<g.blocks, g.threads, 0, S[0]>>>(m, BIG, stride, rounds); });
      }
    }
  // by number of SMs and warps: how many reads the link has under way
  for (int blocks : {1, 2, 4, 8, 16, 32, 64, 132})
    for (int threads : {32, 256, 1024}) {
      const size_t lanes = (size_t)blocks * threads;
      const int rounds = (int)std::max<size_t>(4, std::min<size_t>(2048, 16 * MiB / (16 * lanes)));
      timed("zero_copy", f("read16 sms blocks=%d threads=%d", blocks, threads), lanes * rounds * 16,
            lanes * rounds / 32, 5,
            [&] { zread16<<<blocks, threads, 0, S[0]>>>(m, BIG, 16, rounds, sink); });
    }
  for (size_t foot : {1 * MiB, 16 * MiB, 128 * MiB})
    timed("zero_copy", "read16 the same footprint again", foot, 1, 5, [&] {
      zread16<<<SMS * 2, 1024, 0, S[0]>>>(
          m, foot, 16, (int)std::max<size_t>(8, 256 * MiB / 16 / (SMS * 2048)), sink);
    });
  timed("zero_copy", "read16 and copy h2d at once", 64 * MiB, 2, 5, [&] {
    fork(2);
    zread16<<<SMS * 2, 1024, 0, S[0]>>>(m, BIG, 16, 64 * MiB / 16 / (SMS * 2048), sink);
    CK(cudaMemcpyAsync(d_a, h_pin2, 64 * MiB, cudaMemcpyHostToDevice, S[1]));
    join(2);
  });
  timed("zero_copy", "read16 and write16 at once", 64 * MiB, 2, 5, [&] {
    fork(2);
    zread16<<<SMS, 1024, 0, S[0]>>>(m, BIG, 16, 64 * MiB / 16 / (SMS * 1024), sink);
    zwrite16<<<SMS, 1024, 0, S[1]>>>(h_pin2, BIG, 16, 64 * MiB / 16 / (SMS * 1024));
    join(2);
  });
  for (int one : {0, 4, 128}) {
    timed("zero_copy", f("atomicAdd stride=%d", one), 64 * 32 * 8 * 4, 64 * 8, 5,
          [&] { zatomic<<<64, 32, 0, S[0]>>>(m, BIG, one, 8); });
    timed("zero_copy", f("atomicAdd_system stride=%d", one), 64 * 32 * 8 * 4, 64 * 8, 5,
          [&] { zatomic_sys<<<64, 32, 0, S[0]>>>(m, BIG, one, 8); });
  }
  CK(cudaFree(out));
}
static void for_ncu() {
  char* m = h_pin;
  unsigned* sink = (unsigned*)d_b;
  for (int stride : {4, 8, 16, 32, 64, 128}) {
    zread4<<<SMS, 128>>>(m, BIG, stride, 8, sink);
    zwrite4<<<SMS, 128>>>(m, BIG, stride, 8);
  }
  zread16<<<SMS, 128>>>(m, BIG, 16, 8, sink);
  zwrite16<<<SMS, 128>>>(m, BIG, 16, 8);
  zread16<<<SMS, 128>>>(m, 65536, 16, 8, sink);  // the same 64 KiB by all, again and again
  zatomic<<<64, 32>>>(m, BIG, 4, 8);
  zatomic_sys<<<64, 32>>>(m, BIG, 4, 8);
  zatomic<<<64, 32>>>(m, BIG, 0, 8);
  CK(cudaDeviceSynchronize());
}
int main(int argc, char**) {
  if (argc > 1) {
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    SMS = p.multiProcessorCount;
    buffers();
    for_ncu();
    return 0;
  }
  setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  printf("section,case,bytes,n,metric,median,min,max\n");
  device();
  setup();
  buffers();
  zero_copy();
  return 0;
}
