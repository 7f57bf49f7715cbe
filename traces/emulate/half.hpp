// 16-bit floats: IEEE half (5 exponent bits, 10 of mantissa) and bfloat16 (8 and 7), by integer
// arithmetic, so that every rounding mode is exact and no instruction set is needed.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpmem::emulate {

enum Rounding : std::uint32_t { kNearest = 0, kZero = 1, kDown = 2, kUp = 3, kAway = 4 };

template <class To, class From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// double -> a float of kExponent and kMantissa bits, packed low. One rounding.
template <int kExponent, int kMantissa>
inline std::uint32_t narrow(double value, std::uint32_t mode) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  constexpr std::uint32_t kInfinity = ((1u << kExponent) - 1) << kMantissa;
  const auto bits = bits_as<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (kExponent + kMantissa);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude > 0x7ff0000000000000u) return kInfinity | ((1u << kMantissa) - 1);  // canonical NaN: 0x7fff
  if (magnitude == 0x7ff0000000000000u) return sign | kInfinity;
  if (magnitude == 0) return sign;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  std::uint64_t mantissa = (magnitude & 0xfffffffffffffu) | (magnitude >> 52 ? std::uint64_t{1} << 52 : 0);
  int shift = 52 - kMantissa;
  int biased = exponent + kBias;
  if (biased <= 0) shift += 1 - biased, biased = 0;
  if (shift > 63) shift = 63;
  const std::uint64_t kept = mantissa >> shift, lost = mantissa & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  bool up = false;
  switch (mode) {
    case kNearest: up = lost > half || (lost == half && (kept & 1)); break;
    case kAway: up = lost >= half; break;
    case kDown: up = lost != 0 && sign; break;
    case kUp: up = lost != 0 && !sign; break;
    default: break;
  }
  const std::uint64_t rounded = kept + up;
  std::uint64_t out = biased == 0 ? rounded : (static_cast<std::uint64_t>(biased) << kMantissa) + rounded - (std::uint64_t{1} << kMantissa);
  if (out >= kInfinity) {
    const bool to_infinity = mode == kNearest || mode == kAway || (mode == kUp && !sign) || (mode == kDown && sign);
    out = to_infinity ? kInfinity : kInfinity - 1;
  }
  return sign | static_cast<std::uint32_t>(out);
}

template <int kExponent, int kMantissa>
inline double widen(std::uint32_t bits) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  const std::uint64_t sign = static_cast<std::uint64_t>(bits >> (kExponent + kMantissa) & 1) << 63;
  const std::uint32_t exponent = bits >> kMantissa & ((1u << kExponent) - 1);
  const std::uint64_t mantissa = bits & ((1u << kMantissa) - 1);
  if (exponent == (1u << kExponent) - 1)
    return bits_as<double>(sign | 0x7ff0000000000000u | mantissa << (52 - kMantissa));
  if (exponent == 0) {
    const double value = static_cast<double>(mantissa) * bits_as<double>(static_cast<std::uint64_t>(1023 + 1 - kBias - kMantissa) << 52);
    return bits_as<double>(sign | bits_as<std::uint64_t>(value));
  }
  return bits_as<double>(sign | static_cast<std::uint64_t>(exponent - kBias + 1023) << 52 | mantissa << (52 - kMantissa));
}

inline std::uint16_t half_of(double v, std::uint32_t mode = kNearest) { return static_cast<std::uint16_t>(narrow<5, 10>(v, mode)); }
inline std::uint16_t bfloat_of(double v, std::uint32_t mode = kNearest) { return static_cast<std::uint16_t>(narrow<8, 7>(v, mode)); }
inline double half_value(std::uint16_t h) { return widen<5, 10>(h); }
inline double bfloat_value(std::uint16_t h) { return bits_as<float>(static_cast<std::uint32_t>(h) << 16); }

// a * b + c rounded to odd in double: rounding the result again to 24 bits or fewer is exact.
inline double fma_odd(double a, double b, double c) {
  const double p = a * b;  // exact: the factors have at most 26 bits
  const double s = p + c;
  if (!(s - s == 0)) return s;  // infinite or NaN
  const double bb = s - p;
  const double error = (p - (s - bb)) + (c - bb);
  auto bits = bits_as<std::uint64_t>(s);
  if (error != 0 && (bits & 1) == 0) {
    const bool grow = (error > 0) == (s > 0);
    bits = grow ? bits + 1 : bits - 1;
  }
  return bits_as<double>(bits);
}

}  // namespace warpmem::emulate
