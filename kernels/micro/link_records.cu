// Migrations and faults of managed memory, and copies and kernels with their begins and ends, as
// CUPTI's activity records have them. nvcc -O2 -arch=sm_90 -std=c++17 link_records.cu -lcupti
#include <cuda_runtime.h>
#include <cupti.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>
#define CK(x)                                                         \
  do {                                                                \
    cudaError_t e_ = (x);                                             \
    if (e_) {                                                         \
      printf("error,line %d %s\n", __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)
#define CP(x)                                     \
  do {                                            \
    CUptiResult e_ = (x);                         \
    if (e_) {                                     \
      const char* s_;                             \
      cuptiGetResultString(e_, &s_);              \
      printf("error,line %d %s\n", __LINE__, s_); \
    }                                             \
  } while (0)
struct Rec {
  int kind, counter;
  unsigned long long value, start, end, address;
  unsigned src, dst, stream, flags;
};
static std::vector<Rec> g_recs;
static void ask(uint8_t** b, size_t* size, size_t* n) {
  *size = 8 << 20;
  *b = (uint8_t*)aligned_alloc(8, *size);
  *n = 0;
}
static void done(CUcontext, uint32_t, uint8_t* b, size_t, size_t valid) {
  CUpti_Activity* r = nullptr;
  while (valid && cuptiActivityGetNextRecord(b, valid, &r) == CUPTI_SUCCESS) {
    if (r->kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) {
      auto* u = (CUpti_ActivityUnifiedMemoryCounter3*)r;
      g_recs.push_back({0, (int)u->counterKind, u->value, u->start, u->end, u->address, u->srcId,
                        u->dstId, u->streamId, u->flags});
    } else if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      auto* m = (CUpti_ActivityMemcpy6*)r;
      g_recs.push_back({1, m->copyKind, m->bytes, m->start, m->end, 0, m->srcKind, m->dstKind,
                        m->streamId, m->channelID});
    } else if (r->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      auto* m = (CUpti_ActivityMemset4*)r;
      g_recs.push_back({2, 0, m->bytes, m->start, m->end, 0, 0, 0, m->streamId, m->channelID});
    } else if (r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      auto* k = (CUpti_ActivityKernel10*)r;
      g_recs.push_back({3, 0, 0, k->start, k->end, 0, 0, 0, k->streamId, k->channelID});
    }
  }
  free(b);
}
static std::vector<Rec> take() {
  CK(cudaDeviceSynchronize());
  CP(cuptiActivityFlushAll(1));
  std::vector<Rec> v;
  v.swap(g_recs);
  std::sort(v.begin(), v.end(), [](const Rec& a, const Rec& b) { return a.start < b.start; });
  return v;
}
static int SMS = 132;
static char* g_base;
// One line of sums; with `list`, each record: r,kind,offset,value,start_ns,end_ns,flags
static void say(const std::string& what, int rep, bool list) {
  auto v = take();
  const unsigned long long t0 = v.empty() ? 0 : v[0].start;
  unsigned long long sum[10] = {}, n[10] = {}, span[10] = {}, big[10] = {};
  std::map<unsigned long long, int> sizes;
  unsigned long long kernel = 0;
  for (auto& r : v) {
    if (r.kind == 3) kernel = r.end - r.start;
    if (r.kind != 0 || r.counter > 9) continue;
    sum[r.counter] += r.value;
    ++n[r.counter];
    span[r.counter] += r.end - r.start;
    big[r.counter] = std::max(big[r.counter], r.value);
    if (r.counter <= 2) ++sizes[r.value];
  }
  const char* names[] = {"",          "htod_bytes", "dtoh_bytes", "cpu_faults", "gpu_fault_groups",
                         "thrashing", "throttling", "remote_map", "dtod",       ""};
  printf("sum,%s,%d,kernel_ns=%llu", what.c_str(), rep, kernel);
  for (int k = 1; k <= 8; ++k)
    if (n[k])
      printf(",%s n=%llu sum=%llu ns=%llu max=%llu", names[k], n[k], sum[k], span[k], big[k]);
  printf(",sizes");
  for (auto& s : sizes) printf(" %lluK*%d", s.first >> 10, s.second);
  printf("\n");
  if (list) {
    int k = 0;
    for (auto& r : v)
      if (++k <= 300)
        printf("r,%d.%d,%lld,%llu,%llu,%llu,%x\n", r.kind, r.counter,
               r.kind ? (long long)r.stream : (long long)r.address - (long long)g_base, r.value,
               r.start - t0, r.end - t0, r.flags);
  }
  fflush(stdout);
}
__global__ void spin(long long cycles) {
  const long long a = clock64();
  while (clock64() - a < cycles) {
  }
}
__global__ void stream_read(const uint4* p, size_t n, unsigned* sink) {
  unsigned s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    uint4 v = __ldcg(p + i);
    s += v.x + v.w;
  }
  if (s == 0x7fffff12) *sink = s;
}
__global__ void stream_write(uint4* p, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    p[i] = make_uint4(1, 2, 3, 4);
}
__global__ void one_each(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = 2 * a[i];
}
__global__ void pages(char* p, size_t n, size_t step, int write) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    volatile unsigned* q = (volatile unsigned*)(p + i * step);
    if (write) *q = 1;
    else {
      unsigned v = *q;
      if (v == 0x7fffff12) *q = 1;
    }
  }
}
__global__ void order(char* p, const unsigned* o, int n, int write) {
  for (int i = 0; i < n; ++i) {
    volatile unsigned* q = (volatile unsigned*)(p + (size_t)o[i] * 4096);
    if (write) {
      *q = 1;
      __threadfence_system();
    }
    if (*q == 0x7fffff12) return;
  }
}
int main() {
  CK(cudaFree(0));
  CUpti_ActivityUnifiedMemoryCounterConfig c[8];
  int n = 0;
  for (int k : {1, 2, 3, 4, 5, 6, 7}) {
    c[n].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
    c[n].kind = (CUpti_ActivityUnifiedMemoryCounterKind)k;
    c[n].deviceId = 0;
    c[n].enable = 1;
    ++n;
  }
  CP(cuptiActivityRegisterCallbacks(ask, done));
  CUptiResult u = cuptiActivityConfigureUnifiedMemoryCounter(c, n);
  if (u) {
    const char* s;
    cuptiGetResultString(u, &s);
    printf("configure,%s\n", s);
  }
  CP(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
  CP(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CP(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
  CP(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
  const size_t MiB = 1 << 20;
  unsigned* sink;
  CK(cudaMalloc(&sink, 4096));
  cudaMemLocation gpu{};
  gpu.type = cudaMemLocationTypeDevice;
  gpu.id = 0;
  cudaMemLocation cpu{};
  cpu.type = cudaMemLocationTypeHost;
  // Copies and kernels of n streams: begin and end of each.
  {
    char *d, *h, *h2;
    const size_t N = 64 * MiB;
    CK(cudaMalloc(&d, N));
    CK(cudaHostAlloc(&h, N, 0));
    CK(cudaHostAlloc(&h2, N, 0));
    char* page = (char*)malloc(N);
    memset(page, 1, N);
    memset(h, 1, N);
    memset(h2, 1, N);
    cudaStream_t s[8];
    for (auto& x : s) CK(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
    for (int k : {1, 2, 4, 8})
      for (int rep = 0; rep < 2; ++rep) {
        const size_t q = N / k;
        for (int i = 0; i < k; ++i) {
          CK(cudaMemcpyAsync(d + i * q, h + i * q, q, cudaMemcpyHostToDevice, s[i]));
          spin<<<SMS * 2, 1024, 0, s[i]>>>(1980 * 2560ll / k);
          CK(cudaMemcpyAsync(h2 + i * q, d + i * q, q, cudaMemcpyDeviceToHost, s[i]));
        }
        say("streams depth " + std::to_string(k), rep, rep == 1);
      }
    for (int i = 0; i < 4; ++i)
      CK(cudaMemcpyAsync(d + i * 4 * MiB, h + i * 4 * MiB, 4 * MiB, cudaMemcpyHostToDevice, s[i]));
    say("4 h2d of 4 streams", 0, true);
    for (int i = 0; i < 4; ++i)
      CK(cudaMemcpyAsync(d + i * 4 * MiB, h + i * 4 * MiB, 4 * MiB, cudaMemcpyHostToDevice, s[0]));
    say("4 h2d of one stream", 0, true);
    for (int i = 0; i < 4; ++i)
      CK(cudaMemcpyAsync(d + i * 4 * MiB, d + 32 * MiB + i * 4 * MiB, 4 * MiB,
                         cudaMemcpyDeviceToDevice, s[i]));
    say("4 d2d of 4 streams", 0, true);
    for (int i = 0; i < 4; ++i) CK(cudaMemsetAsync(d + i * 4 * MiB, 0, 4 * MiB, s[i]));
    say("4 memset of 4 streams", 0, true);
    for (size_t z : {4096ul, 65536ul, 1 * MiB, 16 * MiB}) {
      CK(cudaMemcpyAsync(d, page, z, cudaMemcpyHostToDevice, s[0]));
      say("h2d pageable " + std::to_string(z), 0, true);
      CK(cudaMemcpyAsync(page, d, z, cudaMemcpyDeviceToHost, s[0]));
      say("d2h pageable " + std::to_string(z), 0, true);
    }
    CK(cudaFree(d));
    CK(cudaFreeHost(h));
    CK(cudaFreeHost(h2));
    free(page);
  }
  auto each = [&](const std::string& what, size_t bytes, int fill, int reps, bool list,
                  const std::function<void(char*)>& work) {
    for (int r = 0; r < reps; ++r) {
      char* p;
      CK(cudaMallocManaged(&p, bytes));
      g_base = p;
      if (fill)
        for (size_t i = 0; i < bytes; i += 4096) p[i] = 1;
      if (r == 0) say(what + (fill ? " cpu fill" : " nothing"), r, false);
      else take();
      work(p);
      say(what + " " + std::to_string(bytes >> 10) + "K", r, list && r == reps - 1);
      CK(cudaFree(p));
      take();
    }
  };
  auto back = [&](char* p, size_t b) {
    volatile char x = 0;
    for (size_t i = 0; i < b; i += 4096) x = x + p[i];
  };
  for (size_t b : {2 * MiB, 64 * MiB, 256 * MiB}) {
    const bool list = b <= 64 * MiB;
    each("gpu reads cpu filled", b, 1, 10, list,
         [&](char* p) { stream_read<<<SMS * 2, 1024>>>((uint4*)p, b / 16, sink); });
    each("gpu writes cpu filled", b, 1, 10, b == 2 * MiB,
         [&](char* p) { stream_write<<<SMS * 2, 1024>>>((uint4*)p, b / 16); });
    each("gpu writes new", b, 0, 10, list,
         [&](char* p) { stream_write<<<SMS * 2, 1024>>>((uint4*)p, b / 16); });
    each("prefetch cpu filled", b, 1, 3, list,
         [&](char* p) { CK(cudaMemPrefetchAsync(p, b, gpu, 0, 0)); });
    each("prefetch new", b, 0, 3, list,
         [&](char* p) { CK(cudaMemPrefetchAsync(p, b, gpu, 0, 0)); });
    each("cpu reads after gpu wrote", b, 0, 5, list, [&](char* p) {
      stream_write<<<SMS * 2, 1024>>>((uint4*)p, b / 16);
      take();
      back(p, b);
    });
    each("prefetch back after gpu wrote", b, 0, 3, b == 2 * MiB, [&](char* p) {
      stream_write<<<SMS * 2, 1024>>>((uint4*)p, b / 16);
      take();
      CK(cudaMemPrefetchAsync(p, b, cpu, 0, 0));
    });
    each("read mostly: gpu read", b, 1, 3, false, [&](char* p) {
      CK(cudaMemAdvise(p, b, cudaMemAdviseSetReadMostly, gpu));
      stream_read<<<SMS * 2, 1024>>>((uint4*)p, b / 16, sink);
    });
    each("read mostly: cpu read after", b, 1, 3, false, [&](char* p) {
      CK(cudaMemAdvise(p, b, cudaMemAdviseSetReadMostly, gpu));
      stream_read<<<SMS * 2, 1024>>>((uint4*)p, b / 16, sink);
      take();
      back(p, b);
    });
    each("preferred cpu: gpu read", b, 1, 3, b == 2 * MiB, [&](char* p) {
      CK(cudaMemAdvise(p, b, cudaMemAdviseSetPreferredLocation, cpu));
      stream_read<<<SMS * 2, 1024>>>((uint4*)p, b / 16, sink);
    });
    each("accessed by: gpu read", b, 1, 3, false, [&](char* p) {
      CK(cudaMemAdvise(p, b, cudaMemAdviseSetAccessedBy, gpu));
      stream_read<<<SMS * 2, 1024>>>((uint4*)p, b / 16, sink);
    });
    for (size_t step : {4096ul, 65536ul, 2 * MiB}) {
      each("gpu reads a word every " + std::to_string(step), b, 1, 5, list && step > 4096,
           [&](char* p) { pages<<<SMS, 128>>>(p, b / step, step, 0); });
      each("gpu writes new a word every " + std::to_string(step), b, 0, 5, list && step > 4096,
           [&](char* p) { pages<<<SMS, 128>>>(p, b / step, step, 1); });
    }
  }
  // The sample of the manual: 16 Mi floats, one a thread, cpu filled
  each("scale 16 Mi floats to itself", 64 * MiB, 1, 10, false,
       [&](char* p) { one_each<<<(16 << 20) / 256, 256>>>((float*)p, (float*)p, 16 << 20); });
  // One thread's order of pages in 4 MiB: how far each fault brings its neighbours
  unsigned* o;
  CK(cudaMalloc(&o, 4096 * 4));
  for (int kind = 0; kind < 6; ++kind)
    for (int write = 0; write < 2; ++write) {
      std::vector<unsigned> v;
      const int P = 1024;
      if (kind == 0)
        for (int i = 0; i < P; ++i) v.push_back(i);
      if (kind == 1)
        for (int i = P - 1; i >= 0; --i) v.push_back(i);
      if (kind == 2)
        for (int i = 0; i < P; i += 16) v.push_back(i);
      if (kind == 3)
        for (int i = 0; i < P; i += 32) v.push_back(i);
      if (kind == 4) v = {0, 1, 16, 48, 112, 240, 496, 500, 17, 33, 511, 512, 513, 1023};
      if (kind == 5) {
        unsigned seed = 12345;
        for (int i = 0; i < P; ++i) v.push_back(i);
        for (int i = P - 1; i > 0; --i) {
          seed = seed * 1664525 + 1013904223;
          std::swap(v[i], v[(seed >> 8) % (i + 1)]);
        }
      }
      const char* names[] = {"up", "down", "every 64K", "every 128K", "list", "random"};
      CK(cudaMemcpy(o, v.data(), v.size() * 4, cudaMemcpyHostToDevice));
      take();
      each(std::string("one thread ") + (write ? "writes " : "reads ") + names[kind], 4 * MiB,
           !write, 2, true, [&](char* p) { order<<<1, 1>>>(p, o, (int)v.size(), write); });
    }
  return 0;
}
