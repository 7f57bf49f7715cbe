// Writes through an index array. Every index occurs once, so the result does not depend on order.
#include "common.cuh"

namespace {

__device__ __forceinline__ void scatter(const float* in, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i]] = in[i];
}

}  // namespace

__global__ void scatter_random(const float* in, const int* index, float* out, int n) {
  scatter(in, index, out, n);
}
__global__ void scatter_permuted(const float* in, const int* index, float* out, int n) {
  scatter(in, index, out, n);
}
__global__ void scatter_windowed(const float* in, const int* index, float* out, int n) {
  scatter(in, index, out, n);
}

namespace {

using Kernel = void (*)(const float*, const int*, float*, int);

template <Kernel kKernel, int kWindow>
bool run(const suite::Options& o) {
  const auto values = suite::small_numbers(o.size);
  const auto indices = suite::permutation(o.size, kWindow, 11);
  const suite::DeviceArray<float> in(values);
  const suite::DeviceArray<int> index(indices);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, index, out, o.size);
  CUDA_FINISH();
  if (!o.check) return true;
  std::vector<float> expected(o.size);
  for (int i = 0; i < o.size; ++i) expected[indices[i]] = values[i];
  return suite::matches(out, [&](std::size_t i) { return expected[i]; });
}

const suite::Program kProgram = {"scatter", "elements scattered", 1 << 15, 1, 1 << 28, 1, true};
const suite::Variant kVariants[] = {
    {"random", "a random permutation of the whole array: about 32 partial sectors a request",
     run<scatter_random, 0x7FFFFFFF>},
    {"permuted", "lanes permuted inside the warp: four whole sectors a request",
     run<scatter_permuted, 32>},
    {"windowed", "permuted inside 1,024 elements: partial sectors that meet again in L2",
     run<scatter_windowed, 1024>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
