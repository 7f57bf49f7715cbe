// The operations themselves. Included by lanes_portable.cpp and lanes_avx2.cpp only, each with its
// own WARPMEM_LANES namespace: the same text compiled for two instruction sets.
//
// Every loop runs over all 32 lanes so that the compiler vectorises it; lanes that are off get
// their old value back. No operation here can trap. Results are the PTX manual's where it defines
// them, and what ptxas-generated code gives where it does not (x / 0 and x % 0: all ones).
#include <xmmintrin.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "traces/emulate/half.hpp"
#include "traces/emulate/lanes.hpp"

namespace warpmem::emulate::WARPMEM_LANES {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

template <class T>
inline T* row(std::byte* frame, u32 offset) {
  return reinterpret_cast<T*>(frame + offset);
}

// d[l] = f(l) for the lanes of the mask. ivdep: a destination may be a source, lane by lane.
template <class D, class F>
inline __attribute__((always_inline)) void each(std::byte* frame, u32 d, u32 mask, F f) {
  D* out = row<D>(frame, d);
  if (mask == ~0u) {
#pragma GCC ivdep
    for (u32 l = 0; l < 32; ++l) out[l] = f(l);
  } else {
    alignas(32) D fresh[32];
    for (u32 l = 0; l < 32; ++l) fresh[l] = f(l);
#pragma GCC ivdep
    for (u32 l = 0; l < 32; ++l) out[l] = (mask >> l & 1u) ? fresh[l] : out[l];
  }
}

template <class F>
inline void each_predicate(std::byte* frame, u32 d, u32 mask, F f) {
  u32 bits = 0;
  for (u32 l = 0; l < 32; ++l) bits |= static_cast<u32>(f(l)) << l;
  u32& p = *row<u32>(frame, d);
  p = (p & ~mask) | (bits & mask);
}

template <class D, class A, class F>
void unary(std::byte* frame, const Inst& in, u32 mask) {
  const A* a = row<A>(frame, in.a);
  each<D>(frame, in.d, mask, [=](u32 l) { return static_cast<D>(F::of(a[l])); });
}
template <class D, class A, class B, class F>
void binary(std::byte* frame, const Inst& in, u32 mask) {
  const A* a = row<A>(frame, in.a);
  const B* b = row<B>(frame, in.b);
  each<D>(frame, in.d, mask, [=](u32 l) { return static_cast<D>(F::of(a[l], b[l])); });
}
template <class D, class A, class B, class C, class F>
void ternary(std::byte* frame, const Inst& in, u32 mask) {
  const A* a = row<A>(frame, in.a);
  const B* b = row<B>(frame, in.b);
  const C* c = row<C>(frame, in.c);
  each<D>(frame, in.d, mask, [=](u32 l) { return static_cast<D>(F::of(a[l], b[l], c[l])); });
}

template <class T> struct WideOf;
template <> struct WideOf<u16> { using type = u32; };
template <> struct WideOf<s16> { using type = s32; };
template <> struct WideOf<u32> { using type = u64; };
template <> struct WideOf<s32> { using type = s64; };
template <> struct WideOf<u64> { using type = u128; };
template <> struct WideOf<s64> { using type = s128; };
template <class T> using Wide = typename WideOf<T>::type;
template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> constexpr u32 kBits = sizeof(T) * 8;

// --- integers -----------------------------------------------------------------------------------
// Computed on unsigned numbers of at least 32 bits: wrap-around without undefined behaviour.
template <class T> inline u64 up(T v) { return static_cast<u64>(static_cast<s64>(v)); }
template <class T> struct AddI { static T of(T a, T b) { return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)); } };
template <class T> struct SubI { static T of(T a, T b) { return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)); } };
template <class T> struct MulLo {
  static T of(T a, T b) {
    using W = std::conditional_t<(sizeof(T) < 4), u32, Unsigned<T>>;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};
template <class T> struct MulHi { static T of(T a, T b) { return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >> kBits<T>); } };
template <class T> struct MulWide { static Wide<T> of(T a, T b) { return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b); } };
template <class T> struct MadLo { static T of(T a, T b, T c) { return AddI<T>::of(MulLo<T>::of(a, b), c); } };
template <class T> struct MadHi { static T of(T a, T b, T c) { return AddI<T>::of(MulHi<T>::of(a, b), c); } };
template <class T> struct MadWide {
  static Wide<T> of(T a, T b, Wide<T> c) { return AddI<Wide<T>>::of(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b), c); }
};
template <class T> struct Sad {
  static T of(T a, T b, T c) { return AddI<T>::of(c, a < b ? SubI<T>::of(b, a) : SubI<T>::of(a, b)); }
};
template <class T> struct DivI {
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return SubI<T>::of(0, a);
    return static_cast<T>(a / b);
  }
};
template <class T> struct RemI {
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
template <class T> struct MinI { static T of(T a, T b) { return a < b ? a : b; } };
template <class T> struct MaxI { static T of(T a, T b) { return a > b ? a : b; } };
template <class T> struct AbsI { static T of(T a) { return a < 0 ? SubI<T>::of(0, a) : a; } };
template <class T> struct NegI { static T of(T a) { return SubI<T>::of(0, a); } };
template <class T> struct And { static T of(T a, T b) { return static_cast<T>(a & b); } };
template <class T> struct Or { static T of(T a, T b) { return static_cast<T>(a | b); } };
template <class T> struct Xor { static T of(T a, T b) { return static_cast<T>(a ^ b); } };
template <class T> struct Not { static T of(T a) { return static_cast<T>(~a); } };
template <class T> struct Cnot { static T of(T a) { return a == 0 ? 1 : 0; } };
template <class T> struct Move { static T of(T a) { return a; } };
template <class T> struct Shl { static T of(T a, u32 n) { return n >= kBits<T> ? T{0} : static_cast<T>(static_cast<Unsigned<T>>(a) << n); } };
template <class T> struct Shr {
  static T of(T a, u32 n) { return std::is_signed_v<T> ? static_cast<T>(a >> (n >= kBits<T> ? kBits<T> - 1 : n)) : n >= kBits<T> ? T{0} : static_cast<T>(a >> n); }
};
struct Popc32 { static u32 of(u32 a) { return static_cast<u32>(__builtin_popcount(a)); } };
struct Popc64 { static u32 of(u64 a) { return static_cast<u32>(__builtin_popcountll(a)); } };
struct Clz32 { static u32 of(u32 a) { return a ? static_cast<u32>(__builtin_clz(a)) : 32; } };
struct Clz64 { static u32 of(u64 a) { return a ? static_cast<u32>(__builtin_clzll(a)) : 64; } };
template <class T> struct Bfind {  // position of the highest bit that differs from the sign
  static u32 of(T a) {
    const auto u = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
    return u ? 63 - static_cast<u32>(__builtin_clzll(u)) : ~0u;
  }
};
template <class T> struct BfindShift {
  static u32 of(T a) { const u32 at = Bfind<T>::of(a); return at == ~0u ? at : kBits<T> - 1 - at; }
};
template <class T> struct Brev {
  static T of(T a) {
    u64 v = a, r = 0;
    for (u32 i = 0; i < kBits<T>; ++i) r = r << 1 | (v >> i & 1);
    return static_cast<T>(r);
  }
};
template <class T> struct Bfe {
  static T of(T a, u32 b, u32 c) {
    const u32 pos = b & 255, len = c & 255;
    const u64 v = up(a);
    u32 top = pos + len;
    top = top == 0 ? 0 : (top - 1 < kBits<T> - 1 ? top - 1 : kBits<T> - 1);
    const bool sign = std::is_signed_v<T> && len != 0 && (v >> top & 1);
    u64 r = sign ? ~u64{0} : 0;
    const u32 have = pos >= kBits<T> ? 0 : (len < kBits<T> - pos ? len : kBits<T> - pos);
    if (have == 0) return static_cast<T>(r);
    const u64 ones = have == 64 ? ~u64{0} : (u64{1} << have) - 1;
    return static_cast<T>((r & ~ones) | (v >> pos & ones));
  }
};
template <class T> struct Bfi {
  static T of(T a, T b, u32 c, u32 d) {
    const u32 pos = c & 255, len = d & 255;
    if (pos >= kBits<T> || len == 0) return b;
    const u32 have = len < kBits<T> - pos ? len : kBits<T> - pos;
    const u64 ones = (have == 64 ? ~u64{0} : (u64{1} << have) - 1) << pos;
    return static_cast<T>((b & ~ones) | (static_cast<u64>(a) << pos & ones));
  }
};
template <class T> void bfi(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  const u32 *c = row<u32>(frame, in.c), *e = row<u32>(frame, in.e);
  each<T>(frame, in.d, mask, [=](u32 l) { return Bfi<T>::of(a[l], b[l], c[l], e[l]); });
}
struct ShfL {
  static u32 of(u32 a, u32 b, u32 n) { return static_cast<u32>(((static_cast<u64>(b) << 32 | a) << (n & 31)) >> 32); }
};
struct ShfR { static u32 of(u32 a, u32 b, u32 n) { return static_cast<u32>((static_cast<u64>(b) << 32 | a) >> (n & 31)); } };
struct ShfLClamp { static u32 of(u32 a, u32 b, u32 n) { return n >= 32 ? a : ShfL::of(a, b, n); } };
struct ShfRClamp { static u32 of(u32 a, u32 b, u32 n) { return n >= 32 ? b : ShfR::of(a, b, n); } };

// prmt: in.sub is the mode (0 default, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16).
inline u32 permute(u64 bytes, u32 c, u32 mode) {
  u32 r = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 s = c & 3;
    u32 pick = 0;
    bool sign = false;
    switch (mode) {
      case 1: pick = s + i; break;
      case 2: pick = (s - i) & 7; break;
      case 3: pick = s; break;
      case 4: pick = i < s ? s : i; break;
      case 5: pick = i > s ? s : i; break;
      case 6: pick = (s & 1) * 2 + (i & 1); break;
      default: pick = c >> (4 * i) & 7, sign = (c >> (4 * i) & 8) != 0; break;
    }
    u32 byte = static_cast<u32>(bytes >> (8 * pick)) & 255;
    if (sign) byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * i);
  }
  return r;
}
void prmt(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 mode = in.sub;
  each<u32>(frame, in.d, mask, [=](u32 l) { return permute(static_cast<u64>(b[l]) << 32 | a[l], c[l], mode); });
}
void lop3(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  u32 t[8];
  for (u32 i = 0; i < 8; ++i) t[i] = in.sub >> i & 1 ? ~0u : 0;
  each<u32>(frame, in.d, mask, [=](u32 l) {
    const u32 x = a[l], y = b[l], z = c[l];
    return (t[0] & ~x & ~y & ~z) | (t[1] & ~x & ~y & z) | (t[2] & ~x & y & ~z) | (t[3] & ~x & y & z) |
           (t[4] & x & ~y & ~z) | (t[5] & x & ~y & z) | (t[6] & x & y & ~z) | (t[7] & x & y & z);
  });
}
template <bool kSignedA, bool kSignedB, u32 kCount, u32 kWidthA>  // dp4a; dp2a: in.sub = 0 lo, 1 hi
void dot(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 first = in.sub;
  each<u32>(frame, in.d, mask, [=](u32 l) {
    u32 sum = c[l];
    for (u32 i = 0; i < kCount; ++i) {
      const u32 x = a[l] >> (kWidthA * i) & ((1u << kWidthA) - 1), y = b[l] >> (8 * (i + first * 2)) & 255;
      const s32 sx = kSignedA ? static_cast<s32>(x << (32 - kWidthA)) >> (32 - kWidthA) : static_cast<s32>(x);
      const s32 sy = kSignedB ? static_cast<s32>(y << 24) >> 24 : static_cast<s32>(y);
      sum += static_cast<u32>(sx) * static_cast<u32>(sy);
    }
    return sum;
  });
}
// Carry chains: in.e is the carry predicate (as PTX's CC.CF; borrow for sub). sub: bit 0 reads it,
// bit 1 writes it.
template <class T, bool kSub>
void carry(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  T* d = row<T>(frame, in.d);
  u32& cc = *row<u32>(frame, in.e);
  for (u32 l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const u128 x = a[l], y = b[l], in_carry = in.sub & 1 ? cc >> l & 1 : 0;
    const u128 r = kSub ? x - y - in_carry : x + y + in_carry;
    d[l] = static_cast<T>(r);
    if (in.sub & 2) cc = (cc & ~(1u << l)) | static_cast<u32>(r >> kBits<T> & 1) << l;
  }
}
template <class T, bool kHi>  // mad{c}.lo/hi{.cc}: T unsigned or signed
void carry_mad(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b), *c = row<T>(frame, in.c);
  T* d = row<T>(frame, in.d);
  u32& cc = *row<u32>(frame, in.e);
  for (u32 l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const u128 x = static_cast<Unsigned<T>>(kHi ? MulHi<T>::of(a[l], b[l]) : MulLo<T>::of(a[l], b[l]));
    const u128 r = x + static_cast<Unsigned<T>>(c[l]) + (in.sub & 1 ? cc >> l & 1 : 0);
    d[l] = static_cast<T>(r);
    if (in.sub & 2) cc = (cc & ~(1u << l)) | static_cast<u32>(r >> kBits<T> & 1) << l;
  }
}

