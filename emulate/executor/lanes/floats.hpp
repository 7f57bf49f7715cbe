// Part of body.hpp: float and double arithmetic.

// float: a NaN result is always 0x7fffffff. double: an operand's NaN, made quiet; of several the
// one that hardware takes: the second factor or summand, then the third, then the first; of a
// quotient the first. No operand a NaN: x86's own, which is hardware's too.
inline float canonical(float v) { return v != v ? bits_as<float>(0x7fffffffu) : v; }
inline double quieted(double v) { return bits_as<double>(bits_as<u64>(v) | u64{1} << 51); }
inline float nan_of(float r, float, float) { return canonical(r); }
inline double nan_of(double r, double first, double second) {
  return first != first ? quieted(first) : second != second ? quieted(second) : r;
}
inline float nan_of(float r, float, float, float) { return canonical(r); }
inline double nan_of(double r, double first, double second, double third) {
  return first != first ? quieted(first) : nan_of(r, second, third);
}
template <class T>
struct AddF {
  static T of(T a, T b) { return nan_of(a + b, b, a); }
};
template <class T>
struct SubF {
  static T of(T a, T b) { return nan_of(a - b, b, a); }
};
template <class T>
struct MulF {
  static T of(T a, T b) { return nan_of(a * b, b, a); }
};
template <class T>
struct DivF {
  static T of(T a, T b) { return nan_of(a / b, a, b); }
};
inline float fma_of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma_of(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T>
struct FmaF {
  static T of(T a, T b, T c) { return nan_of(fma_of(a, b, c), b, c, a); }
};
struct AbsNeg {
  static float abs(float a) { return canonical(__builtin_fabsf(a)); }
  static double abs(double a) { return a != a ? quieted(a) : __builtin_fabs(a); }
  static float neg(float a) { return canonical(-a); }
  static double neg(double a) { return a != a ? quieted(a) : -a; }
};
template <class T>
struct AbsF {
  static T of(T a) { return AbsNeg::abs(a); }
};
template <class T>
struct NegF {
  static T of(T a) { return AbsNeg::neg(a); }
};
inline float flushed(float v) {
  return __builtin_fabsf(v) < 1.17549435e-38f ? __builtin_copysignf(0, v) : v;
}
template <class F>
struct Flush {  // of what no rounding mode reaches
  static float of(float a) { return flushed(F::of(flushed(a))); }
  static float of(float a, float b) { return F::of(flushed(a), flushed(b)); }
};
template <class T>
inline T quiet() {
  if constexpr (sizeof(T) == 4) return bits_as<T>(0x7fffffffu);
  else return bits_as<T>(u64{0x7fffffffffffffff});
}
template <class T>
inline bool sign_of(T v) {
  return __builtin_signbit(v) != 0;
}
inline float both_nan(float) { return quiet<float>(); }
inline double both_nan(double b) { return quieted(b); }
template <class T>
struct MinF {  // -0 < +0; a NaN gives the other operand
  static T of(T a, T b) {
    if (a != a) return b != b ? both_nan(b) : b;
    if (b != b) return a;
    return a < b || (a == b && sign_of(a)) ? a : b;
  }
};
template <class T>
struct MaxF {
  static T of(T a, T b) {
    if (a != a) return b != b ? both_nan(b) : b;
    if (b != b) return a;
    return a > b || (a == b && !sign_of(a)) ? a : b;
  }
};
template <class T>
struct MinNan {
  static T of(T a, T b) { return a != a || b != b ? quiet<T>() : MinF<T>::of(a, b); }
};
template <class T>
struct MaxNan {
  static T of(T a, T b) { return a != a || b != b ? quiet<T>() : MaxF<T>::of(a, b); }
};
template <class F>
struct Xorsign {  // .xorsign.abs: of the magnitudes, with both signs multiplied
  template <class T>
  static T of(T a, T b) {
    const T r = F::of(a < 0 || sign_of(a) ? -a : a, b < 0 || sign_of(b) ? -b : b);
    return r != r ? r : sign_of(a) != sign_of(b) ? -r : r;
  }
};
template <class F>
struct Three {
  template <class T>
  static T of(T a, T b, T c) {
    return F::of(F::of(a, b), c);
  }
};
inline float sqrt_of(float a) { return canonical(__builtin_sqrtf(a)); }
inline double sqrt_of(double a) { return __builtin_sqrt(a); }
template <class T>
struct SqrtF {
  static T of(T a) { return sqrt_of(a); }
};
template <class T>
struct RcpF {
  static T of(T a) { return nan_of(T{1} / a, a, T{0}); }
};
inline float with_sign(float v, float s) { return __builtin_copysignf(v, s); }
inline double with_sign(double v, double s) { return __builtin_copysign(v, s); }
template <class T>
struct CopysignF {
  static T of(T a, T b) { return with_sign(b, a); }
};

// Approximations: computed in double and rounded once, so at least as close as hardware's
// (docs/design/emulator.md lists hardware's bounds).
struct DivApprox {  // hardware multiplies by a reciprocal, which is zero for the largest divisors
  static float of(float a, float b) {
    const float m = __builtin_fabsf(b);
    if (m > 0x1p126f && m <= 3.40282347e38f) return canonical(a * __builtin_copysignf(0, b));
    return canonical(a / b);
  }
};
// Hardware counts the angle in turns, rounded to a float: far from zero that error is all there is.
inline double turns(float a) {
  const double t = static_cast<double>(a) * 0.15915493667125702;  // 0x3e22f983
  auto bits = bits_as<u64>(t);
  if (t - t == 0) bits &= ~u64{0x1fffffff};  // to 24 bits, towards zero
  const double r = bits_as<double>(bits);
  return r - __builtin_floor(r);
}
constexpr double kTwoPi = 6.283185307179586;
struct Sin {
  static float of(float a) {
    const double t = turns(a);
    return t == 0 ? (__builtin_isfinite(a) ? with_sign(0.0f, a) : canonical(a - a))
                  : canonical(static_cast<float>(t > 0.5 ? -__builtin_sin((1 - t) * kTwoPi)
                                                         : __builtin_sin(t * kTwoPi)));
  }
};
struct Cos {
  static float of(float a) {
    return canonical(static_cast<float>(__builtin_cos(turns(a) * kTwoPi)));
  }
};
struct Rsqrt {
  static float of(float a) {
    return canonical(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))));
  }
};
struct Rsqrt64 {
  static double of(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct Lg2 {
  static float of(float a) {
    return canonical(static_cast<float>(__builtin_log2(static_cast<double>(a))));
  }
};
struct Ex2 {
  static float of(float a) {
    return canonical(static_cast<float>(__builtin_exp2(static_cast<double>(a))));
  }
};
struct Tanh {
  static float of(float a) {
    return canonical(static_cast<float>(__builtin_tanh(static_cast<double>(a))));
  }
};
// .approx.ftz.f64: of the high 32 bits, to the high 32 bits.
inline double high_word(double a) { return bits_as<double>(bits_as<u64>(a) & ~u64{0xffffffff}); }
inline double flushed(double v) {
  return __builtin_fabs(v) < 2.2250738585072014e-308 ? __builtin_copysign(0, v) : v;
}
inline double high_or_nan(double v) {
  return v != v ? bits_as<double>(u64{0x7fffffff} << 32) : flushed(high_word(v));
}
struct RcpHigh {
  static double of(double a) { return high_or_nan(1.0 / flushed(high_word(a))); }
};
struct RsqrtHigh {
  static double of(double a) { return high_or_nan(1.0 / __builtin_sqrt(flushed(high_word(a)))); }
};

// Two floats in a 64-bit register.
template <class F, int kOperands>
void pairs_of_floats(std::byte* frame, const Inst& in, u32 mask) {
  const u64* a = row<u64>(frame, in.a);
  const u64* b = row<u64>(frame, in.b);
  const u64* c = kOperands > 2 ? row<u64>(frame, in.c) : nullptr;
  each<u64>(frame, in.d, mask, [=](u32 l) {
    u64 r = 0;
    for (u32 half = 0; half < 64; half += 32) {
      const auto x = bits_as<float>(static_cast<u32>(a[l] >> half)),
                 y = bits_as<float>(static_cast<u32>(b[l] >> half));
      float v;
      if constexpr (kOperands > 2) v = F::of(x, y, bits_as<float>(static_cast<u32>(c[l] >> half)));
      else v = F::of(x, y);
      r |= static_cast<u64>(bits_as<u32>(v)) << half;
    }
    return r;
  });
}
