// C = A * B on tensor cores (half in, float out), to show how fragments travel: ldmatrix with and
// without bank conflicts, transposed, stmatrix on the way out, and the compiler's own loads.
//
// Halves are handled as 16-bit patterns: nothing but the matrix instructions looks inside.
#include "common.cuh"

#include <mma.h>

namespace {

using Half = std::uint16_t;

constexpr int kTile = 32;   // a CTA's part of C is 32 x 32, each of its four warps has 16 x 16
constexpr int kDepth = 16;  // columns of A and rows of B staged at a time
constexpr int kThreads = 128;

// Four 8 x 8 matrices; lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void ldmatrix(unsigned (&r)[4], const Half* row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
}

__device__ __forceinline__ void ldmatrix_turned(unsigned (&r)[4], const Half* row) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
}

__device__ __forceinline__ void multiply(float (&c)[4], unsigned a0, unsigned a1, unsigned b) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(b));
}

// One warp's 16 x 16 of C in two halves of 8 columns: lane l has rows l/4 and l/4 + 8, columns
// 2 (l % 4) and the next.
struct Accumulator {
  float half[2][4] = {};
};

// kPitchA and kPitchB are the halves from one staged row to the next. B is staged as n rows of k
// (kTurned false; `b` is then B transposed) or as k rows of n.
template <int kPitchA, int kPitchB, bool kTurned>
__device__ __forceinline__ Accumulator multiply_tiles(const Half* a, const Half* b, int n) {
  alignas(16) __shared__ Half tile_a[kTile * kPitchA];
  alignas(16) __shared__ Half tile_b[(kTurned ? kDepth : kTile) * kPitchB];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;
  const int in_matrix = lane % 8, matrix = lane / 8;
  Accumulator c;
  for (int first = 0; first < n; first += kDepth) {
    if (t < 64) {  // 32 rows of 16 halves of A, 16 bytes a thread
      const int r = t / 2, k = t % 2 * 8;
      *reinterpret_cast<uint4*>(&tile_a[r * kPitchA + k]) =
          *reinterpret_cast<const uint4*>(&a[(row0 + r) * n + first + k]);
    } else if (kTurned) {  // 16 rows of 32 halves of B
      const int r = (t - 64) / 4, k = t % 4 * 8;
      *reinterpret_cast<uint4*>(&tile_b[r * kPitchB + k]) =
          *reinterpret_cast<const uint4*>(&b[(first + r) * n + column0 + k]);
    } else {  // 32 rows of 16 halves of B transposed
      const int r = (t - 64) / 2, k = t % 2 * 8;
      *reinterpret_cast<uint4*>(&tile_b[r * kPitchB + k]) =
          *reinterpret_cast<const uint4*>(&b[(column0 + r) * n + first + k]);
    }
    __syncthreads();
    unsigned fa[4], fb[4];
    // Matrices of A: upper and lower rows of columns 0-7, then of columns 8-15.
    ldmatrix(fa, &tile_a[(warp_row + matrix % 2 * 8 + in_matrix) * kPitchA + matrix / 2 * 8]);
    // Matrices of B: k 0-7 and 8-15 of the left eight columns, then of the right eight.
    if (kTurned) {
      ldmatrix_turned(
          fb, &tile_b[(matrix % 2 * 8 + in_matrix) * kPitchB + warp_column + matrix / 2 * 8]);
    } else {
      ldmatrix(fb, &tile_b[(warp_column + matrix / 2 * 8 + in_matrix) * kPitchB + matrix % 2 * 8]);
    }
    for (int h = 0; h < 2; ++h) {
      multiply(c.half[h], fa[0], fa[1], fb[2 * h]);
      multiply(c.half[h], fa[2], fa[3], fb[2 * h + 1]);
    }
    __syncthreads();
  }
  return c;
}

__device__ __forceinline__ void store_floats(const Accumulator& c, float* out, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int y = blockIdx.y * kTile + warp / 2 * 16 + lane / 4;
  const int x = blockIdx.x * kTile + warp % 2 * 16 + lane % 4 * 2;
  for (int h = 0; h < 2; ++h) {
    const float* v = c.half[h];
    *reinterpret_cast<float2*>(&out[y * n + x + 8 * h]) = make_float2(v[0], v[1]);
    *reinterpret_cast<float2*>(&out[(y + 8) * n + x + 8 * h]) = make_float2(v[2], v[3]);
  }
}

}  // namespace

// Rows of 32 bytes: the eight rows of a matrix meet in the banks two by two.
__global__ void tensor_core_ldmatrix(const Half* a, const Half* b, float* c, int n) {
  store_floats(multiply_tiles<16, 16, false>(a, b, n), c, n);
}

// Rows of 48 bytes: eight rows in eight different places.
__global__ void tensor_core_ldmatrix_padded(const Half* a, const Half* b, float* c, int n) {
  store_floats(multiply_tiles<24, 24, false>(a, b, n), c, n);
}

// B as it lies in memory, turned by the load; rows of 80 bytes.
__global__ void tensor_core_ldmatrix_turned(const Half* a, const Half* b, float* c, int n) {
  store_floats(multiply_tiles<24, 40, true>(a, b, n), c, n);
}

