// libcublas: the calls that programs use to check their own kernels against, done by the host on
// the emulated GPU's memory. They are no kernels here and leave no records. Here: handles, vectors,
// a matrix and vectors, and the small calls on matrices. What else cuBLAS exports says its name and
// fails (cublas_names.cpp).
#include "emulate/libraries/cublas.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace warpmem;
using namespace warpmem::cublas;

namespace warpmem::cublas {

void say_once() {
  cudart::__cudaNote("cuBLAS calls are computed on the host and leave no records");
}

int ready(Handle* h) {
  if (!h) return kNotInitialized;
  int capturing = 0;
  if (cudart::cudaStreamIsCapturing(h->stream, &capturing) != 0) return kExecutionFailed;
  if (capturing != 0) {
    std::fputs("warpmem: a cuBLAS call in a stream capture is not emulated\n", stderr);
    return kNotSupported;
  }
  return cudart::cudaStreamSynchronize(h->stream) == 0 ? kDone : kExecutionFailed;
}

}  // namespace warpmem::cublas

namespace {

std::int64_t first_of(int n, int step) {  // vectors with a negative step begin at their end
  return step < 0 ? static_cast<std::int64_t>(1 - n) * step : 0;
}

template <class T>
int axpy(Handle* h, int n, const T* alpha, const T* x, int xs, T* y, int ys) {
  if (n <= 0) return h ? kDone : kNotInitialized;
  const int code = start(h, x, y);
  for (std::int64_t i = 0, a = first_of(n, xs), b = first_of(n, ys); code == kDone && i < n;
       ++i, a += xs, b += ys)
    y[b] += *alpha * x[a];
  return code;
}
template <class T>
int dot(Handle* h, int n, const T* x, int xs, const T* y, int ys, T* result) {
  T sum = 0;
  const int code = n <= 0 ? (h ? kDone : kNotInitialized) : start(h, x, y);
  for (std::int64_t i = 0, a = first_of(n, xs), b = first_of(n, ys); code == kDone && i < n;
       ++i, a += xs, b += ys)
    sum += x[a] * y[b];
  if (code == kDone) *result = sum;
  return code;
}
template <class T>
int norm(Handle* h, int n, const T* x, int step, T* result) {
  double sum = 0;
  const int code = n <= 0 || step <= 0 ? (h ? kDone : kNotInitialized) : start(h, x);
  for (std::int64_t i = 0; code == kDone && step > 0 && i < n; ++i) {
    const double v = x[i * step];
    sum += v * v;
  }
  if (code == kDone) *result = static_cast<T>(std::sqrt(sum));
  return code;
}
template <class T>
int absolute_sum(Handle* h, int n, const T* x, int step, T* result) {
  T sum = 0;
  const int code = n <= 0 || step <= 0 ? (h ? kDone : kNotInitialized) : start(h, x);
  for (std::int64_t i = 0; code == kDone && step > 0 && i < n; ++i) sum += std::abs(x[i * step]);
  if (code == kDone) *result = sum;
  return code;
}
// The first of the largest or smallest, counted from 1.
template <class T>
int extreme(Handle* h, int n, const T* x, int step, int* result, bool largest) {
  int best = 0;
  const int code = n <= 0 || step <= 0 ? (h ? kDone : kNotInitialized) : start(h, x);
  for (int i = 0; code == kDone && step > 0 && i < n; ++i) {
    const T v = std::abs(x[static_cast<std::int64_t>(i) * step]);
    const T old = best ? std::abs(x[static_cast<std::int64_t>(best - 1) * step]) : v;
    if (best == 0 || (largest ? v > old : v < old)) best = i + 1;
  }
  if (code == kDone) *result = best;
  return code;
}
template <class T>
int scale(Handle* h, int n, const T* alpha, T* x, int step) {
  if (n <= 0 || step <= 0) return h ? kDone : kNotInitialized;
  const int code = start(h, x);
  for (std::int64_t i = 0; code == kDone && i < n; ++i) x[i * step] *= *alpha;
  return code;
}
template <class T>
int copy(Handle* h, int n, const T* x, int xs, T* y, int ys) {
  if (n <= 0) return h ? kDone : kNotInitialized;
  const int code = start(h, x, y);
  for (std::int64_t i = 0, a = first_of(n, xs), b = first_of(n, ys); code == kDone && i < n;
       ++i, a += xs, b += ys)
    y[b] = x[a];
  return code;
}
template <class T>
int swap(Handle* h, int n, T* x, int xs, T* y, int ys) {
  if (n <= 0) return h ? kDone : kNotInitialized;
  const int code = start(h, x, y);
  for (std::int64_t i = 0, a = first_of(n, xs), b = first_of(n, ys); code == kDone && i < n;
       ++i, a += xs, b += ys)
    std::swap(x[a], y[b]);
  return code;
}
template <class T>
int gemv(Handle* h, int operation, int m, int n, const T* alpha, const T* a, int lda, const T* x,
         int xs, const T* beta, T* y, int ys) {
  if (m < 0 || n < 0 || lda < std::max(1, m) || xs == 0 || ys == 0) return kInvalidValue;
  const int rows = operation ? n : m, columns = operation ? m : n;
  if (rows == 0) return h ? kDone : kNotInitialized;
  const int code = start(h, a, x, y);
  for (int r = 0; code == kDone && r < rows; ++r) {
    T sum = 0;
    for (int c = 0; c < columns; ++c) {
      const std::int64_t at = operation ? static_cast<std::int64_t>(r) * lda + c
                                        : static_cast<std::int64_t>(c) * lda + r;
      sum += a[at] * x[first_of(columns, xs) + static_cast<std::int64_t>(c) * xs];
    }
    T& out = y[first_of(rows, ys) + static_cast<std::int64_t>(r) * ys];
    out = *alpha * sum + (*beta == 0 ? 0 : *beta * out);
  }
  return code;
}
template <class T>
int ger(Handle* h, int m, int n, const T* alpha, const T* x, int xs, const T* y, int ys, T* a,
        int lda) {
  if (m < 0 || n < 0 || lda < std::max(1, m) || xs == 0 || ys == 0) return kInvalidValue;
  const int code = start(h, x, y, a);
  for (int c = 0; code == kDone && c < n; ++c)
    for (int r = 0; r < m; ++r)
      a[static_cast<std::int64_t>(c) * lda + r] +=
          *alpha * x[first_of(m, xs) + static_cast<std::int64_t>(r) * xs] *
          y[first_of(n, ys) + static_cast<std::int64_t>(c) * ys];
  return code;
}
template <class T>
int geam(Handle* h, int left, int right, int m, int n, const T* alpha, const T* a, int lda,
         const T* beta, const T* b, int ldb, T* c, int ldc) {
  if (m < 0 || n < 0 || ldc < std::max(1, m)) return kInvalidValue;
  const bool reads_a = *alpha != 0, reads_b = *beta != 0;
  const int code = start(h, c, reads_a ? a : c, reads_b ? b : c);
  if (code != kDone) return code;
  std::vector<T> out(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));  // c may be a or b
  const auto at = [](int operation, int r, int column, int leading) {
    return operation ? static_cast<std::int64_t>(r) * leading + column
                     : static_cast<std::int64_t>(column) * leading + r;
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      out[static_cast<std::size_t>(j) * static_cast<std::size_t>(m) + static_cast<std::size_t>(i)] =
          (reads_a ? *alpha * a[at(left, i, j, lda)] : 0) +
          (reads_b ? *beta * b[at(right, i, j, ldb)] : 0);
  for (int j = 0; j < n; ++j)
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(j) * m, m,
                c + static_cast<std::int64_t>(j) * ldc);
  return kDone;
}
template <class T>
int dgmm(Handle* h, int side, int m, int n, const T* a, int lda, const T* x, int step, T* c,
         int ldc) {
  if (m < 0 || n < 0 || lda < std::max(1, m) || ldc < std::max(1, m)) return kInvalidValue;
  const int code = start(h, a, x, c);
  const int count = side == 0 ? m : n;  // the diagonal stands on the left or on the right
  for (int j = 0; code == kDone && j < n; ++j)
    for (int i = 0; i < m; ++i)
      c[static_cast<std::int64_t>(j) * ldc + i] =
          a[static_cast<std::int64_t>(j) * lda + i] *
          x[first_of(count, step) + static_cast<std::int64_t>(side == 0 ? i : j) * step];
  return code;
}
// The triangle of op(A) op(A)^T that `uplo` names: 0 lower, 1 upper.
template <class T>
int syrk(Handle* h, int uplo, int operation, int n, int k, const T* alpha, const T* a, int lda,
         const T* beta, T* c, int ldc) {
  if (n < 0 || k < 0 || ldc < std::max(1, n)) return kInvalidValue;
  const int code = start(h, a, c);
  const auto at = [&](int r, int l) {
    return operation ? a[static_cast<std::int64_t>(r) * lda + l]
                     : a[static_cast<std::int64_t>(l) * lda + r];
  };
  for (int j = 0; code == kDone && j < n; ++j)
    for (int i = uplo == 0 ? j : 0; i < (uplo == 0 ? n : j + 1); ++i) {
      T sum = 0;
      for (int l = 0; l < k; ++l) sum += at(i, l) * at(j, l);
      T& out = c[static_cast<std::int64_t>(j) * ldc + i];
      out = *alpha * sum + (*beta == 0 ? 0 : *beta * out);
    }
  return code;
}
// op(A) X = alpha B (side 0) or X op(A) = alpha B (side 1), in place of B.
template <class T>
int trsm(Handle* h, int side, int uplo, int operation, int diagonal, int m, int n, const T* alpha,
         const T* a, int lda, T* b, int ldb) {
  if (m < 0 || n < 0 || ldb < std::max(1, m)) return kInvalidValue;
  const int code = start(h, a, b);
  const int size = side == 0 ? m : n, lines = side == 0 ? n : m;
  const auto factor = [&](int r, int c) {  // of op(A), or of its transpose from the right
    const bool swapped = (operation != 0) != (side == 1);
    return swapped ? a[static_cast<std::int64_t>(r) * lda + c]
                   : a[static_cast<std::int64_t>(c) * lda + r];
  };
  const bool lower = (uplo == 0) != ((operation != 0) != (side == 1));
  for (int line = 0; code == kDone && line < lines; ++line) {
    const auto x = [&](int i) -> T& {
      return side == 0 ? b[static_cast<std::int64_t>(line) * ldb + i]
                       : b[static_cast<std::int64_t>(i) * ldb + line];
    };
    for (int step = 0; step < size; ++step) {
      const int i = lower ? step : size - 1 - step;
      T sum = *alpha * x(i);
      for (int done = 0; done < step; ++done) {
        const int j = lower ? done : size - 1 - done;
        sum -= factor(i, j) * x(j);
      }
      x(i) = diagonal == 1 ? sum : sum / factor(i, i);
    }
  }
  return code;
}
int move(int rows, int columns, int bytes, const void* from, int from_leading, void* to,
         int to_leading, cudart::Stream* stream) {
  if (rows < 0 || columns < 0 || bytes <= 0 || from_leading <= 0 || to_leading <= 0)
    return kInvalidValue;
  const auto size = static_cast<std::size_t>(bytes);
  for (int c = 0; c < columns; ++c) {
    const int code = cudart::cudaMemcpyAsync(
        static_cast<char*>(to) +
            static_cast<std::size_t>(c) * static_cast<std::size_t>(to_leading) * size,
        static_cast<const char*>(from) +
            static_cast<std::size_t>(c) * static_cast<std::size_t>(from_leading) * size,
        static_cast<std::size_t>(rows) * size, cudart::kCopyDefault, stream);
    if (code != 0) return 11;  // CUBLAS_STATUS_MAPPING_ERROR
  }
  return kDone;
}

}  // namespace

