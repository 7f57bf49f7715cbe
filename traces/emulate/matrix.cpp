#include "traces/emulate/matrix.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "traces/emulate/half.hpp"

namespace warpmem::emulate {
namespace {

bool is_integer(Type t) {
  return t == Type::kU8 || t == Type::kS8 || t == Type::kU4 || t == Type::kS4 || t == Type::kB1;
}

std::uint32_t bits_of(Type t) {
  switch (t) {
    case Type::kB1: return 1;
    case Type::kU4:
    case Type::kS4: return 4;
    case Type::kTf32: return 32;
    default: return size_of(t) * 8;
  }
}

double float_value(Type t, std::uint64_t bits) {
  switch (t) {
    case Type::kF16: return half_value(static_cast<std::uint16_t>(bits));
    case Type::kBf16: return bfloat_value(static_cast<std::uint16_t>(bits));
    case Type::kTf32: return bits_as<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u);
    case Type::kE4m3: return e4m3_value(static_cast<std::uint8_t>(bits));
    case Type::kE5m2: return e5m2_value(static_cast<std::uint8_t>(bits));
    case Type::kF32: return bits_as<float>(static_cast<std::uint32_t>(bits));
    default: return bits_as<double>(bits);
  }
}
std::int32_t integer_value(Type t, std::uint64_t bits) {
  switch (t) {
    case Type::kU8: return static_cast<std::uint8_t>(bits);
    case Type::kS8: return static_cast<std::int8_t>(bits);
    case Type::kU4: return static_cast<std::int32_t>(bits & 15);
    case Type::kS4: return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) << 28) >> 28;
    default: return static_cast<std::int32_t>(bits & 1);
  }
}

// The exponent as hardware aligns by: a denormal's is the least there is.
constexpr int kNothing = -100000;
int exponent_of(double v, int least) {
  if (v == 0) return kNothing;
  const int e = static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 52 & 0x7ff) - 1023;
  return e < least ? least : e;
}
int least_exponent(Type t) {
  switch (t) {
    case Type::kF16:
    case Type::kE4m3:
    case Type::kE5m2: return -14;  // 8-bit floats as halves
    default: return -126;
  }
}

float cut(double v) {  // to a float, towards zero
  auto f = static_cast<float>(v);
  if (std::fabs(static_cast<double>(f)) > std::fabs(v)) f = std::nextafterf(f, 0.0f);
  return f;
}

// One step: `count` products added to the accumulator.
float step(float accumulator, const double* x, const double* y, std::uint32_t count, int least_x,
           int least_y) {
  constexpr int kKept = 25;
  int top = exponent_of(accumulator, -126);
  double plain = accumulator;  // says whether it is a NaN or infinite
  int exponents[16];
  for (std::uint32_t i = 0; i < count; ++i) {
    const double p = x[i] * y[i];
    plain += p;
    exponents[i] = p == 0 ? kNothing : exponent_of(x[i], least_x) + exponent_of(y[i], least_y);
    top = exponents[i] > top ? exponents[i] : top;
  }
  if (!(plain - plain == 0))
    return plain != plain ? bits_as<float>(0x7fffffffu) : static_cast<float>(plain);
  if (top == kNothing) return 0;
  const double scale = std::ldexp(1.0, kKept - top);
  double sum = std::trunc(accumulator * scale);
  for (std::uint32_t i = 0; i < count; ++i) sum += std::trunc(x[i] * y[i] * scale);
  return cut(std::ldexp(sum, top - kKept));
}

float dot(const MatrixProduct& p, float c, const double* x, const double* y) {
  const int lx = least_exponent(p.a), ly = least_exponent(p.b);
  if (p.a == Type::kE4m3 || p.a == Type::kE5m2) {
    float acc = 0;
    for (std::uint32_t first = 0; first < 4;
         first += 2) {  // of four neighbours two, then the others
      double u[16], v[16];
      std::uint32_t count = 0;
      for (std::uint32_t k = 0; k < p.k; ++k)
        if (k % 4 / 2 * 2 == first) u[count] = x[k], v[count++] = y[k];
      acc = step(acc, u, v, count, lx, ly);
    }
    const float sum = c + acc;
    return sum != sum ? bits_as<float>(0x7fffffffu) : sum;
  }
  const std::uint32_t most = p.a == Type::kTf32 ? 8 : 16;
  for (std::uint32_t k = 0; k < p.k; k += most)
    c = step(c, x + k, y + k, p.k - k < most ? p.k - k : most, lx, ly);
  return c;
}

std::uint64_t read(const std::uint8_t* const* registers, const MatrixProduct& p, Fragment f,
                   std::uint32_t lane, std::uint32_t r, std::uint32_t e) {
  const std::uint32_t bytes = p.register_bytes(f), width = p.bits(f);
  std::uint64_t v = 0;
  std::memcpy(&v, registers[r] + std::size_t{lane} * bytes, bytes);
  if (width >= 32) return v;
  return v >> (e * width) & ((std::uint64_t{1} << width) - 1);
}

// f(lane, register, element) for all of a fragment.
template <class F>
void each_element(const MatrixProduct& p, Fragment f, F visit) {
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t r = 0; r < p.registers(f); ++r)
      for (std::uint32_t e = 0; e < p.per(f); ++e) visit(lane, r, e, element_of(p, f, lane, r, e));
}

}  // namespace

