// y = 2x + y with one, two and four floats a thread: the same sectors in fewer instructions.
#include "common.cuh"

namespace {

constexpr float kFactor = 2;

}  // namespace

__global__ void vectorised_scalar(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kFactor * x[i] + y[i];
}

__global__ void vectorised_float2(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  const float2 a = reinterpret_cast<const float2*>(x)[i];
  float2 b = reinterpret_cast<float2*>(y)[i];
  b.x = kFactor * a.x + b.x;
  b.y = kFactor * a.y + b.y;
  reinterpret_cast<float2*>(y)[i] = b;
}

namespace {

__device__ __forceinline__ void update4(const float4* x, float4* y, int i) {
  const float4 a = x[i];
  float4 b = y[i];
  b.x = kFactor * a.x + b.x;
  b.y = kFactor * a.y + b.y;
  b.z = kFactor * a.z + b.z;
  b.w = kFactor * a.w + b.w;
  y[i] = b;
}

}  // namespace

__global__ void vectorised_float4(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) update4(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), i);
}

__global__ void vectorised_float4_loop(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    update4(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), i);
  }
}

namespace {

using Kernel = void (*)(const float*, float*, int);

// kWidth floats a thread; kLoops: so many times fewer threads than that would take.
template <Kernel kKernel, int kWidth, int kLoops = 1>
bool run(const suite::Options& o) {
  const auto host_x = suite::small_numbers(o.size, 1);
  const auto host_y = suite::small_numbers(o.size, 2);
  const suite::DeviceArray<float> x(host_x);
  const suite::DeviceArray<float> y(host_y);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block * kWidth * kLoops), block>>>(x, y, o.size);
  CUDA_FINISH();
  return !o.check ||
         suite::matches(y, [&](std::size_t i) { return kFactor * host_x[i] + host_y[i]; });
}

const suite::Program kProgram = {"vectorised", "floats", 1 << 20, 4, 1 << 28, 4, true};
const suite::Variant kVariants[] = {
    {"scalar", "4 bytes a lane: the count of requests to compare with", run<vectorised_scalar, 1>},
    {"float2", "8 bytes a lane: half the requests, the same sectors", run<vectorised_float2, 2>},
    {"float4", "16 bytes a lane: a quarter of the requests, the same sectors",
     run<vectorised_float4, 4>},
    {"float4_loop", "16 bytes a lane in a grid-stride loop: four rounds a thread",
     run<vectorised_float4_loop, 4, 4>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
