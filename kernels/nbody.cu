// All-pairs gravity: every thread reads every body, directly or through a shared tile.
#include "common.cuh"

namespace {

constexpr float kSoftening = 0.01f;

__device__ __forceinline__ void pull(float4 self, float4 other, float3& acceleration) {
  const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
  const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
  const float strength = other.w * inverse * inverse * inverse;
  acceleration.x += dx * strength;
  acceleration.y += dy * strength;
  acceleration.z += dz * strength;
}

}  // namespace

__global__ void nbody_naive(const float4* bodies, float4* accelerations, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 self = bodies[i];
  float3 a = make_float3(0, 0, 0);
  for (int j = 0; j < n; ++j) pull(self, bodies[j], a);
  accelerations[i] = make_float4(a.x, a.y, a.z, 0);
}

__global__ void nbody_tiled(const float4* bodies, float4* accelerations, int n) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int tile_size = blockDim.x;
  const float4 nobody = make_float4(0, 0, 0, 0);
  const float4 self = i < n ? bodies[i] : nobody;
  float3 a = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += tile_size) {
    const int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : nobody;  // a body without mass pulls nobody
    __syncthreads();
    for (int k = 0; k < tile_size; ++k) pull(self, tile[k], a);
    __syncthreads();
  }
  if (i < n) accelerations[i] = make_float4(a.x, a.y, a.z, 0);
}

namespace {

using Kernel = void (*)(const float4*, float4*, int);

std::vector<float4> random_bodies(int n) {
  suite::Random random(3);
  std::vector<float4> bodies(n);
  for (float4& b : bodies) {
    b.x = random.unit() - 0.5f;
    b.y = random.unit() - 0.5f;
    b.z = random.unit() - 0.5f;
    b.w = (0.5f + random.unit()) / static_cast<float>(n);
  }
  return bodies;
}

bool check(const std::vector<float4>& bodies, const suite::DeviceArray<float4>& result) {
  const std::vector<float4> got = result.download();
  const std::size_t n = bodies.size();
  for (std::size_t i = 0; i < n; i += suite::check_step(n, n)) {
    double sum[3] = {0, 0, 0};
    for (const float4& other : bodies) {
      const double d[3] = {double(other.x) - bodies[i].x, double(other.y) - bodies[i].y,
                           double(other.z) - bodies[i].z};
      const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + double(kSoftening);
      const double strength = other.w / (square * std::sqrt(square));
      for (int k = 0; k < 3; ++k) sum[k] += d[k] * strength;
    }
    const float gpu[3] = {got[i].x, got[i].y, got[i].z};
    for (int k = 0; k < 3; ++k) {
      if (!(std::fabs(gpu[k] - sum[k]) <= 1e-3)) return suite::differs(3 * i + k, gpu[k], sum[k]);
    }
  }
  return true;
}

template <Kernel kKernel, bool kShared>
bool run(const suite::Options& o) {
  const std::vector<float4> host = random_bodies(o.size);
  const suite::DeviceArray<float4> bodies(host);
  const suite::DeviceArray<float4> accelerations(host.size());
  const int block = o.block_or(128);
  const std::size_t shared = kShared ? block * sizeof(float4) : 0;
  kKernel<<<suite::blocks_for(o.size, block), block, shared>>>(bodies, accelerations, o.size);
  CUDA_FINISH();
  return !o.check || check(host, accelerations);
}

const suite::Program kProgram = {"nbody", "bodies", 4096, 1, 1 << 18, 1, true};
const suite::Variant kVariants[] = {
    {"naive", "every body read from global memory by every warp: broadcasts out of L1",
     run<nbody_naive, false>},
    {"tiled", "bodies staged a CTA's width at a time: broadcasts out of shared memory",
     run<nbody_tiled, true>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
