// libcublas: products of matrices, of float, double, half, bfloat16 and 8-bit integers.
//
// Sums of floats and halves are sums of floats in order; cuBLAS takes another order.
#include <algorithm>

#include "emulate/executor/half.hpp"
#include "emulate/libraries/blas.hpp"
#include "emulate/libraries/cublas.hpp"

using namespace warpmem;
using namespace warpmem::cublas;

namespace {

template <class T>
constexpr Type type_of() {
  return sizeof(T) == 8 ? kDouble : kFloat;
}
template <class T>
constexpr Sum sum_of() {
  return sizeof(T) == 8 ? Sum::kDouble : Sum::kFloat;
}
bool known(Type t) { return element_bytes(t) != 0; }

struct Product {
  int left, right, m, n, k;  // operations: 0 as it is, 1 transposed, 2 conjugated and transposed
  double alpha;
  const void* a;
  Type a_type;
  int lda;
  const void* b;
  Type b_type;
  int ldb;
  double beta;
  void* c;
  Type c_type;
  int ldc;
  Sum sum;
};
int run(Handle* h, const Product& p) {
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.left < 0 || p.left > 2 || p.right < 0 || p.right > 2 ||
      p.lda < std::max(1, p.left == 0 ? p.m : p.k) ||
      p.ldb < std::max(1, p.right == 0 ? p.k : p.n) || p.ldc < std::max(1, p.m))
    return h ? kInvalidValue : kNotInitialized;
  if (!known(p.a_type) || !known(p.b_type) || !known(p.c_type)) return kNotSupported;
  if (p.m == 0 || p.n == 0) return kDone;
  const int code = p.k == 0 ? start(h, p.c) : start(h, p.a, p.b, p.c);
  if (code == kDone)
    multiply(p.m, p.n, p.k, p.alpha, {p.a, p.a_type, p.lda, p.left != 0},
             {p.b, p.b_type, p.ldb, p.right != 0}, p.beta, p.c, p.c_type, p.ldc, p.sum);
  return code;
}
const char* moved(const void* at, Type type, long long by) {
  return static_cast<const char*>(at) + by * static_cast<long long>(element_bytes(type));
}
int run_batch(Handle* h, Product p, long long a_step, long long b_step, long long c_step,
              int count) {
  const Product first = p;
  for (int i = 0; i < count; ++i) {
    p.a = moved(first.a, p.a_type, a_step * i), p.b = moved(first.b, p.b_type, b_step * i);
    p.c = const_cast<char*>(moved(first.c, p.c_type, c_step * i));
    if (const int code = run(h, p); code != kDone) return code;
  }
  return count < 0 ? kInvalidValue : kDone;
}
int run_array(Handle* h, Product p, const void* const* a, const void* const* b, void* const* c,
              int count) {
  if (count > 0 && !(on_gpu(a) && on_gpu(b) && on_gpu(c))) return kExecutionFailed;
  for (int i = 0; i < count; ++i) {
    p.a = a[i], p.b = b[i], p.c = c[i];
    if (const int code = run(h, p); code != kDone) return code;
  }
  return count < 0 ? kInvalidValue : kDone;
}

// GemmEx: alpha and beta are of the type that products are added in.
bool sum_of(int compute, Sum& sum, Type& scale) {
  if (compute == 64 || compute == 65) return sum = Sum::kFloat, scale = kHalf, true;
  if (compute == 70 || compute == 71) return sum = Sum::kDouble, scale = kDouble, true;
  if (compute == 72 || compute == 73) return sum = Sum::kInt32, scale = kInt32, true;
  if (compute == 68 || compute == 69 || (compute >= 74 && compute <= 78))
    return sum = Sum::kFloat, scale = kFloat, true;
  return false;
}

}  // namespace