// --- floats -------------------------------------------------------------------------------------
// float: a NaN result is always 0x7fffffff. double: the operand's NaN, made quiet, as x86 does.
inline float canonical(float v) { return v != v ? bits_as<float>(0x7fffffffu) : v; }
inline double canonical(double v) { return v; }
template <class T> struct AddF { static T of(T a, T b) { return canonical(a + b); } };
template <class T> struct SubF { static T of(T a, T b) { return canonical(a - b); } };
template <class T> struct MulF { static T of(T a, T b) { return canonical(a * b); } };
template <class T> struct DivF { static T of(T a, T b) { return canonical(a / b); } };
template <class T> struct FmaF { static T of(T a, T b, T c) { return canonical(std::is_same_v<T, float> ? static_cast<T>(__builtin_fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c))) : static_cast<T>(__builtin_fma(a, b, c))); } };
template <class T> struct AbsF { static T of(T a) { return std::is_same_v<T, float> ? static_cast<T>(__builtin_fabsf(static_cast<float>(a))) : static_cast<T>(__builtin_fabs(a)); } };
template <class T> struct NegF { static T of(T a) { return -a; } };
template <class T> inline T quiet() { if constexpr (sizeof(T) == 4) return bits_as<T>(0x7fffffffu); else return bits_as<T>(u64{0x7fffffffffffffff}); }
template <class T> inline bool sign_of(T v) { return __builtin_signbit(v) != 0; }
template <class T> struct MinF {  // -0 < +0; a NaN gives the other operand
  static T of(T a, T b) {
    if (a != a) return b != b ? quiet<T>() : b;
    if (b != b) return a;
    return a < b || (a == b && sign_of(a)) ? a : b;
  }
};
template <class T> struct MaxF {
  static T of(T a, T b) {
    if (a != a) return b != b ? quiet<T>() : b;
    if (b != b) return a;
    return a > b || (a == b && !sign_of(a)) ? a : b;
  }
};
template <class T> struct MinNan { static T of(T a, T b) { return a != a || b != b ? quiet<T>() : MinF<T>::of(a, b); } };
template <class T> struct MaxNan { static T of(T a, T b) { return a != a || b != b ? quiet<T>() : MaxF<T>::of(a, b); } };
template <class T> struct SqrtF { static T of(T a) { return canonical(std::is_same_v<T, float> ? static_cast<T>(__builtin_sqrtf(static_cast<float>(a))) : static_cast<T>(__builtin_sqrt(a))); } };
template <class T> struct RcpF { static T of(T a) { return canonical(T{1} / a); } };
template <class T> struct CopysignF { static T of(T a, T b) { return std::is_same_v<T, float> ? static_cast<T>(__builtin_copysignf(static_cast<float>(b), static_cast<float>(a))) : static_cast<T>(__builtin_copysign(b, a)); } };
// Approximations: computed in double and rounded once, so at least as close as hardware's
// (docs/emulate.md lists hardware's bounds).
struct Rsqrt { static float of(float a) { return canonical(static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)))); } };
struct Rsqrt64 { static double of(double a) { return 1.0 / std::sqrt(a); } };
struct Sin { static float of(float a) { return canonical(static_cast<float>(std::sin(static_cast<double>(a)))); } };
struct Cos { static float of(float a) { return canonical(static_cast<float>(std::cos(static_cast<double>(a)))); } };
struct Lg2 { static float of(float a) { return canonical(static_cast<float>(std::log2(static_cast<double>(a)))); } };
struct Ex2 { static float of(float a) { return canonical(static_cast<float>(std::exp2(static_cast<double>(a)))); } };
struct Tanh { static float of(float a) { return canonical(static_cast<float>(std::tanh(static_cast<double>(a)))); } };