// Results go through shared memory by stmatrix, as halves, and leave in whole rows.
__global__ void tensor_core_stmatrix(const Half* a, const Half* b, Half* c, int n) {
#if __CUDA_ARCH__ >= 900
  constexpr int kPitch = 40;  // 80 bytes: eight rows in eight different places
  alignas(16) __shared__ Half tile[kTile * kPitch];
  const Accumulator sum = multiply_tiles<24, 24, false>(a, b, n);
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned r[4];  // matrices: upper and lower rows of the left half, then of the right half
  for (int k = 0; k < 4; ++k) {
    const float* v = &sum.half[k / 2][k % 2 * 2];
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r[k]) : "f"(v[1]), "f"(v[0]));
  }
  const int row = warp / 2 * 16 + lane / 8 % 2 * 8 + lane % 8;
  const int column = warp % 2 * 16 + lane / 16 * 8;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[row * kPitch + column]));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
  __syncthreads();
  const int y = t / 4, x = t % 4 * 8;  // 32 rows of 32 halves, 16 bytes a thread
  *reinterpret_cast<uint4*>(&c[(blockIdx.y * kTile + y) * n + blockIdx.x * kTile + x]) =
      *reinterpret_cast<const uint4*>(&tile[y * kPitch + x]);
#endif
}

// Fragments straight from global memory, as the compiler's own matrix loads do it.
__global__ void tensor_core_wmma(const Half* a, const Half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  const int warp = threadIdx.x / 32;
  const int y = blockIdx.y * kTile + warp / 2 * 16, x = blockIdx.x * kTile + warp % 2 * 16;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, half, row_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(fa, reinterpret_cast<const half*>(&a[y * n + k]), n);
    load_matrix_sync(fb, reinterpret_cast<const half*>(&b[k * n + x]), n);
    mma_sync(fc, fa, fb, fc);
  }
  store_matrix_sync(&c[y * n + x], fc, n, mem_row_major);
}

namespace {

// -1, 0 and 1 as halves: sums stay exact.
Half half_of(float value) { return value == 0 ? 0x0000 : value > 0 ? 0x3C00 : 0xBC00; }

// The value of a half that holds a whole number.
float value_of(Half bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) return 0;
  const float size = std::ldexp(1024.0f + static_cast<float>(fraction), exponent - 25);
  return bits >> 15 ? -size : size;
}

struct Inputs {
  std::vector<float> a, b;
  std::vector<Half> half_a, half_b;

  Inputs(std::size_t n, bool b_turned) : a(n * n), b(n * n), half_a(n * n), half_b(n * n) {
    suite::Random random(13);
    for (std::size_t i = 0; i < n * n; ++i) {
      a[i] = static_cast<float>(random.below(3) - 1);
      b[i] = static_cast<float>(random.below(3) - 1);
      half_a[i] = half_of(a[i]);
      half_b[b_turned ? i % n * n + i / n : i] = half_of(b[i]);
    }
  }

  float product(std::size_t i, std::size_t n) const {
    float sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    return sum;
  }
};

template <typename Out, void (*kKernel)(const Half*, const Half*, Out*, int), bool kBTurned>
bool run(const suite::Options& o) {
  const std::size_t n = o.size;
  const Inputs inputs(n, kBTurned);
  const suite::DeviceArray<Half> a(inputs.half_a);
  const suite::DeviceArray<Half> b(inputs.half_b);
  const suite::DeviceArray<Out> c(n * n);
  kKernel<<<dim3(o.size / kTile, o.size / kTile), kThreads>>>(a, b, c, o.size);
  CUDA_FINISH();
  if (!o.check) return true;
  const std::vector<Out> got = c.download();
  for (std::size_t i = 0; i < got.size(); i += suite::check_step(n * n, n)) {
    const float gpu = std::is_same<Out, Half>::value ? value_of(static_cast<Half>(got[i]))
                                                     : static_cast<float>(got[i]);
    if (gpu != inputs.product(i, n)) return suite::differs(i, gpu, inputs.product(i, n));
  }
  return true;
}

const suite::Program kProgram = {"tensor_core", "side of the square matrices", 256, 32, 8192, 32,
                                 false};
const suite::Variant kVariants[] = {
    {"ldmatrix", "fragments by ldmatrix from rows of 32 bytes: two-way conflicts",
     run<float, tensor_core_ldmatrix, true>},
    {"ldmatrix_padded", "rows padded to 48 bytes: no conflicts",
     run<float, tensor_core_ldmatrix_padded, true>},
    {"ldmatrix_turned", "B turned by ldmatrix.trans: no transposed copy of B needed",
     run<float, tensor_core_ldmatrix_turned, false>},
    {"stmatrix", "results by stmatrix through shared memory: whole rows leave",
     run<Half, tensor_core_stmatrix, true>, 90},
    {"wmma", "fragments by the compiler's own loads from global memory",
     run<float, tensor_core_wmma, false>},
};

}  // namespace

int main(int argc, char** argv) { return suite::run_program(argc, argv, kProgram, kVariants); }
