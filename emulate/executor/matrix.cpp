#include "emulate/executor/matrix.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "emulate/executor/half.hpp"

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

double half_fast(std::uint64_t bits) {
  const auto h = static_cast<std::uint32_t>(bits);
  if ((h & 0x7c00) == 0x7c00) return half_value(static_cast<std::uint16_t>(h));
  const float magnitude = bits_as<float>((h & 0x7fff) << 13) * 0x1p112f;
  return h & 0x8000 ? -magnitude : magnitude;
}

double float_value(Type t, std::uint64_t bits) {
  switch (t) {
    case Type::kF16: return half_fast(bits);
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
bool is_finite(double v) { return v - v == 0; }

double power_of_two(int e) {  // -1022 to 1023
  return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

float cut(double v) {  // to a float, towards zero; what is too large becomes infinite
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  constexpr std::uint64_t kBelow = (std::uint64_t{1} << 29) - 1;  // what a float's mantissa lacks
  if (exponent >= -126 && exponent < 128)
    return static_cast<float>(std::bit_cast<double>(bits & ~kBelow));
  auto f = static_cast<float>(v);
  if (exponent < 128 && std::fabs(static_cast<double>(f)) > std::fabs(v))
    f = std::nextafterf(f, 0.0f);
  return f;
}

// Values along k of a row of A or a column of B, with their exponents.
struct Factors {
  const double* value;
  const std::int32_t* exponent;
};
constexpr int kKept = 25;
constexpr std::uint32_t kStep = 16;  // products at most

// What one step does, all numbers being finite: `count` products added to the accumulator.
float plain_step(float accumulator, const Factors& x, const Factors& y, std::uint32_t count) {
  int top = exponent_of(accumulator, -126);
  for (std::uint32_t i = 0; i < count; ++i) {
    const int e = x.exponent[i] + y.exponent[i];  // of a product that is 0: far below all others
    top = e > top ? e : top;
  }
  if (top <= kNothing / 2) return 0;
  const double scale = power_of_two(kKept - top);
  double sum = std::trunc(accumulator * scale);
  for (std::uint32_t i = 0; i < count; ++i) sum += std::trunc(x.value[i] * y.value[i] * scale);
  return cut(sum * power_of_two(top - kKept));
}

#ifdef __x86_64__
// The same for 16 or 8 products on processors with AVX2.
__attribute__((target("avx2"))) float avx2_step(float accumulator, const Factors& x,
                                                const Factors& y, std::uint32_t count) {
  const auto exponents = [&](std::uint32_t i) __attribute__((target("avx2"))) {
    return _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x.exponent + i)),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y.exponent + i)));
  };
  __m256i most = exponents(0);
  if (count == 16) most = _mm256_max_epi32(most, exponents(8));
  __m128i m = _mm_max_epi32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
  m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
  m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1));
  const int own = exponent_of(accumulator, -126);
  const int top = own > _mm_cvtsi128_si32(m) ? own : _mm_cvtsi128_si32(m);
  if (top <= kNothing / 2) return 0;
  const __m256d scale = _mm256_set1_pd(power_of_two(kKept - top));
  __m256d sum = _mm256_setzero_pd();  // of integers below 2^53, so that their order does not matter
  for (std::uint32_t i = 0; i < count; i += 4) {
    const __m256d p = _mm256_mul_pd(_mm256_loadu_pd(x.value + i), _mm256_loadu_pd(y.value + i));
    sum = _mm256_add_pd(
        sum, _mm256_round_pd(_mm256_mul_pd(p, scale), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
  }
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
  const double products = _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  const double old = std::trunc(accumulator * power_of_two(kKept - top));
  return cut((products + old) * power_of_two(top - kKept));
}
#endif

float finite_step(float accumulator, const Factors& x, const Factors& y, std::uint32_t count) {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2 && (count == 16 || count == 8)) return avx2_step(accumulator, x, y, count);
#endif
  return plain_step(accumulator, x, y, count);
}

// One step. A NaN or an infinity says what comes out.
float step(float accumulator, const Factors& x, const Factors& y, std::uint32_t count,
           bool all_finite) {
  if (all_finite && is_finite(accumulator)) return finite_step(accumulator, x, y, count);
  double plain = accumulator;
  for (std::uint32_t i = 0; i < count; ++i) plain += x.value[i] * y.value[i];
  if (is_finite(plain)) return finite_step(accumulator, x, y, count);
  return plain != plain ? bits_as<float>(0x7fffffffu) : static_cast<float>(plain);
}

bool is_eight(Type t) { return t == Type::kE4m3 || t == Type::kE5m2; }

