// The sliding window of NVIDIA's best practices guide (CUDA 12, 10.2.2.2): threads double an
// element of an array that is swept again and again, and one of an array that streams by. How long
// that takes by the size of the first, without a window, with a window over it (hit ratio 1.0), and
// with the window and the ratio tuned so that no more than two thirds of what is set aside persist.
//
// Without arguments: all cases, each from an L2 that others have filled, in microseconds (the
// median of five). One case, for a profiler: l2_sliding none|fixed|tuned KEPT_MIB STREAMED_MIB
// ASIDE_MIB; read dram__sectors_*.
#include "micro.cuh"

#include <algorithm>
#include <cstring>
#include <string>

__global__ void sliding_window(int* kept, int* streamed, u32 kept_n, u32 streamed_n) {
  const u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  kept[t % kept_n] = 2 * kept[t % kept_n];
  streamed[t % streamed_n] = 2 * streamed[t % streamed_n];
}
__global__ void fill(uint4* a, u64 n) {
  for (u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x; i < n; i += u64{gridDim.x} * blockDim.x)
    a[i] = make_uint4(1, 2, 3, 4);
}

namespace {

constexpr u64 kMiB = 1 << 20;
constexpr int kThreads = 1024;

struct Memory {
  int *kept, *streamed;
  u8* other;
  cudaStream_t queue;
};

void open_window(const Memory& m, const std::string& how, u64 kept, u64 aside) {
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, aside * kMiB));
  cudaStreamAttrValue v = {};
  if (how != "none") {
    // The guide: 20 MiB of the 30 that are set aside.
    const u64 tuned = 2 * aside / 3;
    v.accessPolicyWindow.base_ptr = m.kept;
    v.accessPolicyWindow.num_bytes = (how == "tuned" ? std::min(tuned, kept) : kept) * kMiB;
    v.accessPolicyWindow.hitRatio =
        how == "tuned" ? std::min(1.0f, static_cast<float>(tuned) / static_cast<float>(kept)) : 1;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  }
  CHECK(cudaStreamSetAttribute(m.queue, cudaStreamAttributeAccessPolicyWindow, &v));
}

void launch(const Memory& m, u64 kept, u64 streamed) {
  const u32 n = static_cast<u32>(streamed * kMiB / 4);
  sliding_window<<<n / kThreads, kThreads, 0, m.queue>>>(m.kept, m.streamed,
                                                         static_cast<u32>(kept * kMiB / 4), n);
}

float measure(const Memory& m, const std::string& how, u64 kept, u64 streamed, u64 aside) {
  open_window(m, how, kept, aside);
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  std::vector<float> us;
  for (int k = 0; k < 6; ++k) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaCtxResetPersistingL2Cache());
    fill<<<1024, 1024>>>(reinterpret_cast<uint4*>(m.other), 256 * kMiB / 16);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(from, m.queue));
    launch(m, kept, streamed);
    CHECK(cudaEventRecord(to, m.queue));
    CHECK(cudaEventSynchronize(to));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    if (k) us.push_back(1000 * ms);
  }
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  Memory m;
  m.kept = device_buffer<int>(128 * kMiB);
  m.streamed = device_buffer<int>(1024 * kMiB);
  m.other = device_buffer<u8>(256 * kMiB);
  CHECK(cudaStreamCreate(&m.queue));
  int most = 0, l2 = 0;
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
  if (argc > 4) {
    const auto number = [&](int k) { return std::strtoull(argv[k], nullptr, 10); };
    open_window(m, argv[1], number(2), number(4));
    launch(m, number(2), number(3));
    CHECK(cudaDeviceSynchronize());
    return 0;
  }
  std::printf("# L2 %d bytes, set aside at most %d\n", l2, most);
  std::printf("how,kept_mib,streamed_mib,aside_mib,us\n");
  const u64 all = static_cast<u64>(most) / kMiB;
  for (u64 streamed : {256, 1024})
    for (u64 aside : {u64{30}, all})
      for (u64 kept = 10; kept <= 80; kept += 5)
        for (const char* how : {"none", "fixed", "tuned"})
          std::printf("%s,%llu,%llu,%llu,%.2f\n", how, (unsigned long long)kept,
                      (unsigned long long)streamed, (unsigned long long)aside,
                      measure(m, how, kept, streamed, aside));
}
