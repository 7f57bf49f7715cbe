// C = A * A^T for a tall A of 32 columns: the transposed operand is a strided read, first in global
// memory, then moved to shared memory where it becomes a bank conflict, then padded away.
#include "common.cuh"

namespace {

constexpr int kWidth = 32;  // columns of A, side of a tile, and of a CTA

}  // namespace

__global__ void aat_strided(const float* a, float* c, int m) {
  const int x = blockIdx.x * kWidth + threadIdx.x;
  const int y = blockIdx.y * kWidth + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kWidth; ++k) sum += a[y * kWidth + k] * a[x * kWidth + k];
  c[y * m + x] = sum;
}

namespace {

template <int kPitch>
__device__ __forceinline__ void through_shared(const float* a, float* c, int m) {
  __shared__ float rows[kWidth][kWidth];
  __shared__ float turned[kWidth][kPitch];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kWidth + tx, y = blockIdx.y * kWidth + ty;
  rows[ty][tx] = a[y * kWidth + tx];
  turned[tx][ty] = a[(blockIdx.x * kWidth + ty) * kWidth + tx];  // a column of `turned` is written
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kWidth; ++k) sum += rows[ty][k] * turned[k][tx];
  c[y * m + x] = sum;
}

}  // namespace

__global__ void aat_shared_unpadded(const float* a, float* c, int m) {
  through_shared<kWidth>(a, c, m);
}
__global__ void aat_shared_padded(const float* a, float* c, int m) {
  through_shared<kWidth + 1>(a, c, m);
}

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel>
bool run(const suite::Options& o) {
  const std::size_t m = o.size;
  const auto host = suite::small_numbers(m * kWidth);
  const suite::DeviceArray<float> a(host);
  const suite::DeviceArray<float> c(m * m);
  const dim3 grid(o.size / kWidth, o.size / kWidth);
  kKernel<<<grid, dim3(kWidth, kWidth)>>>(a, c, o.size);
  CUDA_FINISH();
  if (!o.check) return true;
  const auto expected = [&](std::size_t i) {
    const std::size_t y = i / m, x = i % m;
    float sum = 0;
    for (std::size_t k = 0; k < kWidth; ++k) sum += host[y * kWidth + k] * host[x * kWidth + k];
    return sum;
  };
  return suite::matches(c, expected, 0, suite::check_step(m * m, kWidth));
}

const suite::Program kProgram = {"aat", "rows of A (32 columns)", 512, 32, 16384, 32, false};
const suite::Variant kVariants[] = {
    {"strided", "the transposed operand read with a stride of one line: 32 sectors a request",
     run<aat_strided>},
    {"shared_unpadded", "read by rows and turned in shared memory: the store conflicts 32 ways",
     run<aat_shared_unpadded>},
    {"shared_padded", "the same with rows padded by a word: no conflict left",
     run<aat_shared_padded>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