// Products of a row and a column of `length` elements, in the order of steps.
float dot(const MatrixProduct& p, std::uint32_t length, float c, const Factors& x, const Factors& y,
          bool all_finite) {
  const std::uint32_t most = is_eight(p.a) ? length / 2 : p.a == Type::kTf32 ? 8 : kStep;
  float sum = is_eight(p.a) ? 0 : c;
  for (std::uint32_t k = 0; k < length; k += most)
    for (std::uint32_t part = 0; part < most && k + part < length; part += kStep) {
      const std::uint32_t left = (k + most < length ? k + most : length) - k - part;
      sum = step(sum, {x.value + k + part, x.exponent + k + part},
                 {y.value + k + part, y.exponent + k + part}, left < kStep ? left : kStep,
                 all_finite);
    }
  if (!is_eight(p.a)) return sum;
  sum += c;
  return sum != sum ? bits_as<float>(0x7fffffffu) : sum;
}

// Where element `k` of a row of `length` stands in the order of steps: of four neighbours of 8 bits
// two are in the first step and two in the second.
std::uint32_t place_in_steps(const MatrixProduct& p, std::uint32_t k, std::uint32_t length) {
  return is_eight(p.a) ? k % 4 / 2 * (length / 2) + k / 4 * 2 + k % 2 : k;
}

// Where the elements of a fragment go, in order of registers, lanes and elements of a register: in
// A by rows and in B by columns (both in the order of steps along k), in C by rows.
using Places = std::vector<std::uint16_t>;
struct Layout {
  std::uint64_t key = 0;
  Places a, b, c;
};

template <class F>
Places places_of(const MatrixProduct& p, Fragment f, F place) {
  Places out;
  out.reserve(std::size_t{p.registers(f)} * 32 * p.per(f));
  for (std::uint32_t r = 0; r < p.registers(f); ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t e = 0; e < p.per(f); ++e)
        out.push_back(static_cast<std::uint16_t>(place(element_of(p, f, lane, r, e))));
  return out;
}

// The layouts met last; a kernel has one or two.
const Layout& layout_of(const MatrixProduct& p) {
  const std::uint64_t key = p.m | std::uint64_t{p.n} << 8 | std::uint64_t{p.k} << 20 |
                            std::uint64_t{static_cast<std::uint8_t>(p.a)} << 32 |
                            std::uint64_t{p.bits(Fragment::kC)} << 40 |
                            std::uint64_t{p.sparse} << 48 | std::uint64_t{1} << 63;
  thread_local Layout known[8];
  thread_local std::uint32_t next = 0;
  for (const Layout& l : known)
    if (l.key == key) return l;
  Layout& l = known[next++ % 8];
  const std::uint32_t kept = p.k_of(Fragment::kA);
  l.a = places_of(p, Fragment::kA,
                  [&](Element at) { return at.row * kept + place_in_steps(p, at.column, kept); });
  l.b = places_of(p, Fragment::kB, [&](Element at) {
    return at.column * p.k + (p.sparse ? at.row : place_in_steps(p, at.row, p.k));
  });
  l.c = places_of(p, Fragment::kC, [&](Element at) { return at.row * p.n + at.column; });
  l.key = key;
  return l;
}

// visit(place, bits) for all elements of a fragment.
template <class F>
void each_element(const MatrixProduct& p, Fragment f, const Places& places,
                  const std::uint8_t* const* registers, F visit) {
  const std::uint32_t count = p.registers(f), per = p.per(f), bytes = p.register_bytes(f),
                      width = p.bits(f);
  const std::uint64_t mask = width >= 32 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint16_t* place = places.data();
  for (std::uint32_t r = 0; r < count; ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::uint64_t v = 0;
      if (bytes == 8) std::memcpy(&v, registers[r] + std::size_t{lane} * 8, 8);
      else std::memcpy(&v, registers[r] + std::size_t{lane} * 4, 4);
      for (std::uint32_t e = 0; e < per; ++e, v >>= width & 31) visit(*place++, v & mask);
    }
}

// Buffers that each thread keeps.
struct Scratch {
  std::vector<double> x, y, met;
  std::vector<std::int32_t> ex, ey, emet;
};
Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