// Half and bfloat16: F::of in double of exact operands, one rounding at the end.
struct Half {
  static double in(u16 v) { return half_value(v); }
  static u16 out(double v) { return half_of(v); }
  static constexpr u16 kNan = 0x7fff;
};
struct Bfloat {
  static double in(u16 v) { return bfloat_value(v); }
  static u16 out(double v) { return bfloat_of(v); }
  static constexpr u16 kNan = 0x7fff;
};
struct AddD { static double of(double a, double b) { return fma_odd(1, a, b); } };
struct SubD { static double of(double a, double b) { return fma_odd(1, a, -b); } };
struct MulD { static double of(double a, double b) { return a * b; } };
struct FmaD { static double of(double a, double b, double c) { return fma_odd(a, b, c); } };
struct FmaReluD { static double of(double a, double b, double c) { const double r = fma_odd(a, b, c); return r > 0 || r != r ? r : 0.0; } };
struct AbsD { static double of(double a) { return __builtin_fabs(a); } };
struct NegD { static double of(double a) { return -a; } };
struct Ex2D { static double of(double a) { return std::exp2(a); } };
struct TanhD { static double of(double a) { return std::tanh(a); } };
// in.sub: saturate to [0, 1] (NaN to 0). kPairs: two in a 32-bit register.
template <class H, class F, int kOperands, bool kPairs>
void halves(std::byte* frame, const Inst& in, u32 mask) {
  using R = std::conditional_t<kPairs, u32, u16>;
  const R* a = row<R>(frame, in.a);
  const R* b = kOperands > 1 ? row<R>(frame, in.b) : nullptr;
  const R* c = kOperands > 2 ? row<R>(frame, in.c) : nullptr;
  const bool sat = in.sub & 1, flush = in.sub & 2;
  const auto one = [=](u16 x, u16 y, u16 z) -> u16 {
    const auto get = [=](u16 v) { return H::in(flush && !(v & 0x7c00) ? v & 0x8000 : v); };
    double r;
    if constexpr (kOperands == 1) r = F::of(get(x));
    else if constexpr (kOperands == 2) r = F::of(get(x), get(y));
    else r = F::of(get(x), get(y), get(z));
    if (sat) r = r > 0 ? (r < 1 ? r : 1.0) : 0.0;
    u16 o = H::out(r);
    if (flush && !(o & 0x7c00)) o &= 0x8000;
    return o;
  };
  each<R>(frame, in.d, mask, [=](u32 l) {
    const u32 x = a[l], y = b ? b[l] : 0, z = c ? c[l] : 0;
    u32 r = one(static_cast<u16>(x), static_cast<u16>(y), static_cast<u16>(z));
    if constexpr (kPairs) r |= static_cast<u32>(one(static_cast<u16>(x >> 16), static_cast<u16>(y >> 16), static_cast<u16>(z >> 16))) << 16;
    return static_cast<R>(r);
  });
}

