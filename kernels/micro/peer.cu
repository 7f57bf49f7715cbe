// Two GPUs: peer copies over size and both ways, reads and writes of the other's memory by a
// kernel, latency. Needs no multicast. nvcc -O2 -arch=sm_90 -std=c++17
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>
#define CK(x)                                                         \
  do {                                                                \
    cudaError_t e_ = (x);                                             \
    if (e_) {                                                         \
      printf("error,line %d %s\n", __LINE__, cudaGetErrorString(e_)); \
      fflush(stdout);                                                 \
      exit(1);                                                        \
    }                                                                 \
  } while (0)
static double us_now() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
static std::string f(const char* fmt, ...) {
  char b[300];
  va_list a;
  va_start(a, fmt);
  vsnprintf(b, sizeof b, fmt, a);
  va_end(a);
  return b;
}
static void row(const std::string& what, size_t bytes, long n, const char* metric,
                std::vector<double> v) {
  std::sort(v.begin(), v.end());
  printf("peer,%s,%zu,%ld,%s,%.3f,%.3f,%.3f\n", what.c_str(), bytes, n, metric, v[v.size() / 2],
         v.front(), v.back());
}
__global__ void rd(const char* p, size_t bytes, int stride, int rounds, unsigned* sink) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  unsigned s = 0;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes)
    s += __ldcg((const unsigned*)(p + (i * stride) % bytes));
  if (s == 0x7fffff12) *sink = s;
}
__global__ void rd16(const char* p, size_t bytes, int rounds, unsigned* sink) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  unsigned s = 0;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes) {
    uint4 v = __ldcg((const uint4*)(p + (i * 16) % bytes));
    s += v.x + v.w;
  }
  if (s == 0x7fffff12) *sink = s;
}
__global__ void wr(char* p, size_t bytes, int stride, int rounds) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes) *(unsigned*)(p + (i * stride) % bytes) = (unsigned)i;
}
__global__ void wr16(char* p, size_t bytes, int rounds) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes)
    *(uint4*)(p + (i * 16) % bytes) = make_uint4(i, i, i, i);
}
__global__ void at(char* p, size_t bytes, int stride, int rounds) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r, i += lanes) atomicAdd((unsigned*)(p + (i * stride) % bytes), 1u);
}
__global__ void chase(const char* p, size_t bytes, int stride, int n, long long* out) {
  unsigned off = 0;
  long long t0 = 0;
  for (int i = 0; i < n + 8; ++i) {
    if (i == 8) t0 = clock64();
    unsigned v = __ldcg((const unsigned*)(p + off));
    off = (off + stride + v) % bytes;
  }
  out[0] = (clock64() - t0) / n;
  out[1] = off;
}
__global__ void chase_at(char* p, int n, long long* out) {
  unsigned v = 0;
  long long t0 = clock64();
  for (int i = 0; i < n; ++i) v = atomicAdd((unsigned*)p + (v & 1), 0u);
  out[0] = (clock64() - t0) / n;
  out[1] = v;
}
int main() {
  int count;
  CK(cudaGetDeviceCount(&count));
  printf("section,case,bytes,n,metric,median,min,max\npeer,devices,0,0,count,%d,,\n", count);
  if (count < 2) return 1;
  const size_t MiB = 1 << 20, BIG = 256 * MiB;
  char *a[2], *b[2];
  cudaStream_t s[2][2];
  cudaEvent_t e0[2], e1[2];
  for (int d = 0; d < 2; ++d) {
    CK(cudaSetDevice(d));
    CK(cudaMalloc(&a[d], BIG));
    CK(cudaMalloc(&b[d], BIG));
    CK(cudaMemset(a[d], 0, BIG));
    for (auto& x : s[d]) CK(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
    CK(cudaEventCreate(&e0[d]));
    CK(cudaEventCreate(&e1[d]));
    int can, v;
    CK(cudaDeviceCanAccessPeer(&can, d, 1 - d));
    printf("peer,can access,0,%d,value,%d,,\n", d, can);
    CK(cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrPerformanceRank, d, 1 - d));
    printf("peer,performance rank,0,%d,value,%d,,\n", d, v);
    CK(cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrNativeAtomicSupported, d, 1 - d));
    printf("peer,native atomics,0,%d,value,%d,,\n", d, v);
  }
  CK(cudaSetDevice(0));
  auto timed = [&](const std::string& what, size_t bytes, long n, int reps,
                   const std::function<void()>& work) {
    std::vector<double> ev, host;
    for (int r = -1; r < reps; ++r) {
      for (int d = 1; d >= 0; --d) {
        CK(cudaSetDevice(d));
        CK(cudaDeviceSynchronize());
      }
      const double x = us_now();
      CK(cudaEventRecord(e0[0], s[0][0]));
      work();
      CK(cudaSetDevice(0));
      CK(cudaEventRecord(e1[0], s[0][0]));
      for (int d = 1; d >= 0; --d) {
        CK(cudaSetDevice(d));
        CK(cudaDeviceSynchronize());
      }
      const double y = us_now();
      float ms;
      CK(cudaEventElapsedTime(&ms, e0[0], e1[0]));
      if (r >= 0) {
        ev.push_back(ms * 1000);
        host.push_back(y - x);
      }
    }
    row(what, bytes, n, "event_us", ev);
    row(what, bytes, n, "host_us", host);
  };
  auto both = [&](size_t n) {
    CK(cudaMemcpyPeerAsync(b[1], 1, a[0], 0, n, s[0][0]));
    CK(cudaSetDevice(1));
    CK(cudaStreamWaitEvent(s[1][0], e0[0]));
    CK(cudaMemcpyPeerAsync(b[0], 0, a[1], 1, n, s[1][0]));
    CK(cudaEventRecord(e1[1], s[1][0]));
    CK(cudaStreamWaitEvent(s[0][0], e1[1]));
  };
  for (int on = 0; on < 2; ++on) {
    if (on) {
      CK(cudaSetDevice(0));
      CK(cudaDeviceEnablePeerAccess(1, 0));
      CK(cudaSetDevice(1));
      CK(cudaDeviceEnablePeerAccess(0, 0));
      CK(cudaSetDevice(0));
    }
    const char* t = on ? "peer access" : "no peer access";
    for (size_t n = 4096; n <= BIG; n *= 2) {
      timed(f("copy 0 to 1 %s", t), n, 1, 10,
            [&] { CK(cudaMemcpyPeerAsync(b[1], 1, a[0], 0, n, s[0][0])); });
      if (on) {
        timed("copy 1 to 0 issued by 0", n, 1, 10,
              [&] { CK(cudaMemcpyPeerAsync(b[0], 0, a[1], 1, n, s[0][0])); });
        timed("copy both ways", n, 2, 10, [&] { both(n); });
      }
    }
  }
  for (size_t n : {4ul, 256ul, 4096ul})
    timed("small copies in a row", n, 128, 5, [&] {
      for (int i = 0; i < 128; ++i)
        CK(cudaMemcpyPeerAsync(b[1] + i * 4096, 1, a[0] + i * 4096, 0, n, s[0][0]));
    });
  unsigned* sink = (unsigned*)b[0];
  struct G {
    int blocks, threads;
  } grids[] = {{1, 32}, {1, 1024}, {8, 1024}, {132, 32}, {132, 128}, {132, 512}, {264, 1024}};
  for (auto g : grids) {
    for (int stride : {4, 8, 16, 32, 64, 128}) {
      const size_t lanes = (size_t)g.blocks * g.threads;
      const int rounds =
          (int)std::max<size_t>(4, std::min<size_t>(4096, 64 * MiB / (stride * lanes)));
      timed(f("read4 stride=%d blocks=%d threads=%d", stride, g.blocks, g.threads),
            lanes * rounds * 4, lanes * rounds / 32, 5,
            [&] { rd<<<g.blocks, g.threads, 0, s[0][0]>>>(a[1], BIG, stride, rounds, sink); });
      timed(f("write4 stride=%d blocks=%d threads=%d", stride, g.blocks, g.threads),
            lanes * rounds * 4, lanes * rounds / 32, 5,
            [&] { wr<<<g.blocks, g.threads, 0, s[0][0]>>>(b[1], BIG, stride, rounds); });
    }
    const size_t lanes = (size_t)g.blocks * g.threads;
    const int rounds = (int)std::max<size_t>(4, std::min<size_t>(4096, 128 * MiB / (16 * lanes)));
    timed(f("read16 blocks=%d threads=%d", g.blocks, g.threads), lanes * rounds * 16,
          lanes * rounds / 32, 5,
          [&] { rd16<<<g.blocks, g.threads, 0, s[0][0]>>>(a[1], BIG, rounds, sink); });
    timed(f("write16 blocks=%d threads=%d", g.blocks, g.threads), lanes * rounds * 16,
          lanes * rounds / 32, 5,
          [&] { wr16<<<g.blocks, g.threads, 0, s[0][0]>>>(b[1], BIG, rounds); });
  }
  timed("read16 8 MiB of the other again and again", 256 * MiB, 1, 5,
        [&] { rd16<<<264, 1024, 0, s[0][0]>>>(a[1], 8 * MiB, 62, sink); });
  timed("atomicAdd stride=4", 64 * 32 * 64 * 4, 64 * 64, 5,
        [&] { at<<<64, 32, 0, s[0][0]>>>(b[1], BIG, 4, 64); });
  timed("atomicAdd one word", 64 * 32 * 64 * 4, 64 * 64, 5,
        [&] { at<<<64, 32, 0, s[0][0]>>>(b[1], BIG, 0, 64); });
  CK(cudaMemset(a[0], 0, BIG));
  CK(cudaSetDevice(1));
  CK(cudaMemset(a[1], 0, BIG));
  CK(cudaDeviceSynchronize());
  CK(cudaSetDevice(0));
  long long *out, r[2];
  CK(cudaMalloc(&out, 64));
  auto lat = [&](const char* what, const std::function<void()>& g) {
    std::vector<double> v;
    for (int k = 0; k < 6; ++k) {
      g();
      CK(cudaDeviceSynchronize());
      CK(cudaMemcpy(r, out, 16, cudaMemcpyDeviceToHost));
      v.push_back((double)r[0]);
    }
    row(what, 0, 1, "cycles", v);
  };
  lat("latency peer new lines", [&] { chase<<<1, 1>>>(a[1], BIG, 4096 + 128, 200, out); });
  lat("latency peer one line", [&] { chase<<<1, 1>>>(a[1], 128, 0, 200, out); });
  lat("latency own new lines", [&] { chase<<<1, 1>>>(a[0], BIG, 4096 + 128, 200, out); });
  lat("latency own one line", [&] { chase<<<1, 1>>>(a[0], 128, 0, 200, out); });
  lat("latency peer atomic", [&] { chase_at<<<1, 1>>>(a[1], 200, out); });
  lat("latency own atomic", [&] { chase_at<<<1, 1>>>(a[0], 200, out); });
  return 0;
}
