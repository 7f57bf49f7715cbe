// What stays in the L2 behind a stream: lines of an access-policy window, prefetched lines, and
// what DRAM brings with a sector under cudaLimitMaxL2FetchGranularity. Read:
// lts__t_sectors_op_read, lts__t_sectors_srcunit_tex with their hits, dram__sectors_*.
//
// Without arguments: every case. One case: l2_window once|apart POLICY WINDOW_MIB STREAM_MIB RATIO
// ASIDE_MIB, l2_window ahead HOW MIB STEP, l2_window written HOW MIB, l2_window granularity BYTES.
// once: all in one launch, for a profiler that empties the caches before each. All others need what
// ran before: profile read_again, prefetch_range and read_strided with --cache-control none and
// --replay-mode application.
#include "micro.cuh"

#include <algorithm>
#include <cstring>
#include <string>

namespace {

constexpr int kCtas = 132, kThreads = 1024;

__device__ u32 read_range(const u8* a, u64 bytes) {
  u32 v = 0;
  for (u64 at = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) * 16; at < bytes;
       at += static_cast<u64>(gridDim.x) * blockDim.x * 16) {
    u32 x, y, z, w;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "l"(a + at)
                 : "memory");
    v += x + y + z + w;
  }
  return v;
}

// All CTAs are resident: waits until each has come so far.
__device__ void meet(u32* counter, u32 round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(counter, 1);
    while (atomicAdd(counter, 0) < gridDim.x * round) __nanosleep(500);
  }
  __syncthreads();
}

}  // namespace

// The window, a stream, the window again.
__global__ void window_once(const u8* window, u64 window_bytes, const u8* stream, u64 stream_bytes,
                            u32* counter, u32* out) {
  u32 v = read_range(window, window_bytes);
  meet(counter, 1);
  v += read_range(stream, stream_bytes);
  meet(counter, 2);
  v += read_range(window, window_bytes);
  if (v == 0x12345) out[threadIdx.x] = v;
}
// The same by launches. One kernel under several names, by which a profiler picks them.
__global__ void read_first(const u8* a, u64 bytes, u32* out) {
  const u32 v = read_range(a, bytes);
  if (v == 0x12345) out[threadIdx.x] = v;
}
__global__ void read_stream(const u8* a, u64 bytes, u32* out) {
  const u32 v = read_range(a, bytes);
  if (v == 0x12345) out[threadIdx.x] = v;
}
__global__ void read_again(const u8* a, u64 bytes, u32* out) {
  const u32 v = read_range(a, bytes);
  if (v == 0x12345) out[threadIdx.x] = v;
}
__global__ void write_range(u8* a, u64 bytes) {
  for (u64 at = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) * 16; at < bytes;
       at += static_cast<u64>(gridDim.x) * blockDim.x * 16)
    *reinterpret_cast<uint4*>(a + at) = make_uint4(1, 2, 3, 4);
}

enum How { kL2, kEvictLast, kEvictNormal, kBulk, kNormalAgain, kDiscard };
const char* const kHow[] = {"L2", "evict_last", "evict_normal", "bulk", "applypriority", "discard"};

// One lane for every `step` bytes (bulk: 16 KiB at a time).
__global__ void prefetch_range(u8* a, u64 bytes, u64 step, How how) {
  const u64 each = how == kBulk ? 16384 : step;
  for (u64 at = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) * each; at < bytes;
       at += static_cast<u64>(gridDim.x) * blockDim.x * each) {
    u8* const p = a + at;
    switch (how) {
      case kL2: asm volatile("prefetch.global.L2 [%0];" ::"l"(p) : "memory"); break;
      case kEvictLast:
        asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(p) : "memory");
        break;
      case kEvictNormal:
        asm volatile("prefetch.global.L2::evict_normal [%0];" ::"l"(p) : "memory");
        break;
      case kBulk:
        asm volatile("cp.async.bulk.prefetch.L2.global [%0],%1;" ::"l"(p), "r"(16384) : "memory");
        break;
      case kNormalAgain:
        asm volatile("applypriority.global.L2::evict_normal [%0],128;" ::"l"(p) : "memory");
        break;
      case kDiscard: asm volatile("discard.global.L2 [%0],128;" ::"l"(p) : "memory"); break;
    }
  }
}

