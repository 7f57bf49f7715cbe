#include "emulate/libraries/blas.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <thread>
#include <vector>

#include "emulate/executor/half.hpp"

namespace warpmem::cublas {
namespace {

constexpr std::int64_t kRows = 512;          // of a block of C: its column stays in the first cache
constexpr std::int64_t kThreaded = 1 << 22;  // products from which on threads pay

// op(M) as a dense matrix of rows x columns.
template <class T>
std::vector<T> dense(const Matrix& m, std::int64_t rows, std::int64_t columns) {
  std::vector<T> out(static_cast<std::size_t>(rows * columns));
  for (std::int64_t c = 0; c < columns; ++c)
    for (std::int64_t r = 0; r < rows; ++r)
      out[static_cast<std::size_t>(c * rows + r)] = static_cast<T>(
          element(m.at, m.type, m.transposed ? r * m.leading + c : c * m.leading + r));
  return out;
}

template <class T>
void multiply_dense(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const Matrix& a,
                    const Matrix& b, double beta, void* c, Type c_type, std::int64_t c_leading) {
  const std::vector<T> left = dense<T>(a, m, k), right = dense<T>(b, k, n);
  const auto columns = [&](std::int64_t first, std::int64_t last) {
    std::vector<T> sum(static_cast<std::size_t>(std::min(m, kRows)));
    for (std::int64_t j = first; j < last; ++j)
      for (std::int64_t top = 0; top < m; top += kRows) {
        const std::int64_t rows = std::min(kRows, m - top);
        std::fill_n(sum.begin(), rows, T{0});
        for (std::int64_t l = 0; l < k; ++l) {
          const T factor = right[static_cast<std::size_t>(j * k + l)];
          const T* column = left.data() + l * m + top;
          for (std::int64_t i = 0; i < rows; ++i)
            sum[static_cast<std::size_t>(i)] += column[i] * factor;
        }
        for (std::int64_t i = 0; i < rows; ++i) {
          const std::int64_t at = j * c_leading + top + i;
          const double old = beta == 0 ? 0 : beta * element(c, c_type, at);
          const auto product = static_cast<double>(sum[static_cast<std::size_t>(i)]);
          set_element(c, c_type, at, alpha * product + old);
        }
      }
  };
  const auto cores = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  if (cores == 1 || n < cores || m * n * k < kThreaded) return columns(0, n);
  std::vector<std::thread> threads;
  std::int64_t t = 0;
  try {
    for (; t < cores; ++t) threads.emplace_back(columns, n * t / cores, n * (t + 1) / cores);
  } catch (const std::system_error&) {  // no more threads: the rest is done here
    columns(n * t / cores, n);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

std::size_t element_bytes(Type type) {
  switch (type) {
    case kFloat:
    case kInt32: return 4;
    case kDouble: return 8;
    case kHalf:
    case kBfloat: return 2;
    case kInt8: return 1;
  }
  return 0;
}

double element(const void* at, Type type, std::int64_t index) {
  switch (type) {
    case kFloat: return static_cast<const float*>(at)[index];
    case kDouble: return static_cast<const double*>(at)[index];
    case kHalf: return emulate::half_value(static_cast<const std::uint16_t*>(at)[index]);
    case kBfloat: return emulate::bfloat_value(static_cast<const std::uint16_t*>(at)[index]);
    case kInt8: return static_cast<const std::int8_t*>(at)[index];
    case kInt32: return static_cast<const std::int32_t*>(at)[index];
  }
  return 0;
}

void set_element(void* at, Type type, std::int64_t index, double value) {
  switch (type) {
    case kFloat: static_cast<float*>(at)[index] = static_cast<float>(value); break;
    case kDouble: static_cast<double*>(at)[index] = value; break;
    case kHalf: static_cast<std::uint16_t*>(at)[index] = emulate::half_of(value); break;
    case kBfloat: static_cast<std::uint16_t*>(at)[index] = emulate::bfloat_of(value); break;
    case kInt8: static_cast<std::int8_t*>(at)[index] = static_cast<std::int8_t>(value); break;
    case kInt32: static_cast<std::int32_t*>(at)[index] = static_cast<std::int32_t>(value); break;
  }
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const Matrix& a,
              const Matrix& b, double beta, void* c, Type c_type, std::int64_t c_leading, Sum sum) {
  if (m == 0 || n == 0) return;
  if (sum == Sum::kDouble) multiply_dense<double>(m, n, k, alpha, a, b, beta, c, c_type, c_leading);
  else if (sum == Sum::kInt32)
    multiply_dense<std::int32_t>(m, n, k, alpha, a, b, beta, c, c_type, c_leading);
  else multiply_dense<float>(m, n, k, alpha, a, b, beta, c, c_type, c_leading);
}

}  // namespace warpmem::cublas
