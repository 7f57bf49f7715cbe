// Managed memory, where the first one to touch a page decides where it is. At most 16 MiB.
#include "common.cuh"

__global__ void managed_host_first(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

__global__ void managed_device_first(const float*, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<float>(i % 1000);
}

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel, bool kHostFirst>
bool run(const suite::Options& o) {
  if (suite::device_attribute(cudaDevAttrManagedMemory) == 0) {
    suite::missing("this GPU or system has no managed memory");
  }
  const std::size_t n = o.size;
  float* in = nullptr;
  float* out = nullptr;
  CUDA_CHECK(cudaMallocManaged(&in, n * sizeof(float)));
  CUDA_CHECK(cudaMallocManaged(&out, n * sizeof(float)));
  const auto host = suite::small_numbers(n);
  if (kHostFirst) std::memcpy(in, host.data(), n * sizeof(float));  // pages start on the host
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  bool right = true;
  for (std::size_t i = 0; o.check && right && i < n; ++i) {
    const float expected = kHostFirst ? 2 * host[i] : static_cast<float>(i % 1000);
    if (out[i] != expected) right = suite::differs(i, out[i], expected);
  }
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return right;
}

const suite::Program kProgram = {"managed", "floats in each of two arrays", 1 << 19, 1, 1 << 21, 1,
                                 true};
const suite::Variant kVariants[] = {
    {"host_first", "pages written on the host: the kernel's reads fault and move them",
     run<managed_host_first, true>},
    {"device_first", "pages first written by the kernel: they are created on the GPU",
     run<managed_device_first, false>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