// A word every `step` bytes; `hint`: bytes of the load's own prefetch.
__global__ void read_strided(const u8* a, u64 count, u64 step, int hint, u32* out) {
  u32 v = 0;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<u64>(gridDim.x) * blockDim.x) {
    const u8* p = a + i * step;
    u32 x = 0;
    if (hint == 0) x = load_cg(p);
    else if (hint == 64)
      asm volatile("ld.global.L2::64B.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
    else if (hint == 128)
      asm volatile("ld.global.L2::128B.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
    else asm volatile("ld.global.L2::256B.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
    v += x;
  }
  if (v == 0x12345) out[threadIdx.x] = v;
}

namespace {

constexpr u64 kMiB = 1 << 20;

struct Memory {
  u8 *window, *stream;
  u32 *counter, *out;
  cudaStream_t queue;
};

// none, persisting (what misses the ratio streams), persisting_normal (… is as any), streaming.
void open_window(const Memory& m, const std::string& policy, u64 bytes, float ratio, u64 aside) {
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, aside));
  cudaStreamAttrValue v = {};
  if (policy != "none") {
    v.accessPolicyWindow.base_ptr = m.window;
    v.accessPolicyWindow.num_bytes = bytes;
    v.accessPolicyWindow.hitRatio = ratio;
    v.accessPolicyWindow.hitProp =
        policy == "streaming" ? cudaAccessPropertyStreaming : cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp =
        policy == "persisting" ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal;
  }
  CHECK(cudaStreamSetAttribute(m.queue, cudaStreamAttributeAccessPolicyWindow, &v));
}

void read_window(const Memory& m, bool once, const std::string& policy, u64 window, u64 stream,
                 float ratio, u64 aside) {
  open_window(m, policy, window * kMiB, ratio, aside * kMiB);
  const auto name = [&](const char* what) {
    label("%s,policy=%s window=%llu stream=%llu ratio=%.2f aside=%llu", what, policy.c_str(),
          (unsigned long long)window, (unsigned long long)stream, ratio, (unsigned long long)aside);
  };
  if (once) {
    CHECK(cudaMemset(m.counter, 0, 4));
    name("window_once");
    window_once<<<kCtas, kThreads, 0, m.queue>>>(m.window, window * kMiB, m.stream, stream * kMiB,
                                                 m.counter, m.out);
  } else {
    read_first<<<kCtas, kThreads, 0, m.queue>>>(m.window, window * kMiB, m.out);
    read_stream<<<kCtas, kThreads, 0, m.queue>>>(m.stream, stream * kMiB, m.out);
    name("read_again");
    read_again<<<kCtas, kThreads, 0, m.queue>>>(m.window, window * kMiB, m.out);
  }
  CHECK(cudaStreamSynchronize(m.queue));
  open_window(m, "none", 0, 0, 0);
}

void ahead(const Memory& m, How how, u64 mib, u64 step) {
  label("prefetch_range,how=%s MiB=%llu step=%llu", kHow[how], (unsigned long long)mib,
        (unsigned long long)step);
  prefetch_range<<<kCtas, kThreads>>>(m.window, mib * kMiB, step, how);
  label("read_again,how=%s MiB=%llu step=%llu", kHow[how], (unsigned long long)mib,
        (unsigned long long)step);
  read_again<<<kCtas, kThreads>>>(m.window, mib * kMiB, m.out);
}

// Written lines that are given up, and how many of them come to DRAM behind a stream all the same.
void written(const Memory& m, How how, u64 mib) {
  write_range<<<kCtas, kThreads>>>(m.window, mib * kMiB);
  label("prefetch_range,written how=%s MiB=%llu", kHow[how], (unsigned long long)mib);
  prefetch_range<<<kCtas, kThreads>>>(m.window, mib * kMiB, 128, how);
  label("read_again,written how=%s MiB=%llu", kHow[how], (unsigned long long)mib);
  read_again<<<kCtas, kThreads>>>(m.stream, 128 * kMiB, m.out);
}

void granularity(const Memory& m, u64 bytes) {
  CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes));
  u64 is = 0;
  CHECK(cudaDeviceGetLimit(&is, cudaLimitMaxL2FetchGranularity));
  for (u64 step : {32, 64, 128, 256})
    for (int hint : {0, 64, 128, 256}) {
      read_stream<<<kCtas, kThreads>>>(m.stream, 256 * kMiB, m.out);
      label("read_strided,granularity=%llu is=%llu step=%llu hint=%d", (unsigned long long)bytes,
            (unsigned long long)is, (unsigned long long)step, hint);
      read_strided<<<kCtas, kThreads>>>(m.window, 131072, step, hint, m.out);
    }
}

