// Reads through an index array: what a request costs depends on the indices alone.
#include "common.cuh"

#include <algorithm>

namespace {

constexpr int kTablePerElement = 8;  // floats of table for each index: most sectors stay unshared

__device__ __forceinline__ void gather(const float* table, const int* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}

}  // namespace

__global__ void gather_random(const float* table, const int* index, float* out, int n) {
  gather(table, index, out, n);
}
__global__ void gather_sorted(const float* table, const int* index, float* out, int n) {
  gather(table, index, out, n);
}
__global__ void gather_permuted(const float* table, const int* index, float* out, int n) {
  gather(table, index, out, n);
}
__global__ void gather_hot(const float* table, const int* index, float* out, int n) {
  gather(table, index, out, n);
}

namespace {

std::vector<int> random_index(int n) {
  suite::Random random(7);
  std::vector<int> index(n);
  for (int& k : index) k = random.below(n * kTablePerElement);
  return index;
}

std::vector<int> sorted_index(int n) {
  std::vector<int> index = random_index(n);
  std::sort(index.begin(), index.end());
  return index;
}

std::vector<int> permuted_index(int n) { return suite::permutation(n, 32, 7); }

// Eight entries, each in a line of its own as far as the table reaches.
std::vector<int> hot_index(int n) {
  suite::Random random(7);
  std::vector<int> index(n);
  for (int& k : index) k = (random.below(8) * 32) % (n * kTablePerElement);
  return index;
}

using Kernel = void (*)(const float*, const int*, float*, int);

template <Kernel kKernel, std::vector<int> (*kIndices)(int)>
bool run(const suite::Options& o) {
  const auto values = suite::small_numbers(std::size_t(o.size) * kTablePerElement);
  const auto indices = kIndices(o.size);
  const suite::DeviceArray<float> table(values);
  const suite::DeviceArray<int> index(indices);
  const suite::DeviceArray<float> out(o.size);
  const int block = o.block_or(256);
  kKernel<<<suite::blocks_for(o.size, block), block>>>(table, index, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) { return values[indices[i]]; });
}

const suite::Program kProgram = {
    "gather", "elements gathered (the table has 8 times as many)", 1 << 15, 1, 1 << 25, 1, true};
const suite::Variant kVariants[] = {
    {"random", "random indices: about 32 sectors a request", run<gather_random, random_index>},
    {"sorted", "the same indices sorted: neighbours share lines, requests get cheap",
     run<gather_sorted, sorted_index>},
    {"permuted", "lanes permuted inside the warp: as cheap as a straight copy",
     run<gather_permuted, permuted_index>},
    {"hot", "eight hot entries: few sectors a request, always in L1", run<gather_hot, hot_index>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
