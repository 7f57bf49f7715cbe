// Distributed shared memory: the CTAs of a cluster of four read, write and count in each other's
// shared memory. Needs compute capability 9.0.
#include "common.cuh"

namespace {

constexpr int kThreads = 256;  // and words of shared memory a CTA
constexpr int kCluster = 4;
constexpr int kBins = 256;  // of the histogram: a quarter of them lives in each CTA

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// The address under which this CTA sees a shared word of CTA `rank`.
__device__ __forceinline__ unsigned remote(const unsigned* word, unsigned rank) {
  unsigned at;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(at)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(word))), "r"(rank));
  return at;
}

__device__ __forceinline__ unsigned load_remote(unsigned at) {
  unsigned value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}

__device__ __forceinline__ void store_remote(unsigned at, unsigned value) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}

__device__ __forceinline__ void count_remote(unsigned at) {
  asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(at) : "memory");
}

#endif

}  // namespace

// Every thread reads the word of the same thread in the next CTA.
__global__ void cluster_read(const unsigned* in, unsigned* out) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned tile[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  tile[threadIdx.x] = in[i];
  cluster_sync();
  out[i] = load_remote(remote(&tile[threadIdx.x], (cluster_rank() + 1) % kCluster));
  cluster_sync();  // nobody leaves while its shared memory is read
#endif
}

// Every thread writes its word to the next CTA, at the mirrored place.
__global__ void cluster_write(const unsigned* in, unsigned* out) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned tile[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  cluster_sync();  // everybody has started
  store_remote(remote(&tile[kThreads - 1 - threadIdx.x], (cluster_rank() + 1) % kCluster), in[i]);
  cluster_sync();
  out[i] = tile[threadIdx.x];
#endif
}

// One histogram a cluster, spread over its CTAs: remote reductions on shared memory.
__global__ void cluster_histogram(const unsigned* in, unsigned* out) {
#if __CUDA_ARCH__ >= 900
  constexpr int kOwn = kBins / kCluster;
  __shared__ unsigned bins[kOwn];
  if (threadIdx.x < kOwn) bins[threadIdx.x] = 0;
  cluster_sync();
  const unsigned bin = in[blockIdx.x * kThreads + threadIdx.x] % kBins;
  count_remote(remote(&bins[bin % kOwn], bin / kOwn));
  cluster_sync();
  if (threadIdx.x < kOwn) atomicAdd(&out[cluster_rank() * kOwn + threadIdx.x], bins[threadIdx.x]);
#endif
}

namespace {

using Kernel = void (*)(const unsigned*, unsigned*);

void launch(Kernel kernel, int blocks, const unsigned* in, unsigned* out) {
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = kCluster;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.attrs = &cluster;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, in, out));
  CUDA_FINISH();
}

// A reader gets the next CTA's word, a writer's word comes from the one before, mirrored.
template <Kernel kKernel, bool kWrites>
bool run_exchange(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const suite::DeviceArray<unsigned> in(host);
  const suite::DeviceArray<unsigned> out(o.size);
  launch(kKernel, o.size / kThreads, in, out);
  return !o.check || suite::matches(out, [&](std::size_t i) {
    const std::size_t thread = i % kThreads, cta = i / kThreads;
    const std::size_t first = cta / kCluster * kCluster, rank = cta % kCluster;
    const std::size_t other = (rank + (kWrites ? kCluster - 1 : 1)) % kCluster;
    return host[(first + other) * kThreads + (kWrites ? kThreads - 1 - thread : thread)];
  });
}

bool run_histogram(const suite::Options& o) {
  const auto host = suite::random_words(o.size);
  const suite::DeviceArray<unsigned> in(host);
  const suite::DeviceArray<unsigned> out(kBins, 0);
  launch(cluster_histogram, o.size / kThreads, in, out);
  std::vector<unsigned> expected(kBins, 0);
  for (const unsigned v : host) ++expected[v % kBins];
  return !o.check || suite::matches(out, [&](std::size_t i) { return expected[i]; });
}

const suite::Program kProgram = {"cluster",          "words", 1 << 16, kThreads* kCluster, 1 << 26,
                                 kThreads* kCluster, false};
const suite::Variant kVariants[] = {
    {"read", "reads from the next CTA's shared memory", run_exchange<cluster_read, false>, 90},
    {"write", "writes to the next CTA's shared memory", run_exchange<cluster_write, true>, 90},
    {"histogram", "one histogram spread over four CTAs: remote shared reductions", run_histogram,
     90},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
