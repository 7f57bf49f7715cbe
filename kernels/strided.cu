// Copies that read or write every K-th float: sectors per request grow with the stride up to one a
// lane, and the bytes of them that are used shrink to an eighth.
#include "common.cuh"

namespace {

__device__ __forceinline__ void load_every(const float* in, float* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}

__device__ __forceinline__ void store_every(const float* in, float* out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i * stride] = in[i];
}

}  // namespace

#define STRIDED_KERNELS(K)                                                \
  __global__ void strided_load_##K(const float* in, float* out, int n) {  \
    load_every(in, out, n, K);                                            \
  }                                                                       \
  __global__ void strided_store_##K(const float* in, float* out, int n) { \
    store_every(in, out, n, K);                                           \
  }

STRIDED_KERNELS(2)
STRIDED_KERNELS(3)
STRIDED_KERNELS(4)
STRIDED_KERNELS(8)
STRIDED_KERNELS(16)
STRIDED_KERNELS(32)
STRIDED_KERNELS(33)

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel, int kStride>
bool run_load(const suite::Options& o) {
  const auto host = suite::small_numbers(std::size_t(o.size) * kStride);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) { return host[i * kStride]; });
}

template <Kernel kKernel, int kStride>
bool run_store(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(std::vector<float>(n * kStride, 9.0f));
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return i % kStride == 0 ? host[i / kStride] : 9.0f;
  });
}

const suite::Program kProgram = {
    "strided", "floats copied (the strided array has K times as many)", 1 << 18, 1, 1 << 24, 1,
    true};
const suite::Variant kVariants[] = {
    {"load_2", "every other float read: 8 sectors, half their bytes used",
     run_load<strided_load_2, 2>},
    {"load_3", "every third float read: 12 sectors", run_load<strided_load_3, 3>},
    {"load_4", "every fourth float read: 16 sectors", run_load<strided_load_4, 4>},
    {"load_8", "one float a sector read: 32 sectors, the worst already",
     run_load<strided_load_8, 8>},
    {"load_16", "one float in 64 bytes: 32 sectors, and DRAM fetches both halves of 64 bytes",
     run_load<strided_load_16, 16>},
    {"load_32", "one float a line: 32 sectors in 32 lines, 32 tags", run_load<strided_load_32, 32>},
    {"load_33", "one float a line and a bit: the tags fall on other banks",
     run_load<strided_load_33, 33>},
    {"store_2", "every other float written: partial sectors", run_store<strided_store_2, 2>},
    {"store_3", "every third float written", run_store<strided_store_3, 3>},
    {"store_4", "every fourth float written", run_store<strided_store_4, 4>},
    {"store_8", "one float a sector written: 32 partial sectors", run_store<strided_store_8, 8>},
    {"store_16", "one float in 64 bytes written: L2 reads DRAM to fill the rest",
     run_store<strided_store_16, 16>},
    {"store_32", "one float a line written", run_store<strided_store_32, 32>},
    {"store_33", "one float a line and a bit written", run_store<strided_store_33, 33>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