// `sums`: C by rows, which becomes D. `partner`: of a sparse A, rows of k / 2 columns.
void multiply_integers(const MatrixProduct& p, const Layout& layout, const std::uint8_t* const* a,
                       const std::uint8_t* const* b, const std::uint32_t* partner,
                       std::uint64_t* sums) {
  const std::uint32_t kept = p.k_of(Fragment::kA);
  Scratch& s = scratch();
  s.ex.resize(std::size_t{p.m} * kept), s.ey.resize(std::size_t{p.n} * p.k), s.emet.resize(kept);
  std::int32_t *u = s.ex.data(), *v = s.ey.data(), *met = s.emet.data();
  each_element(p, Fragment::kA, layout.a, a,
               [&](std::uint32_t at, std::uint64_t bits) { u[at] = integer_value(p.a, bits); });
  each_element(p, Fragment::kB, layout.b, b,
               [&](std::uint32_t at, std::uint64_t bits) { v[at] = integer_value(p.b, bits); });
  for (std::uint32_t i = 0; i < p.m; ++i)
    for (std::uint32_t j = 0; j < p.n; ++j) {
      const std::int32_t *x = u + std::size_t{i} * kept, *y = v + std::size_t{j} * p.k;
      if (p.sparse) {
        for (std::uint32_t k = 0; k < kept; ++k) met[k] = y[partner[i * kept + k]];
        y = met;
      }
      std::uint64_t& out = sums[i * p.n + j];
      std::int32_t products = 0;  // of bytes and less: far from 32 bits
      if (p.a != Type::kB1)
        for (std::uint32_t k = 0; k < kept; ++k) products += x[k] * y[k];
      else if (p.ands)
        for (std::uint32_t k = 0; k < kept; ++k) products += x[k] & y[k];
      else
        for (std::uint32_t k = 0; k < kept; ++k) products += x[k] ^ y[k];
      std::int64_t sum = std::int64_t{static_cast<std::int32_t>(out)} + products;
      if (p.saturates)
        sum = sum > 0x7fffffff ? 0x7fffffff : sum < -0x80000000ll ? -0x80000000ll : sum;
      out = static_cast<std::uint32_t>(sum);
    }
}

// Values of a fragment and what they are aligned by. Whether all are finite.
template <class Value>
bool load_floats(const MatrixProduct& p, Fragment f, const Places& places,
                 const std::uint8_t* const* registers, double* values, std::int32_t* exponents,
                 Value value) {
  const int least = least_exponent(f == Fragment::kA ? p.a : p.b);
  bool finite = true;
  each_element(p, f, places, registers, [&](std::uint32_t at, std::uint64_t bits) {
    const double v = value(bits);
    values[at] = v, exponents[at] = exponent_of(v, least);
    finite &= is_finite(v);
  });
  return finite;
}
bool load_floats(const MatrixProduct& p, Fragment f, const Places& places,
                 const std::uint8_t* const* registers, double* values, std::int32_t* exponents) {
  const Type type = f == Fragment::kA ? p.a : p.b;
  const auto load = [&](auto value) {
    return load_floats(p, f, places, registers, values, exponents, value);
  };
  switch (type) {  // so that the conversion is part of the loop
    case Type::kF16: return load([](std::uint64_t bits) { return half_fast(bits); });
    case Type::kBf16:
      return load([](std::uint64_t bits) {
        return double{bits_as<float>(static_cast<std::uint32_t>(bits) << 16)};
      });
    case Type::kTf32:
      return load([](std::uint64_t bits) {
        return double{bits_as<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u)};
      });
    default: return load([type](std::uint64_t bits) { return float_value(type, bits); });
  }
}

void multiply_floats(const MatrixProduct& p, const Layout& layout, const std::uint8_t* const* a,
                     const std::uint8_t* const* b, const std::uint32_t* partner,
                     std::uint64_t* sums) {
  const std::uint32_t kept = p.k_of(Fragment::kA);
  Scratch& s = scratch();
  s.x.resize(std::size_t{p.m} * kept), s.y.resize(std::size_t{p.n} * p.k), s.met.resize(kept);
  s.ex.resize(s.x.size()), s.ey.resize(s.y.size()), s.emet.resize(kept);
  double *x = s.x.data(), *y = s.y.data(), *met = s.met.data();
  std::int32_t *ex = s.ex.data(), *ey = s.ey.data(), *emet = s.emet.data();
  bool all_finite = load_floats(p, Fragment::kA, layout.a, a, x, ex);
  all_finite &= load_floats(p, Fragment::kB, layout.b, b, y, ey);
  for (std::uint32_t i = 0; i < p.m; ++i) {
    const Factors row{x + std::size_t{i} * kept, ex + std::size_t{i} * kept};
    for (std::uint32_t j = 0; j < p.n; ++j) {
      std::uint64_t& out = sums[i * p.n + j];
      Factors column{y + std::size_t{j} * p.k, ey + std::size_t{j} * p.k};
      if (p.accumulator == Type::kF64) {
        double sum = bits_as<double>(out);
        for (std::uint32_t k = 0; k < p.k; ++k) sum = std::fma(row.value[k], column.value[k], sum);
        out = bits_as<std::uint64_t>(sum);
        continue;
      }
      if (p.sparse) {
        for (std::uint32_t k = 0; k < kept; ++k) {
          const std::uint32_t from = partner[i * kept + k];
          met[k] = column.value[from], emet[k] = column.exponent[from];
        }
        column = {met, emet};
      }
      const float old = p.accumulator == Type::kF32
                            ? bits_as<float>(static_cast<std::uint32_t>(out))
                            : static_cast<float>(half_fast(out));
      const float sum = dot(p, kept, old, row, column, all_finite);
      out = p.result == Type::kF16 ? half_of(sum) : bits_as<std::uint32_t>(sum);
    }
  }
}

}  // namespace