// --- comparisons --------------------------------------------------------------------------------
struct Eq { template <class T> static bool of(T a, T b) { return a == b; } };
struct Ne { template <class T> static bool of(T a, T b) { return (a < b) | (a > b); } };  // ordered
struct Lt { template <class T> static bool of(T a, T b) { return a < b; } };
struct Le { template <class T> static bool of(T a, T b) { return a <= b; } };
struct Gt { template <class T> static bool of(T a, T b) { return a > b; } };
struct Ge { template <class T> static bool of(T a, T b) { return a >= b; } };
struct Equ { template <class T> static bool of(T a, T b) { return !((a < b) | (a > b)); } };
struct Neu { template <class T> static bool of(T a, T b) { return a != b; } };
struct Ltu { template <class T> static bool of(T a, T b) { return !(a >= b); } };
struct Leu { template <class T> static bool of(T a, T b) { return !(a > b); } };
struct Gtu { template <class T> static bool of(T a, T b) { return !(a <= b); } };
struct Geu { template <class T> static bool of(T a, T b) { return !(a < b); } };
struct Num { template <class T> static bool of(T a, T b) { return (a == a) & (b == b); } };
struct Nan { template <class T> static bool of(T a, T b) { return (a != a) | (b != b); } };

struct Plain { template <class T> static T in(T v) { return v; } };

