// Part of body.hpp: bit operations and carry chains.

struct Popc32 {
  static u32 of(u32 a) { return static_cast<u32>(__builtin_popcount(a)); }
};
struct Popc64 {
  static u32 of(u64 a) { return static_cast<u32>(__builtin_popcountll(a)); }
};
struct Clz32 {
  static u32 of(u32 a) { return a ? static_cast<u32>(__builtin_clz(a)) : 32; }
};
struct Clz64 {
  static u32 of(u64 a) { return a ? static_cast<u32>(__builtin_clzll(a)) : 64; }
};
template <class T>
struct Bfind {  // position of the highest bit that differs from the sign
  static u32 of(T a) {
    const auto u = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
    return u ? 63 - static_cast<u32>(__builtin_clzll(u)) : ~0u;
  }
};
template <class T>
struct BfindShift {
  static u32 of(T a) {
    const u32 at = Bfind<T>::of(a);
    return at == ~0u ? at : kBits<T> - 1 - at;
  }
};
template <class T>
struct Brev {
  static T of(T a) {
    u64 v = a, r = 0;
    for (u32 i = 0; i < kBits<T>; ++i) r = r << 1 | (v >> i & 1);
    return static_cast<T>(r);
  }
};
// Position and length: of 32-bit fields the low byte counts, of 64-bit ones all of the register.
template <class T>
inline u32 field(u32 v) {
  return sizeof(T) == 4 ? v & 255 : v;
}
template <class T>
struct Bfe {
  static T of(T a, u32 b, u32 c) {
    const u32 pos = field<T>(b), len = field<T>(c);
    if (len == 0) return 0;
    const u32 from = pos < kBits<T> ? pos : kBits<T>;
    const bool sign = std::is_signed_v<T> &&
                      (up(a) >> (len < kBits<T> - from ? from + len - 1 : kBits<T> - 1) & 1);
    u64 r = sign ? ~u64{0} : 0;
    const u32 have = len < kBits<T> - from ? len : kBits<T> - from;
    if (have == 0) return static_cast<T>(r);
    const u64 ones = have == 64 ? ~u64{0} : (u64{1} << have) - 1;
    return static_cast<T>((r & ~ones) | (up(a) >> from & ones));
  }
};
template <class T>
struct Bfi {
  static T of(T a, T b, u32 c, u32 d) {
    const u32 pos = field<T>(c), len = field<T>(d);
    if (pos >= kBits<T> || len == 0) return b;
    const u32 have = len < kBits<T> - pos ? len : kBits<T> - pos;
    const u64 ones = (have == 64 ? ~u64{0} : (u64{1} << have) - 1) << pos;
    return static_cast<T>((b & ~ones) | (static_cast<u64>(a) << pos & ones));
  }
};
template <class T>
void bfi(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  const u32 *c = row<u32>(frame, in.c), *e = row<u32>(frame, in.e);
  each<T>(frame, in.d, mask, [=](u32 l) { return Bfi<T>::of(a[l], b[l], c[l], e[l]); });
}
struct ShfL {
  static u32 of(u32 a, u32 b, u32 n) {
    return static_cast<u32>(((static_cast<u64>(b) << 32 | a) << (n & 31)) >> 32);
  }
};
struct ShfR {
  static u32 of(u32 a, u32 b, u32 n) {
    return static_cast<u32>((static_cast<u64>(b) << 32 | a) >> (n & 31));
  }
};
struct ShfLClamp {
  static u32 of(u32 a, u32 b, u32 n) { return n >= 32 ? a : ShfL::of(a, b, n); }
};
struct ShfRClamp {
  static u32 of(u32 a, u32 b, u32 n) { return n >= 32 ? b : ShfR::of(a, b, n); }
};

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
  each<u32>(frame, in.d, mask,
            [=](u32 l) { return permute(static_cast<u64>(b[l]) << 32 | a[l], c[l], mode); });
}
void lop3(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  u32 t[8];
  for (u32 i = 0; i < 8; ++i) t[i] = in.sub >> i & 1 ? ~0u : 0;
  // lop3.and, lop3.or: d2 = (result != 0) joined with the predicate e; sub's bits from 8 say how (1
  // and, 2 or).
  const auto result = [=](u32 l) {
    const u32 x = a[l], y = b[l], z = c[l];
    return (t[0] & ~x & ~y & ~z) | (t[1] & ~x & ~y & z) | (t[2] & ~x & y & ~z) |
           (t[3] & ~x & y & z) | (t[4] & x & ~y & ~z) | (t[5] & x & ~y & z) | (t[6] & x & y & ~z) |
           (t[7] & x & y & z);
  };
  if (in.d2 != kNoOffset) {
    u32 some = 0, q = *row<u32>(frame, in.e);
    for (u32 l = 0; l < 32; ++l) some |= static_cast<u32>(result(l) != 0) << l;
    if (in.negate_c) q = ~q;
    u32& p = *row<u32>(frame, in.d2);
    const u32 joined = in.sub >> 8 == 1 ? some & q : some | q;
    each<u32>(frame, in.d, mask, result);
    p = (p & ~mask) | (joined & mask);
    return;
  }
  each<u32>(frame, in.d, mask, result);
}
template <bool kSignedA, bool kSignedB, u32 kCount, u32 kWidthA>  // dp4a; dp2a: in.sub = 0 lo, 1 hi
void dot(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 first = in.sub;
  each<u32>(frame, in.d, mask, [=](u32 l) {
    u32 sum = c[l];
    for (u32 i = 0; i < kCount; ++i) {
      const u32 x = a[l] >> (kWidthA * i) & ((1u << kWidthA) - 1),
                y = b[l] >> (8 * (i + first * 2)) & 255;
      const s32 sx =
          kSignedA ? static_cast<s32>(x << (32 - kWidthA)) >> (32 - kWidthA) : static_cast<s32>(x);
      const s32 sy = kSignedB ? static_cast<s32>(y << 24) >> 24 : static_cast<s32>(y);
      sum += static_cast<u32>(sx) * static_cast<u32>(sy);
    }
    return sum;
  });
}
struct Fns {  // the offset-th set bit from base up (or down)
  static u32 of(u32 mask, u32 base, s32 offset) {
    if (offset == -0x7fffffff - 1) return 0;
    if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
    const s64 step = offset > 0 ? 1 : -1;
    s64 left = (offset > 0 ? s64{offset} : -s64{offset}) - 1;
    for (s64 at = base; at >= 0 && at < 32; at += step)
      if ((mask >> at & 1) && left-- == 0) return static_cast<u32>(at);
    return ~0u;
  }
};
template <bool kClamp>
struct Bmsk {  // b ones from bit a on
  static u32 of(u32 a, u32 b) {
    if (kClamp && a >= 32) return 0;
    const u32 from = a & 31, sum = from + (b & 31), low = ~0u << from;
    if (sum >= 32 || (kClamp && b >= 32)) return low;
    return low & ~(~0u << sum);
  }
};
template <class T, bool kClamp>
struct Szext {  // the low b bits of a, extended
  static T of(T a, u32 b) {
    const u32 n = b & 31;
    if (kClamp && b >= 32) return a;
    if (n == 0) return 0;
    return std::is_signed_v<T>
               ? static_cast<T>(static_cast<s32>(static_cast<u32>(a) << (32 - n)) >> (32 - n))
               : static_cast<T>(static_cast<u32>(a) << (32 - n) >> (32 - n));
  }
};

// Carry chains: in.e is the carry predicate; as in hardware a subtraction leaves it clear when it
// borrows. sub: bit 0 reads it, bit 1 writes it.
template <class T, bool kSub>
void carry(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  T* d = row<T>(frame, in.d);
  u32& cc = *row<u32>(frame, in.e);
  for (u32 l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const u128 x = a[l], y = kSub ? static_cast<T>(~b[l]) : b[l];
    const u128 r = x + y + (in.sub & 1 ? cc >> l & 1 : kSub ? 1 : 0);
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
    const u128 x =
        static_cast<Unsigned<T>>(kHi ? MulHi<T>::of(a[l], b[l]) : MulLo<T>::of(a[l], b[l]));
    const u128 r = x + static_cast<Unsigned<T>>(c[l]) + (in.sub & 1 ? cc >> l & 1 : 0);
    d[l] = static_cast<T>(r);
    if (in.sub & 2) cc = (cc & ~(1u << l)) | static_cast<u32>(r >> kBits<T> & 1) << l;
  }
}
