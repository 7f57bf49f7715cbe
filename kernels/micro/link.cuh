// What the programs that measure a GPU's link share: clocks, rows of output, streams and buffers.
#pragma once

#include <cuda_runtime.h>
#include <sys/mman.h>
#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;
static Clock::time_point g_start = Clock::now();
static double seconds() { return std::chrono::duration<double>(Clock::now() - g_start).count(); }
static double us_now() {
  return std::chrono::duration<double, std::micro>(Clock::now() - g_start).count();
}
static void check(cudaError_t e, int line) {
  if (e != cudaSuccess) {
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    printf("error,line=%d %s,,,,,,,\n", line, cudaGetErrorString(e));
    fflush(stdout);
    exit(1);
  }
}
#define CK(x) check((x), __LINE__)
struct Stat {
  double med, min, max;
};
static Stat stat(std::vector<double> v) {
  if (v.empty()) return {0, 0, 0};
  std::sort(v.begin(), v.end());
  return {v[v.size() / 2], v.front(), v.back()};
}
// section,case,bytes,n,metric,median,min,max
static void row(const char* section, const std::string& what, size_t bytes, long n,
                const char* metric, const std::vector<double>& v) {
  const Stat s = stat(v);
  printf("%s,%s,%zu,%ld,%s,%.3f,%.3f,%.3f\n", section, what.c_str(), bytes, n, metric, s.med, s.min,
         s.max);
}
static std::string f(const char* fmt, ...) {
  char b[300];
  va_list a;
  va_start(a, fmt);
  vsnprintf(b, sizeof b, fmt, a);
  va_end(a);
  return b;
}
static const size_t MiB = 1 << 20;
static int SMS = 132;

__global__ void empty() {}
__device__ __forceinline__ unsigned long long gtime() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
// Each block waits so many cycles of its SM's clock.
__global__ void spin(long long cycles) {
  const long long a = clock64();
  while (clock64() - a < cycles) {
  }
}
__global__ void stream_copy(const float4* in, float4* out, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    out[i] = in[i];
}
__global__ void zread16(const char* p, size_t bytes, int stride, int rounds, unsigned* sink) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes) {
    const uint4 v = __ldcg((const uint4*)(p + (i * stride) % bytes));
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 0x7fffff12) sink[0] = sum;
}
__global__ void zwrite16(char* p, size_t bytes, int stride, int rounds) {
  const size_t lanes = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r, i += lanes)
    *(uint4*)(p + (i * stride) % bytes) = make_uint4(i, i, i, i);
}
static double g_ghz = 1.98;
static long long cycles_of(double us) { return (long long)(us * 1000 * g_ghz); }
static void full_spin(double us, cudaStream_t s) { spin<<<SMS * 2, 1024, 0, s>>>(cycles_of(us)); }

static cudaStream_t S[16];
static cudaEvent_t E0, E1;

// Runs work(stream 0) with events about it and the host's clock; gives both medians.
static void timed(const char* section, const std::string& what, size_t bytes, long n, int reps,
                  const std::function<void()>& work,
                  const std::function<void()>& before = nullptr) {
  std::vector<double> ev, host, call;
  for (int r = -1; r < reps; ++r) {
    if (before) before();
    CK(cudaDeviceSynchronize());
    const double a = us_now();
    CK(cudaEventRecord(E0, S[0]));
    const double c0 = us_now();
    work();
    const double c1 = us_now();
    CK(cudaEventRecord(E1, S[0]));
    CK(cudaDeviceSynchronize());
    const double b = us_now();
    float ms;
    CK(cudaEventElapsedTime(&ms, E0, E1));
    if (r < 0) continue;
    ev.push_back(ms * 1000);
    host.push_back(b - a);
    call.push_back(c1 - c0);
  }
  row(section, what, bytes, n, "event_us", ev);
  row(section, what, bytes, n, "host_us", host);
  row(section, what, bytes, n, "call_us", call);
}

static char *d_a, *d_b, *h_pin, *h_pin2, *h_wc, *h_page, *h_page2;
static const size_t BIG = 256 * MiB;

static void setup() {
  for (auto& s : S) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CK(cudaEventCreate(&E0));
  CK(cudaEventCreate(&E1));
  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  SMS = p.multiProcessorCount;
  // The SM's clock in this moment, by the timer.
  long long* out;
  CK(cudaMallocManaged(&out, 64));
  spin<<<SMS * 2, 1024>>>(200000000);
  CK(cudaDeviceSynchronize());
  CK(cudaEventRecord(E0));
  spin<<<SMS * 2, 1024>>>(20000000);
  CK(cudaEventRecord(E1));
  CK(cudaDeviceSynchronize());
  float ms;
  CK(cudaEventElapsedTime(&ms, E0, E1));
  g_ghz = 20000000 / (ms * 1e6);
  printf("device,sm_ghz_under_spin,0,0,value,%.4f,,\n", g_ghz);
  CK(cudaFree(out));
}
static void buffers() {
  CK(cudaMalloc(&d_a, BIG));
  CK(cudaMalloc(&d_b, BIG));
  CK(cudaHostAlloc(&h_pin, BIG, cudaHostAllocMapped));
  CK(cudaHostAlloc(&h_pin2, BIG, cudaHostAllocMapped));
  CK(cudaHostAlloc(&h_wc, BIG, cudaHostAllocWriteCombined));
  h_page = (char*)malloc(BIG);
  h_page2 = (char*)malloc(BIG);
  memset(h_pin, 0, BIG);
  memset(h_pin2, 0, BIG);
  memset(h_wc, 0, BIG);
  memset(h_page, 1, BIG);
  memset(h_page2, 1, BIG);
  CK(cudaMemset(d_a, 0, BIG));
  CK(cudaMemset(d_b, 0, BIG));
}

static void device() {
  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  printf("device,%s,0,0,sms,%d,,\n", p.name, p.multiProcessorCount);
  int v;
#define ATTR(a)                         \
  CK(cudaDeviceGetAttribute(&v, a, 0)); \
  printf("device,%s,0,0,value,%d,,\n", #a, v)
  ATTR(cudaDevAttrAsyncEngineCount);
  ATTR(cudaDevAttrClockRate);
  ATTR(cudaDevAttrMemoryClockRate);
  ATTR(cudaDevAttrL2CacheSize);
  ATTR(cudaDevAttrHostNativeAtomicSupported);
  ATTR(cudaDevAttrPageableMemoryAccess);
  ATTR(cudaDevAttrConcurrentManagedAccess);
  ATTR(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  ATTR(cudaDevAttrDirectManagedMemAccessFromHost);
  ATTR(cudaDevAttrCanUseHostPointerForRegisteredMem);
  int d, r;
  cudaDriverGetVersion(&d);
  cudaRuntimeGetVersion(&r);
  printf("device,versions,0,0,driver_runtime,%d,%d,\n", d, r);
  size_t a, b;
  CK(cudaMemGetInfo(&a, &b));
  printf("device,memory,0,0,free_total,%zu,%zu,\n", a, b);
}

static void join(int n) {
  for (int i = 1; i < n; ++i) {
    static cudaEvent_t e = [] {
      cudaEvent_t x;
      cudaEventCreateWithFlags(&x, cudaEventDisableTiming);
      return x;
    }();
    CK(cudaEventRecord(e, S[i]));
    CK(cudaStreamWaitEvent(S[0], e));
  }
}
static void fork(int n) {
  for (int i = 1; i < n; ++i) CK(cudaStreamWaitEvent(S[i], E0));
}