void forget(const Memory& m) {
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaCtxResetPersistingL2Cache());
  read_stream<<<kCtas, kThreads>>>(m.stream, 256 * kMiB, m.out);
  CHECK(cudaDeviceSynchronize());
}

void all(const Memory& m, u64 most) {
  for (bool once : {true, false})
    for (u64 window : {4, 16, 24, 32, 48})
      for (u64 stream : {16, 64, 256}) {
        const auto one = [&](const char* policy, float ratio, u64 aside) {
          forget(m);
          read_window(m, once, policy, window, stream, ratio, aside);
        };
        one("none", 0, 0);
        one("persisting", 1, most);
        one("persisting", 0.5, most);
        one("persisting", 1, 8);
        one("persisting_normal", 0.5, most);
        one("streaming", 1, 0);
      }
  for (How how : {kL2, kEvictLast, kEvictNormal, kBulk})
    for (u64 mib : {4, 16, 32, 48, 96})
      for (u64 step : {32, 128, 256}) {
        forget(m);
        ahead(m, how, mib, step);
      }
  for (How how : {kNormalAgain, kDiscard, kL2})
    for (u64 mib : {4, 16, 48}) {
      forget(m);
      written(m, how, mib);
    }
  for (u64 bytes : {32, 64, 128}) granularity(m, bytes);
}

How how_of(const char* text) {
  for (int k = 0; k < 6; ++k)
    if (!std::strcmp(text, kHow[k])) return static_cast<How>(k);
  std::fprintf(stderr, "no such way: %s\n", text);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  Memory m;
  m.window = device_buffer<u8>(128 * kMiB);
  m.stream = device_buffer<u8>(256 * kMiB);
  m.counter = device_buffer<u32>(4);
  m.out = device_buffer<u32>(4 * kThreads);
  CHECK(cudaStreamCreate(&m.queue));
  int most = 0, window = 0;
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  CHECK(cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  std::printf("set aside at most %d bytes, window at most %d bytes\n", most, window);
  const auto number = [&](int k) { return k < argc ? std::strtoull(argv[k], nullptr, 10) : 0; };
  const std::string what = argc > 2 ? argv[1] : "";
  if (what == "once" || what == "apart")
    read_window(m, what == "once", argv[2], number(3), number(4),
                argc > 5 ? std::strtof(argv[5], nullptr) : 1, argc > 6 ? number(6) : most / kMiB);
  else if (what == "ahead") ahead(m, how_of(argv[2]), number(3), std::max<u64>(32, number(4)));
  else if (what == "written") written(m, how_of(argv[2]), number(3));
  else if (what == "granularity") granularity(m, number(2));
  else all(m, most / kMiB);
  CHECK(cudaDeviceSynchronize());
}