extern "C" {

int cublasCreate_v2(Handle** out) {
  int devices = 0;
  if (!out) return kInvalidValue;
  if (cudart::cudaGetDeviceCount(&devices) != 0) return kNotInitialized;
  return *out = new Handle, kDone;
}
int cublasDestroy_v2(Handle* h) { return h ? (delete h, kDone) : kNotInitialized; }
int cublasGetVersion_v2(Handle*, int* version) {
  return version ? (*version = 130000, kDone) : kInvalidValue;
}
int cublasGetProperty(int which, int* value) {
  return value && which >= 0 && which < 3 ? (*value = which == 0 ? 13 : 0, kDone) : kInvalidValue;
}
std::size_t cublasGetCudartVersion() { return 13000; }
int cublasSetStream_v2(Handle* h, Stream* s) {
  return h ? (h->stream = s, kDone) : kNotInitialized;
}
int cublasGetStream_v2(Handle* h, Stream** s) {
  return h ? (*s = h->stream, kDone) : kNotInitialized;
}
int cublasSetPointerMode_v2(Handle* h, int m) {
  return h ? (h->pointer_mode = m, kDone) : kNotInitialized;
}
int cublasGetPointerMode_v2(Handle* h, int* m) {
  return h ? (*m = h->pointer_mode, kDone) : kNotInitialized;
}
int cublasSetMathMode(Handle* h, int m) { return h ? (h->math_mode = m, kDone) : kNotInitialized; }
int cublasGetMathMode(Handle* h, int* m) {
  return h ? (*m = h->math_mode, kDone) : kNotInitialized;
}
int cublasSetAtomicsMode(Handle* h, int m) {
  return h ? (h->atomics_mode = m, kDone) : kNotInitialized;
}
int cublasGetAtomicsMode(Handle* h, int* m) {
  return h ? (*m = h->atomics_mode, kDone) : kNotInitialized;
}
int cublasSetWorkspace_v2(Handle* h, void*, std::size_t) { return h ? kDone : kNotInitialized; }
int cublasLoggerConfigure(int, int, int, const char*) { return kDone; }
const char* cublasGetStatusName(int status) {
  switch (status) {
    case kDone: return "CUBLAS_STATUS_SUCCESS";
    case kNotInitialized: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
    case kInvalidValue: return "CUBLAS_STATUS_INVALID_VALUE";
    case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
    case kExecutionFailed: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kNotSupported: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_UNKNOWN";
  }
}
const char* cublasGetStatusString(int status) { return cublasGetStatusName(status); }

int cublasSetVector(int n, int bytes, const void* x, int xs, void* y, int ys) {
  return move(1, n, bytes, x, xs, y, ys, nullptr);
}
int cublasGetVector(int n, int bytes, const void* x, int xs, void* y, int ys) {
  return move(1, n, bytes, x, xs, y, ys, nullptr);
}
int cublasSetVectorAsync(int n, int bytes, const void* x, int xs, void* y, int ys, Stream* s) {
  return move(1, n, bytes, x, xs, y, ys, s);
}
int cublasGetVectorAsync(int n, int bytes, const void* x, int xs, void* y, int ys, Stream* s) {
  return move(1, n, bytes, x, xs, y, ys, s);
}
int cublasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return move(rows, columns, bytes, a, lda, b, ldb, nullptr);
}
int cublasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return move(rows, columns, bytes, a, lda, b, ldb, nullptr);
}

