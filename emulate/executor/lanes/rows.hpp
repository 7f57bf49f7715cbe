// Part of body.hpp: a row is one register of 32 lanes; loops over rows.

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

template <class T>
struct WideOf;
template <>
struct WideOf<u16> {
  using type = u32;
};
template <>
struct WideOf<s16> {
  using type = s32;
};
template <>
struct WideOf<u32> {
  using type = u64;
};
template <>
struct WideOf<s32> {
  using type = s64;
};
template <>
struct WideOf<u64> {
  using type = u128;
};
template <>
struct WideOf<s64> {
  using type = s128;
};
template <class T>
using Wide = typename WideOf<T>::type;
template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
constexpr u32 kBits = sizeof(T) * 8;

// The processor's rounding and flushing while an operation runs.
inline u32 mxcsr_of(u32 fp) {
  constexpr u32 kRound[4] = {0, 0x6000, 0x2000, 0x4000};  // rn, rz, rm, rp
  return 0x1f80u | kRound[fp & 3] | (fp & 4 ? 0x8040u : 0);
}
// The barrier keeps the compiler from moving arithmetic across the change of mode.
inline void set_mode(u32 mxcsr) { asm volatile("ldmxcsr %0" ::"m"(mxcsr) : "memory"); }