// p = cmp BOOL c; q = !cmp BOOL c. sub: 0 none, 1 and, 2 or, 3 xor.
inline void put_predicates(std::byte* frame, const Inst& in, u32 mask, u32 t) {
  u32 p = t, q = ~t;
  if (in.sub & 3) {
    u32 c = *row<u32>(frame, in.c);
    if (in.negate_c) c = ~c;
    switch (in.sub & 3) {
      case 1: p &= c, q &= c; break;
      case 2: p |= c, q |= c; break;
      default: p ^= c, q ^= c; break;
    }
  }
  if (in.d != kNoOffset) { u32& d = *row<u32>(frame, in.d); d = (d & ~mask) | (p & mask); }
  if (in.d2 != kNoOffset) { u32& d = *row<u32>(frame, in.d2); d = (d & ~mask) | (q & mask); }
}
template <class T, class C, class In = Plain>
inline u32 compare(std::byte* frame, const Inst& in) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  u32 t = 0;
  for (u32 l = 0; l < 32; ++l) t |= static_cast<u32>(C::of(In::in(a[l]), In::in(b[l]))) << l;
  return t;
}
template <class T, class C, class In = Plain>
void setp(std::byte* frame, const Inst& in, u32 mask) {
  put_predicates(frame, in, mask, compare<T, C, In>(frame, in));
}
// set: all ones or 1.0 by sub bits 2-3 (0: integer of 32 bits, 1: float, 2: 16 bits).
template <class T, class C, class In = Plain>
void set(std::byte* frame, const Inst& in, u32 mask) {
  u32 t = compare<T, C, In>(frame, in);
  if (in.sub & 3) {
    u32 c = *row<u32>(frame, in.c);
    if (in.negate_c) c = ~c;
    t = (in.sub & 3) == 1 ? t & c : (in.sub & 3) == 2 ? t | c : t ^ c;
  }
  const u32 one = in.sub >> 2 == 1 ? 0x3f800000u : ~0u;
  each<u32>(frame, in.d, mask, [=](u32 l) { return t >> l & 1 ? one : 0u; });
}
template <class H, class C, bool kSet>  // f16x2: two predicates, or masks of 16 bits (or 1.0)
void compare_pairs(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b);
  u32 low = 0, high = 0;
  for (u32 l = 0; l < 32; ++l) {
    low |= static_cast<u32>(C::of(H::in(static_cast<u16>(a[l])), H::in(static_cast<u16>(b[l])))) << l;
    high |= static_cast<u32>(C::of(H::in(static_cast<u16>(a[l] >> 16)), H::in(static_cast<u16>(b[l] >> 16)))) << l;
  }
  if constexpr (kSet) {
    const u32 one = in.sub >> 2 == 1 ? 0x3c00u : in.sub >> 2 == 3 ? 0x3f80u : 0xffffu;
    each<u32>(frame, in.d, mask, [=](u32 l) { return (low >> l & 1 ? one : 0) | (high >> l & 1 ? one << 16 : 0); });
  } else {
    if (in.d != kNoOffset) { u32& d = *row<u32>(frame, in.d); d = (d & ~mask) | (low & mask); }
    if (in.d2 != kNoOffset) { u32& d = *row<u32>(frame, in.d2); d = (d & ~mask) | (high & mask); }
  }
}
template <class H, class C>
void set_half(std::byte* frame, const Inst& in, u32 mask) {  // set.cmp.f16.f16 / .u16
  const u32 t = compare<u16, C, H>(frame, in);
  const u16 one = in.sub >> 2 == 1 ? 0x3c00 : in.sub >> 2 == 3 ? 0x3f80 : 0xffff;
  each<u16>(frame, in.d, mask, [=](u32 l) { return t >> l & 1 ? one : u16{0}; });
}
template <class T>
void selp(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  u32 p = *row<u32>(frame, in.c);
  if (in.negate_c) p = ~p;
  each<T>(frame, in.d, mask, [=](u32 l) { return (p >> l & 1u) ? a[l] : b[l]; });
}
template <class T, class C> struct Slct { static T of(T a, T b, C c) { return c >= 0 ? a : b; } };