// Both precisions of a call. `T` is float or double.
#define WARPMEM_BLAS(L, l, T)                                                                     \
  int cublas##L##axpy_v2(Handle* h, int n, const T* alpha, const T* x, int xs, T* y, int ys) {    \
    return axpy(h, n, alpha, x, xs, y, ys);                                                       \
  }                                                                                               \
  int cublas##L##dot_v2(Handle* h, int n, const T* x, int xs, const T* y, int ys, T* out) {       \
    return dot(h, n, x, xs, y, ys, out);                                                          \
  }                                                                                               \
  int cublas##L##nrm2_v2(Handle* h, int n, const T* x, int xs, T* out) {                          \
    return norm(h, n, x, xs, out);                                                                \
  }                                                                                               \
  int cublas##L##asum_v2(Handle* h, int n, const T* x, int xs, T* out) {                          \
    return absolute_sum(h, n, x, xs, out);                                                        \
  }                                                                                               \
  int cublasI##l##amax_v2(Handle* h, int n, const T* x, int xs, int* out) {                       \
    return extreme(h, n, x, xs, out, true);                                                       \
  }                                                                                               \
  int cublasI##l##amin_v2(Handle* h, int n, const T* x, int xs, int* out) {                       \
    return extreme(h, n, x, xs, out, false);                                                      \
  }                                                                                               \
  int cublas##L##scal_v2(Handle* h, int n, const T* alpha, T* x, int xs) {                        \
    return scale(h, n, alpha, x, xs);                                                             \
  }                                                                                               \
  int cublas##L##copy_v2(Handle* h, int n, const T* x, int xs, T* y, int ys) {                    \
    return copy(h, n, x, xs, y, ys);                                                              \
  }                                                                                               \
  int cublas##L##swap_v2(Handle* h, int n, T* x, int xs, T* y, int ys) {                          \
    return swap(h, n, x, xs, y, ys);                                                              \
  }                                                                                               \
  int cublas##L##gemv_v2(Handle* h, int op, int m, int n, const T* alpha, const T* a, int lda,    \
                         const T* x, int xs, const T* beta, T* y, int ys) {                       \
    return gemv(h, op, m, n, alpha, a, lda, x, xs, beta, y, ys);                                  \
  }                                                                                               \
  int cublas##L##ger_v2(Handle* h, int m, int n, const T* alpha, const T* x, int xs, const T* y,  \
                        int ys, T* a, int lda) {                                                  \
    return ger(h, m, n, alpha, x, xs, y, ys, a, lda);                                             \
  }                                                                                               \
  int cublas##L##geam(Handle* h, int left, int right, int m, int n, const T* alpha, const T* a,   \
                      int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {               \
    return geam(h, left, right, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                       \
  }                                                                                               \
  int cublas##L##dgmm(Handle* h, int side, int m, int n, const T* a, int lda, const T* x, int xs, \
                      T* c, int ldc) {                                                            \
    return dgmm(h, side, m, n, a, lda, x, xs, c, ldc);                                            \
  }                                                                                               \
  int cublas##L##syrk_v2(Handle* h, int uplo, int op, int n, int k, const T* alpha, const T* a,   \
                         int lda, const T* beta, T* c, int ldc) {                                 \
    return syrk(h, uplo, op, n, k, alpha, a, lda, beta, c, ldc);                                  \
  }                                                                                               \
  int cublas##L##trsm_v2(Handle* h, int side, int uplo, int op, int diagonal, int m, int n,       \
                         const T* alpha, const T* a, int lda, T* b, int ldb) {                    \
    return trsm(h, side, uplo, op, diagonal, m, n, alpha, a, lda, b, ldb);                        \
  }
WARPMEM_BLAS(S, s, float)
WARPMEM_BLAS(D, d, double)

}  // extern "C"
