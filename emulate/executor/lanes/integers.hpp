// Part of body.hpp: integer arithmetic.

// Computed on unsigned numbers of at least 32 bits: wrap-around without undefined behaviour.
template <class T>
inline u64 up(T v) {
  return static_cast<u64>(static_cast<s64>(v));
}
template <class T>
struct AddI {
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  }
};
template <class T>
struct SubI {
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
  }
};
template <class T>
struct MulLo {
  static T of(T a, T b) {
    using W = std::conditional_t<(sizeof(T) < 4), u32, Unsigned<T>>;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};
template <class T>
struct MulHi {
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >> kBits<T>);
  }
};
template <class T>
struct MulWide {
  static Wide<T> of(T a, T b) { return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b); }
};
template <class T>
struct MadLo {
  static T of(T a, T b, T c) { return AddI<T>::of(MulLo<T>::of(a, b), c); }
};
template <class T>
struct MadHi {
  static T of(T a, T b, T c) { return AddI<T>::of(MulHi<T>::of(a, b), c); }
};
template <class T>
struct MadWide {
  static Wide<T> of(T a, T b, Wide<T> c) {
    return AddI<Wide<T>>::of(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b), c);
  }
};
template <class T>
struct Sad {
  static T of(T a, T b, T c) {
    return AddI<T>::of(c, a < b ? SubI<T>::of(b, a) : SubI<T>::of(a, b));
  }
};
template <class T>
struct DivI {
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return SubI<T>::of(0, a);
    return static_cast<T>(a / b);
  }
};
template <class T>
struct RemI {
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
template <class T>
struct MinI {
  static T of(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct MaxI {
  static T of(T a, T b) { return a > b ? a : b; }
};
template <class T>
struct AbsI {
  static T of(T a) { return a < 0 ? SubI<T>::of(0, a) : a; }
};
template <class T>
struct NegI {
  static T of(T a) { return SubI<T>::of(0, a); }
};
template <class T>
struct And {
  static T of(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  static T of(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  static T of(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  static T of(T a) { return static_cast<T>(~a); }
};
template <class T>
struct Cnot {
  static T of(T a) { return a == 0 ? 1 : 0; }
};
template <class T>
struct Move {
  static T of(T a) { return a; }
};
template <class T>
struct Shl {
  static T of(T a, u32 n) {
    return n >= kBits<T> ? T{0} : static_cast<T>(static_cast<Unsigned<T>>(a) << n);
  }
};
template <class T>
struct Shr {
  static T of(T a, u32 n) {
    return std::is_signed_v<T> ? static_cast<T>(a >> (n >= kBits<T> ? kBits<T> - 1 : n))
           : n >= kBits<T>     ? T{0}
                               : static_cast<T>(a >> n);
  }
};

inline s32 clamped(s64 v) {
  return v > 0x7fffffff ? 0x7fffffff : v < -0x7fffffff - 1 ? -0x7fffffff - 1 : static_cast<s32>(v);
}
struct AddSat {
  static s32 of(s32 a, s32 b) { return clamped(s64{a} + b); }
};
struct SubSat {
  static s32 of(s32 a, s32 b) { return clamped(s64{a} - b); }
};
struct MadHiSat {
  static s32 of(s32 a, s32 b, s32 c) { return clamped((s64{a} * b >> 32) + c); }
};
// Products of 24-bit numbers: the low 32 bits of 48, or the high 32.
template <class T>
inline s64 low24(T v) {
  return std::is_signed_v<T> ? static_cast<s64>(static_cast<s32>(static_cast<u32>(v) << 8) >> 8)
                             : static_cast<s64>(static_cast<u32>(v) & 0xffffff);
}
template <class T>
struct Mul24Lo {
  static T of(T a, T b) { return static_cast<T>(low24(a) * low24(b)); }
};
template <class T>
struct Mul24Hi {
  static T of(T a, T b) { return static_cast<T>(low24(a) * low24(b) >> 16); }
};
template <class T>
struct Mad24Lo {
  static T of(T a, T b, T c) { return AddI<T>::of(Mul24Lo<T>::of(a, b), c); }
};
template <class T>
struct Mad24Hi {
  static T of(T a, T b, T c) { return AddI<T>::of(Mul24Hi<T>::of(a, b), c); }
};
struct Mad24HiSat {
  static s32 of(s32 a, s32 b, s32 c) { return clamped((low24(a) * low24(b) >> 16) + c); }
};
template <class F>
struct Relu {  // s32: nothing below zero
  template <class T>
  static T of(T a, T b) {
    const T r = F::of(a, b);
    return r < 0 ? T{0} : r;
  }
};
template <class T, class F>
struct TwoOf {  // two 16-bit numbers in a register
  static u32 of(u32 a, u32 b) {
    const auto low = static_cast<u16>(F::of(static_cast<T>(a), static_cast<T>(b)));
    const auto high = static_cast<u16>(F::of(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return low | static_cast<u32>(high) << 16;
  }
};
