// The transpose series: the same matrix moved with coalesced reads, coalesced writes, both, and
// through shared memory with and without bank conflicts. out[x * n + y] = in[y * n + x].
#include "common.cuh"

namespace {

constexpr int kSide = 16;  // CTA of the plain variants: 16 x 16 threads
constexpr int kTile = 32;  // shared variants: a 32 x 32 tile by 32 x 8 threads
constexpr int kTileRows = 8;

__device__ __forceinline__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }

}  // namespace

__global__ void transpose_row_copy(const float* in, float* out, int n) {
  const int x = column(), y = row();
  out[y * n + x] = in[y * n + x];
}

__global__ void transpose_column_copy(const float* in, float* out, int n) {
  const int x = column(), y = row();
  out[x * n + y] = in[x * n + y];
}

__global__ void transpose_naive_row(const float* in, float* out, int n) {
  const int x = column(), y = row();
  out[x * n + y] = in[y * n + x];
}

__global__ void transpose_naive_column(const float* in, float* out, int n) {
  const int x = column(), y = row();
  out[y * n + x] = in[x * n + y];
}

// Four elements a thread, one CTA width apart; the grid is a quarter as wide.
__global__ void transpose_unroll4_row(const float* in, float* out, int n) {
  const int x = blockIdx.x * 4 * kSide + threadIdx.x, y = row();
  float value[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) value[k] = in[y * n + x + k * kSide];
#pragma unroll
  for (int k = 0; k < 4; ++k) out[(x + k * kSide) * n + y] = value[k];
}

__global__ void transpose_unroll4_column(const float* in, float* out, int n) {
  const int x = blockIdx.x * 4 * kSide + threadIdx.x, y = row();
  float value[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) value[k] = in[(x + k * kSide) * n + y];
#pragma unroll
  for (int k = 0; k < 4; ++k) out[y * n + x + k * kSide] = value[k];
}

// CTAs that run together are renamed onto diagonals of the matrix, so that neither their reads nor
// their writes are a power of two apart.
__global__ void transpose_diagonal_row(const float* in, float* out, int n) {
  const int block_y = blockIdx.x;
  const int block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
  const int x = block_x * kSide + threadIdx.x, y = block_y * kSide + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

__global__ void transpose_diagonal_column(const float* in, float* out, int n) {
  const int block_y = blockIdx.x;
  const int block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
  const int x = block_x * kSide + threadIdx.x, y = block_y * kSide + threadIdx.y;
  out[y * n + x] = in[x * n + y];
}

namespace {

// Rows in, rows out: the turn happens in shared memory, whose columns conflict unless a row is
// padded by one word.
template <int kPitch>
__device__ __forceinline__ void through_shared(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kPitch];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int r = 0; r < kTile; r += kTileRows) {
    tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * n + x];
  }
  __syncthreads();
  const int out_x = blockIdx.y * kTile + threadIdx.x, out_y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int r = 0; r < kTile; r += kTileRows) {
    out[(out_y + r) * n + out_x] = tile[threadIdx.x][threadIdx.y + r];
  }
}

}  // namespace

__global__ void transpose_shared_unpadded(const float* in, float* out, int n) {
  through_shared<kTile>(in, out, n);
}
__global__ void transpose_shared_padded(const float* in, float* out, int n) {
  through_shared<kTile + 1>(in, out, n);
}

// Thin CTAs, 8 threads wide and 32 high: one sector of a row for each of four rows.
__global__ void transpose_thin_row(const float* in, float* out, int n) {
  const int x = column(), y = row();
  out[x * n + y] = in[y * n + x];
}
__global__ void transpose_thin_column(const float* in, float* out, int n) {
  const int x = column(), y = row();
  out[y * n + x] = in[x * n + y];
}

namespace {

using Kernel = void (*)(const float*, float*, int);

// A CTA of kX x kY threads covers kX * kWidth columns and kY * kHeight rows.
template <Kernel kKernel, int kX, int kY, int kWidth = 1, int kHeight = 1, bool kTurn = true>
bool run(const suite::Options& o) {
  const std::size_t n = o.size;
  const auto host = suite::small_numbers(n * n);
  const suite::DeviceArray<float> in(host);
  const suite::DeviceArray<float> out(n * n);
  const dim3 grid(o.size / (kX * kWidth), o.size / (kY * kHeight));
  kKernel<<<grid, dim3(kX, kY)>>>(in, out, o.size);
  CUDA_FINISH();
  return !o.check || suite::matches(out, [&](std::size_t i) {
    return kTurn ? host[i % n * n + i / n] : host[i];
  });
}

const suite::Program kProgram = {
    "transpose", "side of the square matrix of floats", 1024, 64, 32768, 64, false};
const suite::Variant kVariants[] = {
    {"row_copy", "no transpose, by rows: the upper bound",
     run<transpose_row_copy, kSide, kSide, 1, 1, false>},
    {"column_copy", "no transpose, by columns: the lower bound",
     run<transpose_column_copy, kSide, kSide, 1, 1, false>},
    {"naive_row", "reads rows, writes columns: the partial sectors are the stores'",
     run<transpose_naive_row, kSide, kSide>},
    {"naive_column", "reads columns, writes rows: L1 keeps what the strided reads fetch too much",
     run<transpose_naive_column, kSide, kSide>},
    {"unroll4_row", "naive_row with four elements a thread: more requests in flight",
     run<transpose_unroll4_row, kSide, kSide, 4, 1>},
    {"unroll4_column", "naive_column with four elements a thread",
     run<transpose_unroll4_column, kSide, kSide, 4, 1>},
    {"diagonal_row", "naive_row with CTAs along diagonals: against partition camping",
     run<transpose_diagonal_row, kSide, kSide>},
    {"diagonal_column", "naive_column with CTAs along diagonals",
     run<transpose_diagonal_column, kSide, kSide>},
    {"shared_unpadded", "turned in shared memory: global traffic perfect, 32-way bank conflicts",
     run<transpose_shared_unpadded, kTile, kTileRows, 1, kTile / kTileRows>},
    {"shared_padded", "one word of padding a row: the conflicts are gone",
     run<transpose_shared_padded, kTile, kTileRows, 1, kTile / kTileRows>},
    {"thin_row", "naive_row in 8 x 32 CTAs: a warp reads four rows, a sector of each",
     run<transpose_thin_row, 8, 32>},
    {"thin_column", "naive_column in 8 x 32 CTAs: the CTA's reads fill whole lines",
     run<transpose_thin_column, 8, 32>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