// Predicates as registers. in.sub bit 0: negate a, bit 1: negate b.
template <int kOp>  // 0 mov, 1 not, 2 and, 3 or, 4 xor
void predicates(std::byte* frame, const Inst& in, u32 mask) {
  u32 a = *row<u32>(frame, in.a);
  u32 r = a;
  if constexpr (kOp == 1) r = ~a;
  if constexpr (kOp >= 2) {
    const u32 b = *row<u32>(frame, in.b);
    r = kOp == 2 ? a & b : kOp == 3 ? a | b : a ^ b;
  }
  u32& d = *row<u32>(frame, in.d);
  d = (d & ~mask) | (r & mask);
}
template <class T, int kWhat>  // testp: 0 finite 1 infinite 2 number 3 notanumber 4 normal 5 subnormal
void testp(std::byte* frame, const Inst& in, u32 mask) {
  const T* a = row<T>(frame, in.a);
  each_predicate(frame, in.d, mask, [=](u32 l) {
    const int c = std::fpclassify(a[l]);
    switch (kWhat) {
      case 0: return c != FP_NAN && c != FP_INFINITE;
      case 1: return c == FP_INFINITE;
      case 2: return c != FP_NAN;
      case 3: return c == FP_NAN;
      case 4: return c == FP_NORMAL;
      default: return c == FP_SUBNORMAL;
    }
  });
}

// --- packing ------------------------------------------------------------------------------------
template <class D, class A, u32 kParts>  // mov.b32 d, {a, b}: sources in a, b, c, e
void pack(std::byte* frame, const Inst& in, u32 mask) {
  const A* s[4] = {row<A>(frame, in.a), row<A>(frame, in.b), kParts > 2 ? row<A>(frame, in.c) : nullptr, kParts > 2 ? row<A>(frame, in.e) : nullptr};
  each<D>(frame, in.d, mask, [=](u32 l) {
    D v = 0;
    for (u32 i = 0; i < kParts; ++i) v = static_cast<D>(v | static_cast<D>(static_cast<D>(s[i][l]) << (i * kBits<D> / kParts)));
    return v;
  });
}
template <class D, class A>  // one part of mov {d…}, a: sub is the shift
void part(std::byte* frame, const Inst& in, u32 mask) {
  const A* a = row<A>(frame, in.a);
  const u32 shift = in.sub;
  each<D>(frame, in.d, mask, [=](u32 l) { return static_cast<D>(a[l] >> shift); });
}

