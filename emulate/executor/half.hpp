// 16-bit floats: IEEE half (5 exponent bits, 10 of mantissa) and bfloat16 (8 and 7), by integer
// arithmetic, so that every rounding mode is exact and no instruction set is needed; and the 8-bit
// floats of the same making.
//
// Everything here is static: lanes/ compiles it for AVX2 too, and with external linkage the linker
// could keep that copy for everybody, on processors that have no AVX2.
#pragma once

#include <cstdint>
#include <cstring>

namespace warpmem::emulate {

enum Rounding : std::uint32_t { kNearest = 0, kZero = 1, kDown = 2, kUp = 3, kAway = 4 };

template <class To, class From>
static inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// double -> a float of kExponent and kMantissa bits, packed low. One rounding.
template <int kExponent, int kMantissa>
static inline std::uint32_t narrow(double value, std::uint32_t mode) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  constexpr std::uint32_t kInfinity = ((1u << kExponent) - 1) << kMantissa;
  const auto bits = bits_as<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (kExponent + kMantissa);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude > 0x7ff0000000000000u)
    return kInfinity | ((1u << kMantissa) - 1);  // canonical NaN: 0x7fff
  if (magnitude == 0x7ff0000000000000u) return sign | kInfinity;
  if (magnitude == 0) return sign;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  std::uint64_t mantissa =
      (magnitude & 0xfffffffffffffu) | (magnitude >> 52 ? std::uint64_t{1} << 52 : 0);
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
  std::uint64_t out = biased == 0 ? rounded
                                  : (static_cast<std::uint64_t>(biased) << kMantissa) + rounded -
                                        (std::uint64_t{1} << kMantissa);
  if (out >= kInfinity) {
    const bool to_infinity =
        mode == kNearest || mode == kAway || (mode == kUp && !sign) || (mode == kDown && sign);
    out = to_infinity ? kInfinity : kInfinity - 1;
  }
  return sign | static_cast<std::uint32_t>(out);
}

template <int kExponent, int kMantissa>
static inline double widen(std::uint32_t bits) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  const std::uint64_t sign = static_cast<std::uint64_t>(bits >> (kExponent + kMantissa) & 1) << 63;
  const std::uint32_t exponent = bits >> kMantissa & ((1u << kExponent) - 1);
  const std::uint64_t mantissa = bits & ((1u << kMantissa) - 1);
  if (exponent == (1u << kExponent) - 1)
    return bits_as<double>(sign | 0x7ff0000000000000u | mantissa << (52 - kMantissa));
  if (exponent == 0) {
    const double value =
        static_cast<double>(mantissa) *
        bits_as<double>(static_cast<std::uint64_t>(1023 + 1 - kBias - kMantissa) << 52);
    return bits_as<double>(sign | bits_as<std::uint64_t>(value));
  }
  return bits_as<double>(sign | static_cast<std::uint64_t>(exponent - kBias + 1023) << 52 |
                         mantissa << (52 - kMantissa));
}

static inline std::uint16_t half_of(double v, std::uint32_t mode = kNearest) {
  return static_cast<std::uint16_t>(narrow<5, 10>(v, mode));
}
static inline std::uint16_t bfloat_of(double v, std::uint32_t mode = kNearest) {
  return static_cast<std::uint16_t>(narrow<8, 7>(v, mode));
}
static inline double half_value(std::uint16_t h) { return widen<5, 10>(h); }
static inline double bfloat_value(std::uint16_t h) {
  return bits_as<float>(static_cast<std::uint32_t>(h) << 16);
}

// 8-bit floats. e4m3 has no infinity: its largest pattern is NaN and all else are numbers. e5m2 is
// a short half. Conversions to them saturate, whatever is too large (PTX's .satfinite).
static inline std::uint8_t e4m3_of(double v) {
  if (v != v) return 0x7f;
  const double magnitude = v < 0 ? -v : v;
  const std::uint8_t sign = bits_as<std::uint64_t>(v) >> 63 ? 0x80 : 0;
  if (magnitude >= 448) return static_cast<std::uint8_t>(sign | 0x7e);
  // As if exponent 15 were an infinity, everything below 256 rounds as usual.
  if (magnitude < 240) return static_cast<std::uint8_t>(narrow<4, 3>(v, kNearest));
  const double steps = magnitude / (magnitude < 256 ? 16 : 32);  // spacing there
  double whole = static_cast<double>(static_cast<int>(steps));
  const double left = steps - whole;
  if (left > 0.5 || (left == 0.5 && static_cast<int>(steps) % 2 == 1)) whole += 1;
  const double rounded = whole * (magnitude < 256 ? 16 : 32);
  const auto code = rounded < 256 ? 0x77 : 0x78 + static_cast<int>((rounded - 256) / 32);
  return static_cast<std::uint8_t>(sign | (code > 0x7e ? 0x7e : code));
}
static inline std::uint8_t e5m2_of(double v) {
  if (v != v) return 0x7f;
  const std::uint32_t r = narrow<5, 2>(v, kNearest);
  return static_cast<std::uint8_t>((r & 0x7f) >= 0x7c ? (r & 0x80) | 0x7b : r);
}
static inline double e4m3_value(std::uint8_t b) {
  if ((b & 0x7f) == 0x7f) return bits_as<double>(std::uint64_t{0x7ff8000000000000});
  const int exponent = b >> 3 & 15;
  const double m = static_cast<double>(b & 7);
  const double scale = bits_as<double>(
      static_cast<std::uint64_t>(1023 + (exponent == 0 ? 1 : exponent) - 7 - 3) << 52);
  const double v = (exponent == 0 ? m : m + 8) * scale;
  return b & 0x80 ? -v : v;
}
static inline double e5m2_value(std::uint8_t b) {
  return widen<5, 10>(static_cast<std::uint32_t>(b) << 8);
}

// a * b + c rounded to odd in double: rounding the result again to 24 bits or fewer is exact.
static inline double fma_odd(double a, double b, double c) {
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
