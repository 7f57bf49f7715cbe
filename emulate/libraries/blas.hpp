// Dense matrices as cuBLAS has them: column by column, with a leading dimension, in memory that the
// host can read (the emulated GPU's memory is).
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpmem::cublas {

// cudaDataType of the elements that are known here.
enum Type : int {
  kFloat = 0,
  kDouble = 1,
  kHalf = 2,
  kInt8 = 3,
  kInt32 = 10,
  kBfloat = 14,
};
enum class Sum : std::uint8_t { kFloat, kDouble, kInt32 };  // what products are added in

struct Matrix {
  const void* at = nullptr;
  Type type = kFloat;
  std::int64_t leading = 0;
  bool transposed = false;
};

std::size_t element_bytes(Type type);  // 0: not known
double element(const void* at, Type type, std::int64_t index);
void set_element(void* at, Type type, std::int64_t index, double value);

// C = alpha * A * B + beta * C, where A is m x k and B is k x n once transposed. C is not read when
// beta is 0. Sums of floats are of floats, in order of k.
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const Matrix& a,
              const Matrix& b, double beta, void* c, Type c_type, std::int64_t c_leading, Sum sum);

}  // namespace warpmem::cublas