std::uint32_t MatrixProduct::bits(Fragment f) const {
  return bits_of(f == Fragment::kA ? a : f == Fragment::kB ? b : accumulator);
}

std::uint32_t MatrixProduct::registers(Fragment f) const {
  const std::uint32_t elements = f == Fragment::kA   ? m * k_of(f)
                                 : f == Fragment::kB ? k * n
                                                     : m * n;
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
  const std::uint32_t per = p.per(f), parts = p.k_of(f) / (4 * per);
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

// Four bits say which two of four neighbours along k are there; neighbours are elements, pairs of
// 4-bit integers, or halves of a tf32. Rows come in the order of the manual: 16-bit and tf32
// elements have 16 bits of each of two rows in a register, smaller ones 32 bits of one row.
std::uint32_t sparse_column(const MatrixProduct& p, const std::uint32_t* metadata,
                            std::uint32_t row, std::uint32_t kept) {
  const std::uint32_t width = p.bits(Fragment::kA);
  const std::uint32_t group = row % 8 * 4, high = row / 8;  // lanes of this row; row g or g + 8
  const std::uint32_t unit = width == 32  ? 2 * kept
                             : width == 4 ? kept / 2
                                          : kept;         // of those there
  const std::uint32_t bit = unit / 2 * 4 + unit % 2 * 2;  // of the row's metadata
  std::uint32_t index = 0;
  if (width >= 16) {
    const std::uint32_t lanes = width == 32 ? p.k / 8 : p.k / 16;
    index = metadata[group + p.selector * lanes + bit / 16] >> (high * 16 + bit % 16) & 3;
  } else {
    const bool all = p.k * width == 512;  // all four lanes, or two that the selector names
    index = metadata[group + 2 * (all ? bit / 32 : p.selector) + high] >> (bit % 32) & 3;
  }
  if (width == 32) return kept * 2 + index / 2;
  if (width == 4) return kept / 4 * 8 + index * 2 + kept % 2;
  return kept / 2 * 4 + index;
}

void multiply(const MatrixProduct& p, const std::uint8_t* const* a, const std::uint8_t* const* b,
              const std::uint8_t* const* c, std::uint8_t* const* d, const std::uint32_t* metadata) {
  const Layout& layout = layout_of(p);
  const std::uint32_t kept = p.k_of(Fragment::kA);
  // Of a sparse A: which elements of B's columns meet those of a row.
  thread_local std::vector<std::uint32_t> kept_partner;
  std::vector<std::uint32_t>& partner = kept_partner;
  if (p.sparse) {
    partner.resize(std::size_t{p.m} * kept);
    for (std::uint32_t row = 0; row < p.m; ++row)
      for (std::uint32_t l = 0; l < kept; ++l)
        partner[row * kept + place_in_steps(p, l, kept)] = sparse_column(p, metadata, row, l);
  }
  // D may share registers with C: all of C is read before D is written.
  thread_local std::vector<std::uint64_t> kept_sums;
  kept_sums.resize(std::size_t{p.m} * p.n);
  std::uint64_t* sums = kept_sums.data();
  each_element(p, Fragment::kC, layout.c, c,
               [&](std::uint32_t at, std::uint64_t bits) { sums[at] = bits; });
  if (is_integer(p.a)) {
    multiply_integers(p, layout, a, b, partner.data(), sums);
  } else {
    multiply_floats(p, layout, a, b, partner.data(), sums);
  }
  MatrixProduct q = p;  // wmma may give floats for halves, or halves for floats
  q.accumulator = p.result;
  const std::uint32_t per = q.per(Fragment::kC), bytes = q.bits(Fragment::kC) / 8,
                      stride = q.register_bytes(Fragment::kC);
  const std::uint16_t* place = layout.c.data();
  const std::uint32_t c_per = p.per(Fragment::kC), c_count = p.registers(Fragment::kC);
  for (std::uint32_t r = 0; r < c_count; ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t e = 0; e < c_per; ++e) {
        const std::uint32_t i = r * c_per + e;
        std::memcpy(d[i / per] + std::size_t{lane} * stride + i % per * bytes, &sums[*place++],
                    bytes);
      }
}

}  // namespace warpmem::emulate
