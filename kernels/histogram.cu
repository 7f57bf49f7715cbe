// 256 bins of random bytes: one atomic an element on global memory, or on the CTA's shared copy.
#include "common.cuh"

namespace {

constexpr int kBins = 256;  // and threads a CTA
constexpr int kPerThread = 8;

}  // namespace

__global__ void histogram_global(const std::uint8_t* in, unsigned* bins, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&bins[in[i]], 1u);
  }
}

__global__ void histogram_shared(const std::uint8_t* in, unsigned* bins, int n) {
  __shared__ unsigned local[kBins];
  local[threadIdx.x] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&local[in[i]], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

namespace {

using Kernel = void (*)(const std::uint8_t*, unsigned*, int);

template <Kernel kKernel>
bool run(const suite::Options& o) {
  suite::Random random(5);
  std::vector<std::uint8_t> host(o.size);
  for (std::uint8_t& v : host) v = static_cast<std::uint8_t>(random.below(kBins));
  const suite::DeviceArray<std::uint8_t> in(host);
  const suite::DeviceArray<unsigned> bins(kBins, 0);
  kKernel<<<suite::blocks_for(o.size, kBins * kPerThread), kBins>>>(in, bins, o.size);
  CUDA_FINISH();
  if (!o.check) return true;
  std::vector<unsigned> expected(kBins, 0);
  for (const std::uint8_t v : host) ++expected[v];
  return suite::matches(bins, [&](std::size_t i) { return expected[i]; });
}

const suite::Program kProgram = {"histogram", "bytes counted", 1 << 16, 1, 1 << 28, 1, false};
const suite::Variant kVariants[] = {
    {"global", "every element a reduction in L2, on 256 words that all CTAs share",
     run<histogram_global>},
    {"shared", "shared atomics, then one reduction a bin and CTA: L2 sees a fraction",
     run<histogram_shared>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
