// Copies whose reads or writes start K floats past an aligned address: misaligned warps touch one
// sector more, and neighbouring warps share it.
#include "common.cuh"

namespace {

constexpr int kMaxOffset = 32;

__device__ __forceinline__ void load_from(const float* in, float* out, int n, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + offset];
}

__device__ __forceinline__ void store_to(const float* in, float* out, int n, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i + offset] = in[i];
}

}  // namespace

#define OFFSET_KERNELS(K)                                               \
  __global__ void offset_load_##K(const float* in, float* out, int n) { \
    load_from(in, out, n, K);                                           \
  }                                                                     \
  __global__ void offset_store_##K(const float* in, float* out, int n) { store_to(in, out, n, K); }

OFFSET_KERNELS(0)
OFFSET_KERNELS(1)
OFFSET_KERNELS(2)
OFFSET_KERNELS(4)
OFFSET_KERNELS(8)
OFFSET_KERNELS(16)
OFFSET_KERNELS(31)

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel, int kOffset>
bool run_load(const suite::Options& o) {
  const auto host = suite::small_numbers(std::size_t(o.size) + kMaxOffset);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) { return host[i + kOffset]; });
}

template <Kernel kKernel, int kOffset>
bool run_store(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host = suite::small_numbers(n);
  const suite::DeviceArray<float> in(host);
  // Elements before and behind the copied range must keep the value they have.
  const suite::DeviceArray<float> out(std::vector<float>(n + kMaxOffset, 9.0f));
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    const bool copied = i + 1 > kOffset && i - kOffset < n;
    return copied ? host[i - kOffset] : 9.0f;
  });
}

const suite::Program kProgram = {"offset", "floats copied", 1 << 18, 1, 1 << 28, 1, true};
const suite::Variant kVariants[] = {
    {"load_0", "aligned reads: the four sectors to compare with", run_load<offset_load_0, 0>},
    {"load_1", "reads 4 bytes off: five sectors a request, two lines", run_load<offset_load_1, 1>},
    {"load_2", "reads 8 bytes off: as many sectors as 4 off", run_load<offset_load_2, 2>},
    {"load_4", "reads half a sector off: still five sectors", run_load<offset_load_4, 4>},
    {"load_8", "reads a whole sector off: four sectors again, but two lines (two tags)",
     run_load<offset_load_8, 8>},
    {"load_16", "reads half a line off: four sectors, two lines", run_load<offset_load_16, 16>},
    {"load_31", "reads one float short of a line off", run_load<offset_load_31, 31>},
    {"store_0", "aligned writes: the four sectors to compare with", run_store<offset_store_0, 0>},
    {"store_1", "writes 4 bytes off: partial sectors that L2 has to merge",
     run_store<offset_store_1, 1>},
    {"store_2", "writes 8 bytes off", run_store<offset_store_2, 2>},
    {"store_4", "writes half a sector off", run_store<offset_store_4, 4>},
    {"store_8", "writes a whole sector off: whole sectors, two lines",
     run_store<offset_store_8, 8>},
    {"store_16", "writes half a line off", run_store<offset_store_16, 16>},
    {"store_31", "writes one float short of a line off", run_store<offset_store_31, 31>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