extern "C" {

#define WARPMEM_BLAS(L, T)                                                                         \
  int cublas##L##gemm_v2(Handle* h, int left, int right, int m, int n, int k, const T* alpha,      \
                         const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) { \
    return run(h, {left, right, m, n, k, *alpha, a, type_of<T>(), lda, b, type_of<T>(), ldb,       \
                   *beta, c, type_of<T>(), ldc, sum_of<T>()});                                     \
  }                                                                                                \
  int cublas##L##gemmStridedBatched(Handle* h, int left, int right, int m, int n, int k,           \
                                    const T* alpha, const T* a, int lda, long long as, const T* b, \
                                    int ldb, long long bs, const T* beta, T* c, int ldc,           \
                                    long long cs, int count) {                                     \
    return run_batch(h,                                                                            \
                     {left, right, m, n, k, *alpha, a, type_of<T>(), lda, b, type_of<T>(), ldb,    \
                      *beta, c, type_of<T>(), ldc, sum_of<T>()},                                   \
                     as, bs, cs, count);                                                           \
  }                                                                                                \
  int cublas##L##gemmBatched(Handle* h, int left, int right, int m, int n, int k, const T* alpha,  \
                             const T* const* a, int lda, const T* const* b, int ldb,               \
                             const T* beta, T* const* c, int ldc, int count) {                     \
    return run_array(h,                                                                            \
                     {left, right, m, n, k, *alpha, nullptr, type_of<T>(), lda, nullptr,           \
                      type_of<T>(), ldb, *beta, nullptr, type_of<T>(), ldc, sum_of<T>()},          \
                     reinterpret_cast<const void* const*>(a),                                      \
                     reinterpret_cast<const void* const*>(b), reinterpret_cast<void* const*>(c),   \
                     count);                                                                       \
  }
WARPMEM_BLAS(S, float)
WARPMEM_BLAS(D, double)

int cublasHgemm(Handle* h, int left, int right, int m, int n, int k, const std::uint16_t* alpha,
                const void* a, int lda, const void* b, int ldb, const std::uint16_t* beta, void* c,
                int ldc) {
  return run(h, {left, right, m, n, k, emulate::half_value(*alpha), a, kHalf, lda, b, kHalf, ldb,
                 emulate::half_value(*beta), c, kHalf, ldc, Sum::kFloat});
}
int cublasHgemmStridedBatched(Handle* h, int left, int right, int m, int n, int k,
                              const std::uint16_t* alpha, const void* a, int lda, long long as,
                              const void* b, int ldb, long long bs, const std::uint16_t* beta,
                              void* c, int ldc, long long cs, int count) {
  return run_batch(h,
                   {left, right, m, n, k, emulate::half_value(*alpha), a, kHalf, lda, b, kHalf, ldb,
                    emulate::half_value(*beta), c, kHalf, ldc, Sum::kFloat},
                   as, bs, cs, count);
}
int cublasSgemmEx(Handle* h, int left, int right, int m, int n, int k, const float* alpha,
                  const void* a, Type a_type, int lda, const void* b, Type b_type, int ldb,
                  const float* beta, void* c, Type c_type, int ldc) {
  return run(h, {left, right, m, n, k, *alpha, a, a_type, lda, b, b_type, ldb, *beta, c, c_type,
                 ldc, Sum::kFloat});
}
int cublasGemmEx(Handle* h, int left, int right, int m, int n, int k, const void* alpha,
                 const void* a, Type a_type, int lda, const void* b, Type b_type, int ldb,
                 const void* beta, void* c, Type c_type, int ldc, int compute, int) {
  Sum sum{};
  Type scale{};
  if (!sum_of(compute, sum, scale)) return kNotSupported;
  return run(h, {left, right, m, n, k, element(alpha, scale, 0), a, a_type, lda, b, b_type, ldb,
                 element(beta, scale, 0), c, c_type, ldc, sum});
}
int cublasGemmStridedBatchedEx(Handle* h, int left, int right, int m, int n, int k,
                               const void* alpha, const void* a, Type a_type, int lda, long long as,
                               const void* b, Type b_type, int ldb, long long bs, const void* beta,
                               void* c, Type c_type, int ldc, long long cs, int count, int compute,
                               int) {
  Sum sum{};
  Type scale{};
  if (!sum_of(compute, sum, scale)) return kNotSupported;
  return run_batch(h,
                   {left, right, m, n, k, element(alpha, scale, 0), a, a_type, lda, b, b_type, ldb,
                    element(beta, scale, 0), c, c_type, ldc, sum},
                   as, bs, cs, count);
}
int cublasGemmBatchedEx(Handle* h, int left, int right, int m, int n, int k, const void* alpha,
                        const void* const* a, Type a_type, int lda, const void* const* b,
                        Type b_type, int ldb, const void* beta, void* const* c, Type c_type,
                        int ldc, int count, int compute, int) {
  Sum sum{};
  Type scale{};
  if (!sum_of(compute, sum, scale)) return kNotSupported;
  return run_array(h,
                   {left, right, m, n, k, element(alpha, scale, 0), nullptr, a_type, lda, nullptr,
                    b_type, ldb, element(beta, scale, 0), nullptr, c_type, ldc, sum},
                   a, b, c, count);
}

}  // extern "C"