std::uint32_t MatrixProduct::bits(Fragment f) const {
  return bits_of(f == Fragment::kA ? a : f == Fragment::kB ? b : accumulator);
}

std::uint32_t MatrixProduct::registers(Fragment f) const {
  const std::uint32_t elements = f == Fragment::kA ? m * k : f == Fragment::kB ? k * n : m * n;
  return elements / 32 / per(f);
}

// Lanes in eight groups of four: a group has a row (or a column), its lanes parts along k.
Element element_of(const MatrixProduct& p, Fragment f, std::uint32_t lane, std::uint32_t r,
                   std::uint32_t e) {
  const std::uint32_t g = lane / 4, t = lane % 4;
  const bool turned = p.m == 8 && p.n == 32;  // computed as the transposed product
  if (f == Fragment::kC) {
    const std::uint32_t i = r * p.per(f) + e;
    if (turned) return {2 * t + i % 2, g + 8 * (i / 2)};
    const std::uint32_t block = i / 4;
    return {g + 8 * (i / 2 % 2) + (p.n == 8 ? 16 * block : 0),
            2 * t + i % 2 + (p.n == 8 ? 0 : 8 * block)};
  }
  const std::uint32_t per = p.per(f), parts = p.k / (4 * per);
  const auto along = [&](std::uint32_t part) { return part * 4 * per + t * per + e; };
  // The side with 16 or more rows has them in pairs of registers; the other goes along k first.
  if ((f == Fragment::kA) != turned && (turned ? p.n : p.m) >= 16) {
    const std::uint32_t major = g + 8 * (r % 2) + 16 * (r / 2 / parts),
                        minor = along(r / 2 % parts);
    return f == Fragment::kA ? Element{major, minor} : Element{minor, major};
  }
  const std::uint32_t major = g + 8 * (r / parts), minor = along(r % parts);
  return f == Fragment::kA ? Element{major, minor} : Element{minor, major};
}

void multiply(const MatrixProduct& p, const std::uint8_t* const* a, const std::uint8_t* const* b,
              const std::uint8_t* const* c, std::uint8_t* const* d) {
  const bool whole = is_integer(p.a);
  // A by rows, B by columns: both run along k.
  thread_local std::vector<double> x, y;
  thread_local std::vector<std::int32_t> u, v;
  if (whole) u.assign(std::size_t{p.m} * p.k, 0), v.assign(std::size_t{p.n} * p.k, 0);
  else x.assign(std::size_t{p.m} * p.k, 0), y.assign(std::size_t{p.n} * p.k, 0);
  each_element(p, Fragment::kA,
               [&](std::uint32_t lane, std::uint32_t r, std::uint32_t e, Element at) {
                 const std::uint64_t bits = read(a, p, Fragment::kA, lane, r, e);
                 if (whole) u[at.row * p.k + at.column] = integer_value(p.a, bits);
                 else x[at.row * p.k + at.column] = float_value(p.a, bits);
               });
  each_element(p, Fragment::kB,
               [&](std::uint32_t lane, std::uint32_t r, std::uint32_t e, Element at) {
                 const std::uint64_t bits = read(b, p, Fragment::kB, lane, r, e);
                 if (whole) v[at.column * p.k + at.row] = integer_value(p.b, bits);
                 else y[at.column * p.k + at.row] = float_value(p.b, bits);
               });
  // D may share registers with C: one element is read and written before the next.
  struct Store {
    std::uint8_t* at;
    std::uint64_t value;
    std::uint32_t bytes;
  };
  thread_local std::vector<Store> stores;
  stores.clear();
  MatrixProduct q = p;
  q.accumulator = p.result;
  each_element(
      p, Fragment::kC, [&](std::uint32_t lane, std::uint32_t r, std::uint32_t e, Element at) {
        const std::uint64_t bits = read(c, p, Fragment::kC, lane, r, e);
        std::uint64_t out = 0;
        if (whole) {
          std::int64_t sum = static_cast<std::int32_t>(bits);
          for (std::uint32_t k = 0; k < p.k; ++k) {
            const std::int32_t s = u[at.row * p.k + k], t = v[at.column * p.k + k];
            sum += p.a == Type::kB1 ? (p.ands ? s & t : s ^ t) : s * t;
          }
          if (p.saturates)
            sum = sum > 0x7fffffff ? 0x7fffffff : sum < -0x80000000ll ? -0x80000000ll : sum;
          out = static_cast<std::uint32_t>(sum);
        } else if (p.accumulator == Type::kF64) {
          double sum = bits_as<double>(bits);
          for (std::uint32_t k = 0; k < p.k; ++k)
            sum = std::fma(x[at.row * p.k + k], y[at.column * p.k + k], sum);
          out = bits_as<std::uint64_t>(sum);
        } else {
          const auto acc = static_cast<float>(float_value(p.accumulator, bits));
          const float sum = dot(p, acc, &x[at.row * p.k], &y[at.column * p.k]);
          out = p.result == Type::kF16 ? half_of(sum) : bits_as<std::uint32_t>(sum);
        }
        const std::uint32_t i = r * p.per(Fragment::kC) + e, per = q.per(Fragment::kC),
                            bytes = q.bits(Fragment::kC) / 8;
        stores.push_back(
            {d[i / per] + std::size_t{lane} * q.register_bytes(Fragment::kC) + i % per * bytes, out,
             bytes});
      });
  for (const Store& s : stores) std::memcpy(s.at, &s.value, s.bytes);
}

}  // namespace warpmem::emulate
