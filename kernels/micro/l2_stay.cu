// What makes a line of the L2 stay or go: loads, stores and reductions with an eviction priority,
// policies, access-policy windows at every hit ratio, windows opened one after the other, and how
// much persists of a window larger than what is set aside. Read of `again`:
// lts__t_sectors_op_read_lookup_hit, dram__sectors_read, with --cache-control none.
//
// Each case: 256 MiB of others, a range by one kernel under a window (and once more under another),
// a stream, the range again.
#include "micro.cuh"

namespace {

constexpr int kCtas = 132, kThreads = 1024;

// Every fourth byte of a range, by one PTX statement: %0 a register, %1 the address, %2 a policy.
#define RANGE(NAME, PTX)                                                      \
  __global__ void NAME(u8* a, u64 bytes, u64 policy) {                        \
    u32 v = 0, x = 0;                                                         \
    for (u64 at = (blockIdx.x * u64{kThreads} + threadIdx.x) * 4; at < bytes; \
         at += u64{kCtas} * kThreads * 4) {                                   \
      asm volatile(PTX : "=r"(x) : "l"(a + at), "l"(policy) : "memory");      \
      v += x;                                                                 \
    }                                                                         \
    if (v == 0x12345) *a = 1;                                                 \
  }
#define STORE "mov.u32 %0,0; st.global."

}  // namespace

RANGE(load_cg, "ld.global.cg.u32 %0,[%1];")
RANGE(again, "ld.global.cg.u32 %0,[%1];")
RANGE(load, "ld.global.u32 %0,[%1];")
RANGE(load_cs, "ld.global.cs.u32 %0,[%1];")
RANGE(load_first, "ld.global.L1::evict_first.u32 %0,[%1];")
RANGE(load_last, "ld.global.L1::evict_last.u32 %0,[%1];")
RANGE(load_hint, "ld.global.L2::cache_hint.u32 %0,[%1],%2;")
RANGE(store, STORE "u32 [%1],7;")
RANGE(store_cs, STORE "cs.u32 [%1],7;")
RANGE(store_hint, STORE "L2::cache_hint.u32 [%1],7,%2;")
RANGE(reduce, "mov.u32 %0,0; red.global.add.u32 [%1],1;")

__global__ void policies(u64* p) {
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0,1.0;" : "=l"(p[0]));
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0,1.0;" : "=l"(p[1]));
  asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0,1.0;" : "=l"(p[2]));
  asm volatile("createpolicy.fractional.L2::evict_unchanged.b64 %0,1.0;" : "=l"(p[3]));
}

namespace {

using Kernel = void (*)(u8*, u64, u64);
constexpr int kNone = -1, kNormal = 0, kStreaming = 1, kPersisting = 2, kNoSecond = -2;

u8 *range, *stream;
cudaStream_t queue;

void open_window(int property, float ratio, u64 mib) {
  cudaStreamAttrValue v = {};
  if (property != kNone) {
    v.accessPolicyWindow.base_ptr = range;
    v.accessPolicyWindow.num_bytes = mib << 20;
    v.accessPolicyWindow.hitRatio = ratio;
    v.accessPolicyWindow.hitProp = static_cast<cudaAccessProperty>(property);
  }
  CHECK(cudaStreamSetAttribute(queue, cudaStreamAttributeAccessPolicyWindow, &v));
}

struct Case {
  const char* name;
  Kernel first;
  u64 mib, stream, aside;
  int property = kNone;
  float ratio = 1;
  u64 policy = 0;
  int second = kNoSecond;
};

void run(const Case& c) {
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaCtxResetPersistingL2Cache());
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, c.aside << 20));
  open_window(kNone, 0, 0);
  load_cg<<<kCtas, kThreads, 0, queue>>>(stream, u64{256} << 20, 0);
  open_window(c.property, c.ratio, c.mib);
  c.first<<<kCtas, kThreads, 0, queue>>>(range, c.mib << 20, c.policy);
  if (c.second != kNoSecond) {
    open_window(c.second, 1, c.mib);
    load<<<kCtas, kThreads, 0, queue>>>(range, c.mib << 20, 0);
  }
  open_window(kNone, 0, 0);
  load_cg<<<kCtas, kThreads, 0, queue>>>(stream, c.stream << 20, 0);
  label("again,first=%s MiB=%llu window=%d ratio=%g second=%d stream=%llu aside=%llu", c.name,
        (unsigned long long)c.mib, c.property, c.ratio, c.second, (unsigned long long)c.stream,
        (unsigned long long)c.aside);
  again<<<kCtas, kThreads, 0, queue>>>(range, c.mib << 20, 0);
}

}  // namespace

int main() {
  range = device_buffer<u8>(u64{128} << 20);
  stream = device_buffer<u8>(u64{256} << 20);
  u64 *made = device_buffer<u64>(4), p[4];
  policies<<<1, 1>>>(made);
  CHECK(cudaMemcpy(p, made, sizeof p, cudaMemcpyDeviceToHost));
  CHECK(cudaStreamCreate(&queue));
  for (const auto& [name, kernel] : {std::pair<const char*, Kernel>{"load_cg", load_cg},
                                     {"load", load},
                                     {"load_cs", load_cs},
                                     {"load_first", load_first},
                                     {"load_last", load_last},
                                     {"store", store},
                                     {"store_cs", store_cs},
                                     {"reduce", reduce}})
    run({name, kernel, 4, 16, 0});
  for (u64 policy : p) run({"load_hint", load_hint, 4, 16, 0, kNone, 1, policy});
  run({"store_hint", store_hint, 4, 16, 0, kNone, 1, p[0]});
  for (u64 aside : {0, 30}) {
    run({"load_hint", load_hint, 4, 64, aside, kNone, 1, p[1]});
    run({"load_cg", load_cg, 4, 64, aside, kPersisting});
  }
  run({"load_last", load_last, 4, 64, 30});
  run({"store_hint", store_hint, 4, 64, 30, kNone, 1, p[1]});
  for (const auto& [name, kernel] :
       {std::pair<const char*, Kernel>{"store", store}, {"reduce", reduce}}) {
    run({name, kernel, 4, 64, 30, kPersisting});
    run({name, kernel, 4, 16, 30, kStreaming});
  }
  for (int second : {kNone, kNormal, kStreaming, kPersisting}) {
    run({"load_cg", load_cg, 4, second == kStreaming ? u64{16} : 64, 30, kPersisting, 1, 0,
         second});
    run({"load_cg", load_cg, 4, second == kPersisting ? u64{64} : 16, 30, kStreaming, 1, 0,
         second});
  }
  for (float ratio :
       {0.f, .03f, .1f, .125f, .2f, .25f, .3f, .4f, .45f, .6f, .7f, .75f, .8f, .9f, .93f, .95f})
    run({"load_cg", load_cg, 4, 64, 30, kPersisting, ratio});
  for (u64 aside : {1, 2, 3, 4, 6, 8, 16, 31})
    for (u64 mib = aside > 12 ? aside - 4 : 1; mib <= aside + 12; mib += aside > 3 ? 2 : 1)
      run({"load_cg", load_cg, mib, 64, aside, kPersisting});
  CHECK(cudaDeviceSynchronize());
}
