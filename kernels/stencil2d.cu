// A five-point stencil on a square grid with a border of one, by 32 x 8 CTAs.
#include "common.cuh"

namespace {

constexpr int kX = 32, kY = 8;

}  // namespace

__global__ void stencil2d_naive(const float* in, float* out, int n) {
  const int x = blockIdx.x * kX + threadIdx.x, y = blockIdx.y * kY + threadIdx.y;
  const int pitch = n + 2;
  const float* centre = in + (y + 1) * pitch + x + 1;
  out[y * n + x] = 4 * centre[0] - centre[-1] - centre[1] - centre[-pitch] - centre[pitch];
}

__global__ void stencil2d_tiled(const float* in, float* out, int n) {
  __shared__ float tile[kY + 2][kX + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * kX + threadIdx.x, y = blockIdx.y * kY + threadIdx.y;
  const int pitch = n + 2;
  const float* centre = in + (y + 1) * pitch + x + 1;
  tile[ty][tx] = centre[0];
  if (tx == 1) tile[ty][0] = centre[-1];
  if (tx == kX) tile[ty][kX + 1] = centre[1];
  if (ty == 1) tile[0][tx] = centre[-pitch];
  if (ty == kY) tile[kY + 1][tx] = centre[pitch];
  __syncthreads();
  out[y * n + x] =
      4 * tile[ty][tx] - tile[ty][tx - 1] - tile[ty][tx + 1] - tile[ty - 1][tx] - tile[ty + 1][tx];
}

namespace {

using Kernel = void (*)(const float*, float*, int);

template <Kernel kKernel>
bool run(const suite::Options& o) {
  const std::size_t n = o.size, pitch = n + 2;
  const auto host = suite::small_numbers(pitch * pitch);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(n * n);
  kKernel<<<dim3(o.size / kX, o.size / kY), dim3(kX, kY)>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    const float* centre = &host[(i / n + 1) * pitch + i % n + 1];
    return 4 * centre[0] - centre[-1] - centre[1] - centre[-std::ptrdiff_t(pitch)] - centre[pitch];
  });
}

const suite::Program kProgram = {
    "stencil2d", "side of the grid (a border of one is added)", 768, 32, 16384, 32, false};
const suite::Variant kVariants[] = {
    {"naive", "five reads a point: neighbours in a row share lines, rows come back out of L1",
     run<stencil2d_naive>},
    {"tiled", "a tile with its halo: the halo's columns are the expensive part",
     run<stencil2d_tiled>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