// --- conversions --------------------------------------------------------------------------------
template <class R, class T>
inline void widen_row(std::byte* frame, u32 a, s64* out) {
  const R* in = row<R>(frame, a);
  for (u32 l = 0; l < 32; ++l) out[l] = static_cast<s64>(static_cast<T>(in[l]));
}
template <class T>
inline void read_integers(std::byte* frame, u32 a, u32 bytes, s64* out) {
  if (bytes == 2) widen_row<u16, T>(frame, a, out);
  else if (bytes == 4) widen_row<u32, T>(frame, a, out);
  else widen_row<u64, T>(frame, a, out);
}
void read_row(std::byte* frame, u32 a, LaneKind kind, u32 bytes, s64* out) {
  switch (kind) {
    case LaneKind::kU8: return read_integers<u8>(frame, a, bytes, out);
    case LaneKind::kU16: return read_integers<u16>(frame, a, bytes, out);
    case LaneKind::kU32: return read_integers<u32>(frame, a, bytes, out);
    case LaneKind::kS8: return read_integers<std::int8_t>(frame, a, bytes, out);
    case LaneKind::kS16: return read_integers<s16>(frame, a, bytes, out);
    case LaneKind::kS32: return read_integers<s32>(frame, a, bytes, out);
    default: return read_integers<s64>(frame, a, bytes, out);
  }
}
template <class R>
inline void write_as(std::byte* frame, u32 d, u32 mask, const s64* v) {
  each<R>(frame, d, mask, [=](u32 l) { return static_cast<R>(v[l]); });
}
void write_row(std::byte* frame, u32 d, u32 bytes, u32 mask, const s64* v) {
  if (bytes == 2) write_as<u16>(frame, d, mask, v);
  else if (bytes == 4) write_as<u32>(frame, d, mask, v);
  else write_as<u64>(frame, d, mask, v);
}
struct Limits { s64 low; u64 high; };
inline Limits limits_of(LaneKind k) {
  switch (k) {
    case LaneKind::kU8: return {0, 255};
    case LaneKind::kU16: return {0, 65535};
    case LaneKind::kU32: return {0, 0xffffffffu};
    case LaneKind::kS8: return {-128, 127};
    case LaneKind::kS16: return {-32768, 32767};
    case LaneKind::kS32: return {-2147483648ll, 2147483647};
    case LaneKind::kS64: return {std::numeric_limits<s64>::min(), 0x7fffffffffffffffu};
    default: return {0, ~u64{0}};
  }
}
inline bool is_unsigned_kind(LaneKind k) { return k >= LaneKind::kU8 && k <= LaneKind::kU64; }
inline s64 shrink(s64 v, LaneKind k) {  // the bits that stay, extended by the type's sign
  switch (k) {
    case LaneKind::kU8: return static_cast<u8>(v);
    case LaneKind::kU16: return static_cast<u16>(v);
    case LaneKind::kU32: return static_cast<u32>(v);
    case LaneKind::kS8: return static_cast<std::int8_t>(v);
    case LaneKind::kS16: return static_cast<s16>(v);
    case LaneKind::kS32: return static_cast<s32>(v);
    default: return v;
  }
}
void convert_integers(std::byte* frame, const Inst& in, u32 mask) {
  const Conversion c = Conversion::unpack(in.sub);
  alignas(32) s64 v[32];
  read_row(frame, in.a, c.from, c.from_bytes, v);
  if (c.saturate) {
    const Limits lim = limits_of(c.to);
    const bool from_unsigned = is_unsigned_kind(c.from);
    for (s64& x : v) {
      if (from_unsigned) x = static_cast<u64>(x) > lim.high ? static_cast<s64>(lim.high) : x;
      else if (x < lim.low) x = lim.low;
      else if (x > 0 && static_cast<u64>(x) > lim.high) x = static_cast<s64>(lim.high);
    }
  } else {
    for (s64& x : v) x = shrink(x, c.to);
  }
  write_row(frame, in.d, c.to_bytes, mask, v);
}
inline double whole(double v, u32 rounding) {
  switch (rounding) {
    case kNearest: return __builtin_nearbyint(v);  // the processor is in its default mode here
    case kZero: return __builtin_trunc(v);
    case kDown: return __builtin_floor(v);
    default: return __builtin_ceil(v);
  }
}
void read_floats(std::byte* frame, u32 a, LaneKind kind, bool flush, double* out) {
  switch (kind) {
    case LaneKind::kF16: for (u32 l = 0; l < 32; ++l) out[l] = half_value(row<u16>(frame, a)[l]); break;
    case LaneKind::kBf16: for (u32 l = 0; l < 32; ++l) out[l] = bfloat_value(row<u16>(frame, a)[l]); break;
    case LaneKind::kF32:
      for (u32 l = 0; l < 32; ++l) {
        float f = row<float>(frame, a)[l];
        if (flush && __builtin_fabsf(f) < 1.17549435e-38f) f = __builtin_copysignf(0, f);
        out[l] = f;
      }
      break;
    default: for (u32 l = 0; l < 32; ++l) out[l] = row<double>(frame, a)[l]; break;
  }
}
// NaN becomes 0, but 1 << (bits - 1) when either side has 64 bits.
void float_to_integer(std::byte* frame, const Inst& in, u32 mask) {
  const Conversion c = Conversion::unpack(in.sub);
  alignas(32) double f[32];
  alignas(32) s64 v[32];
  read_floats(frame, in.a, c.from, c.flush, f);
  const Limits lim = limits_of(c.to);
  const bool wide = c.to == LaneKind::kS64 || c.to == LaneKind::kU64 || c.from == LaneKind::kF64;
  const s64 nan = !wide ? 0 : c.to == LaneKind::kU64 || c.to == LaneKind::kS64 ? std::numeric_limits<s64>::min()
                  : c.to == LaneKind::kU32 || c.to == LaneKind::kS32 ? s64{0x80000000} : c.to == LaneKind::kU16 || c.to == LaneKind::kS16 ? 0x8000 : 0x80;
  const double low = static_cast<double>(lim.low), high = static_cast<double>(lim.high);
  for (u32 l = 0; l < 32; ++l) {
    if (f[l] != f[l]) { v[l] = nan; continue; }
    const double w = whole(f[l], c.rounding);
    if (w <= low) v[l] = lim.low;
    else if (w >= high) v[l] = static_cast<s64>(lim.high);
    else v[l] = w >= 9223372036854775808.0 ? static_cast<s64>(static_cast<u64>(w)) : static_cast<s64>(w);
  }
  write_row(frame, in.d, c.to_bytes, mask, v);
}
inline u32 mxcsr_of(u32 fp) {
  constexpr u32 kRound[4] = {0, 0x6000, 0x2000, 0x4000};  // rn, rz, rm, rp
  return 0x1f80u | kRound[fp & 3] | (fp & 4 ? 0x8040u : 0);
}
// The barrier keeps the compiler from moving arithmetic across the change of mode.
inline void set_mode(u32 mxcsr) { asm volatile("ldmxcsr %0" ::"m"(mxcsr) : "memory"); }

