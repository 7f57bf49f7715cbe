// Sparse matrix times vector in CSR: a thread a row, or a warp a row.
#include "common.cuh"

__global__ void spmv_scalar(const int* row_begin, const int* column, const float* value,
                            const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = row_begin[row]; k < row_begin[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}

__global__ void spmv_vector(const int* row_begin, const int* column, const float* value,
                            const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;  // whole warps leave together
  float sum = 0;
  for (int k = row_begin[row] + lane; k < row_begin[row + 1]; k += 32) {
    sum += value[k] * x[column[k]];
  }
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, s);
  if (lane == 0) y[row] = sum;
}

namespace {

constexpr int kShortest = 4, kLongest = 28;

struct Matrix {
  std::vector<int> row_begin{0};
  std::vector<int> column;
  std::vector<float> value;
};

// Rows of 4 to 28 entries (16 on average) at random columns, ascending in each row.
Matrix random_matrix(int rows) {
  suite::Random random(9);
  Matrix m;
  for (int r = 0; r < rows; ++r) {
    const int length = kShortest + random.below(kLongest - kShortest + 1);
    for (int k = 0; k < length; ++k) {
      // One column out of each of `length` equal stretches keeps them sorted; short rows repeat.
      const int low = static_cast<int>(std::int64_t{rows} * k / length);
      const int high = static_cast<int>(std::int64_t{rows} * (k + 1) / length);
      m.column.push_back(high > low ? low + random.below(high - low) : low);
      m.value.push_back(static_cast<float>(random.below(7) - 3));
    }
    m.row_begin.push_back(static_cast<int>(m.column.size()));
  }
  return m;
}

using Kernel = void (*)(const int*, const int*, const float*, const float*, float*, int);

template <Kernel kKernel, int kThreadsPerRow>
bool run(const suite::Options& o) {
  const Matrix m = random_matrix(o.size);
  const auto host_x = suite::small_numbers(o.size, 2);
  const suite::DeviceArray<int> row_begin(m.row_begin);
  const suite::DeviceArray<int> column(m.column);
  const suite::DeviceArray<float> value(m.value);
  const suite::DeviceArray<float> x(host_x);
  const suite::DeviceArray<float> y(o.size);
  const int block = o.block_or(128);
  kKernel<<<suite::blocks_for(o.size, block / kThreadsPerRow), block>>>(row_begin, column, value, x,
                                                                        y, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(y, [&](std::size_t row) {
    float sum = 0;
    for (int k = m.row_begin[row]; k < m.row_begin[row + 1]; ++k) {
      sum += m.value[k] * host_x[m.column[k]];
    }
    return sum;
  });
}

const suite::Program kProgram = {
    "spmv", "rows and columns (16 entries a row on average)", 1024, 1, 1 << 22, 1, true};
const suite::Variant kVariants[] = {
    {"scalar", "a thread a row: lanes walk distant rows, every read is a gather",
     run<spmv_scalar, 1>},
    {"vector", "a warp a row: values and columns stream, only x is gathered", run<spmv_vector, 32>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
