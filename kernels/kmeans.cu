// The distance step of k-means: points stored point by point, or dimension by dimension.
#include "common.cuh"

namespace {

constexpr int kDimensions = 16;
constexpr int kClusters = 8;

// Both numbers are parameters so that the loops stay loops, as in a program that reads its data.
template <bool kByPoint>
__device__ __forceinline__ void nearest(const float* points, const float* centres, int* label,
                                        float* distance, int n, int dimensions, int clusters) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = 3.0e38f;
  int best_cluster = 0;
  for (int c = 0; c < clusters; ++c) {
    float sum = 0;
    for (int d = 0; d < dimensions; ++d) {
      const float p = kByPoint ? points[i * dimensions + d] : points[d * n + i];
      const float gap = p - centres[c * dimensions + d];
      sum += gap * gap;
    }
    if (sum < best) {
      best = sum;
      best_cluster = c;
    }
  }
  label[i] = best_cluster;
  distance[i] = best;
}

}  // namespace

__global__ void kmeans_by_point(const float* points, const float* centres, int* label,
                                float* distance, int n, int dimensions, int clusters) {
  nearest<true>(points, centres, label, distance, n, dimensions, clusters);
}
__global__ void kmeans_by_dimension(const float* points, const float* centres, int* label,
                                    float* distance, int n, int dimensions, int clusters) {
  nearest<false>(points, centres, label, distance, n, dimensions, clusters);
}

namespace {

using Kernel = void (*)(const float*, const float*, int*, float*, int, int, int);

template <Kernel kKernel, bool kByPoint>
bool run(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host_points = suite::small_numbers(n * kDimensions, 1);
  const auto host_centres = suite::small_numbers(std::size_t(kClusters) * kDimensions, 2);
  const suite::DeviceArray<float> points(host_points);
  const suite::DeviceArray<float> centres(host_centres);
  const suite::DeviceArray<int> label(n);
  const suite::DeviceArray<float> distance(n);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(points, centres, label, distance, o.size,
                                                       kDimensions, kClusters);
  CUDA_FINISH();
  if (!o.check) return true;
  std::vector<int> expected_label(n);
  std::vector<float> expected_distance(n);
  for (std::size_t i = 0; i < n; ++i) {
    expected_distance[i] = 3.0e38f;
    for (int c = 0; c < kClusters; ++c) {
      float sum = 0;
      for (int d = 0; d < kDimensions; ++d) {
        const float p = host_points[kByPoint ? i * kDimensions + d : d * n + i];
        const float gap = p - host_centres[c * kDimensions + d];
        sum += gap * gap;
      }
      if (sum < expected_distance[i]) {
        expected_distance[i] = sum;
        expected_label[i] = c;
      }
    }
  }
  return suite::matches(label, [&](std::size_t i) { return expected_label[i]; }) &&
         suite::matches(distance, [&](std::size_t i) { return expected_distance[i]; });
}

const suite::Program kProgram = {
    "kmeans", "points of 16 dimensions (8 clusters)", 1 << 14, 1, 1 << 24, 1, true};
const suite::Variant kVariants[] = {
    {"by_point", "a point's dimensions together: lanes 64 bytes apart, 32 sectors a request",
     run<kmeans_by_point, true>},
    {"by_dimension", "a dimension's points together: four sectors a request",
     run<kmeans_by_dimension, false>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