void integer_to_float(std::byte* frame, const Inst& in, u32 mask) {
  const Conversion c = Conversion::unpack(in.sub);
  alignas(32) s64 v[32];
  read_row(frame, in.a, c.from, c.from_bytes, v);
  const bool is_u64 = c.from == LaneKind::kU64;
  if (c.to == LaneKind::kF16 || c.to == LaneKind::kBf16) {
    for (s64& x : v) {  // odd rounding to 53 bits, then once more
      const bool negative = !is_u64 && x < 0;
      u64 m = negative ? 0 - static_cast<u64>(x) : static_cast<u64>(x);
      if (m >> 52) m = (m & ~u64{0x7ff}) | ((m & 0x7ff) ? u64{0x800} : 0);
      const double d = negative ? -static_cast<double>(m) : static_cast<double>(m);
      x = c.to == LaneKind::kF16 ? half_of(d, c.rounding) : bfloat_of(d, c.rounding);
    }
    return write_row(frame, in.d, 2, mask, v);
  }
  set_mode(mxcsr_of(c.rounding));
  if (c.to == LaneKind::kF32) each<float>(frame, in.d, mask, [&](u32 l) { return is_u64 ? static_cast<float>(static_cast<u64>(v[l])) : static_cast<float>(v[l]); });
  else each<double>(frame, in.d, mask, [&](u32 l) { return is_u64 ? static_cast<double>(static_cast<u64>(v[l])) : static_cast<double>(v[l]); });
  set_mode(0x1f80);
}
void float_to_float(std::byte* frame, const Inst& in, u32 mask) {
  const Conversion c = Conversion::unpack(in.sub);
  alignas(32) double f[32];
  read_floats(frame, in.a, c.from, c.flush, f);
  if (c.integral) for (double& x : f) x = whole(x, c.rounding);
  if (c.saturate) for (double& x : f) x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  switch (c.to) {
    case LaneKind::kF16: return each<u16>(frame, in.d, mask, [&](u32 l) { return half_of(f[l], c.rounding); });
    case LaneKind::kBf16: return each<u16>(frame, in.d, mask, [&](u32 l) { return bfloat_of(f[l], c.rounding); });
    case LaneKind::kTf32:
      return each<u32>(frame, in.d, mask, [&](u32 l) { return f[l] != f[l] ? 0x7fffffffu : narrow<8, 10>(f[l], c.rounding) << 13; });
    case LaneKind::kF32: {
      set_mode(mxcsr_of((c.integral ? 0u : c.rounding & 3u) | (c.flush ? 4u : 0u)));
      each<float>(frame, in.d, mask, [&](u32 l) { return canonical(static_cast<float>(f[l])); });
      set_mode(0x1f80);
      return;
    }
    default: return each<double>(frame, in.d, mask, [&](u32 l) { return f[l]; });
  }
}
// cvt.f16x2.f32 d, a, b: a to the high half. sub: rounding, bit 4 bf16, bit 5 relu, bit 6 sat.
void pack_halves(std::byte* frame, const Inst& in, u32 mask) {
  const float *a = row<float>(frame, in.a), *b = row<float>(frame, in.b);
  const u32 mode = in.sub & 7;
  const bool bf = in.sub & 16, relu = in.sub & 32, sat = in.sub & 64;
  const auto one = [=](float v) -> u32 {
    if (relu && v < 0) v = 0;
    u32 h = bf ? bfloat_of(v, mode) : half_of(v, mode);
    if (sat && v == v && (h & 0x7fff) == (bf ? 0x7f80u : 0x7c00u)) --h;
    return h;
  };
  each<u32>(frame, in.d, mask, [=](u32 l) { return one(a[l]) << 16 | one(b[l]); });
}
struct CvtF32S32 { static float of(s32 a) { return static_cast<float>(a); } };
struct CvtU64U32 { static u64 of(u32 a) { return a; } };
struct CvtS64S32 { static s64 of(s32 a) { return a; } };
struct CvtU32U64 { static u32 of(u64 a) { return static_cast<u32>(a); } };
struct CvtF64F32 { static double of(float a) { return a; } };

// --- modes --------------------------------------------------------------------------------------
void with_mode(std::byte* frame, const Inst& in, u32 mask) {
  set_mode(mxcsr_of(in.fp));
  in.inner(frame, in, mask);
  set_mode(0x1f80);
  if (!(in.fp & 8)) return;
  const auto clamp = [&](auto* d) {
    using T = std::remove_reference_t<decltype(*d)>;
    each<T>(frame, in.d, mask, [=](u32 l) { return d[l] > 0 ? (d[l] < 1 ? d[l] : T{1}) : T{0}; });
  };
  if (in.float_bytes == 8) clamp(row<double>(frame, in.d));
  else clamp(row<float>(frame, in.d));
}

#include "traces/emulate/lanes_table.hpp"

}  // namespace

const HandlerTable& table() {
  static const HandlerTable kTable = make_table();
  return kTable;
}
Handler wrapper() { return with_mode; }

}  // namespace warpmem::emulate::WARPMEM_LANES
