// Part of body.hpp: comparisons, selections and predicates.

struct Eq {
  template <class T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static bool of(T a, T b) {
    return (a < b) | (a > b);
  }
};  // ordered
struct Lt {
  template <class T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static bool of(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static bool of(T a, T b) {
    return a >= b;
  }
};
struct Equ {
  template <class T>
  static bool of(T a, T b) {
    return !((a < b) | (a > b));
  }
};
struct Neu {
  template <class T>
  static bool of(T a, T b) {
    return a != b;
  }
};
struct Ltu {
  template <class T>
  static bool of(T a, T b) {
    return !(a >= b);
  }
};
struct Leu {
  template <class T>
  static bool of(T a, T b) {
    return !(a > b);
  }
};
struct Gtu {
  template <class T>
  static bool of(T a, T b) {
    return !(a <= b);
  }
};
struct Geu {
  template <class T>
  static bool of(T a, T b) {
    return !(a < b);
  }
};
struct Num {
  template <class T>
  static bool of(T a, T b) {
    return (a == a) & (b == b);
  }
};
struct Nan {
  template <class T>
  static bool of(T a, T b) {
    return (a != a) | (b != b);
  }
};

struct Plain {
  template <class T>
  static T in(T v) {
    return v;
  }
};
template <class H>
struct FlushedHalf {
  static double in(u16 v) { return H::in(v & H::kExponent ? v : v & 0x8000); }
};

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
  if (in.d != kNoOffset) {
    u32& d = *row<u32>(frame, in.d);
    d = (d & ~mask) | (p & mask);
  }
  if (in.d2 != kNoOffset) {
    u32& d = *row<u32>(frame, in.d2);
    d = (d & ~mask) | (q & mask);
  }
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
    low |= static_cast<u32>(C::of(H::in(static_cast<u16>(a[l])), H::in(static_cast<u16>(b[l]))))
           << l;
    high |= static_cast<u32>(
                C::of(H::in(static_cast<u16>(a[l] >> 16)), H::in(static_cast<u16>(b[l] >> 16))))
            << l;
  }
  if constexpr (kSet) {
    const u32 one = in.sub >> 2 == 1 ? 0x3c00u : in.sub >> 2 == 3 ? 0x3f80u : 0xffffu;
    each<u32>(frame, in.d, mask,
              [=](u32 l) { return (low >> l & 1 ? one : 0) | (high >> l & 1 ? one << 16 : 0); });
  } else {
    if (in.d != kNoOffset) {
      u32& d = *row<u32>(frame, in.d);
      d = (d & ~mask) | (low & mask);
    }
    if (in.d2 != kNoOffset) {
      u32& d = *row<u32>(frame, in.d2);
      d = (d & ~mask) | (high & mask);
    }
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
template <class T, class C>
struct Slct {
  static T of(T a, T b, C c) { return c >= 0 ? a : b; }
};

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
template <class T,
          int kWhat>  // testp: 0 finite 1 infinite 2 number 3 notanumber 4 normal 5 subnormal
void testp(std::byte* frame, const Inst& in, u32 mask) {
  const T* a = row<T>(frame, in.a);
  each_predicate(frame, in.d, mask, [=](u32 l) {
    const int c =  // NaN, infinite, normal, subnormal, zero
        __builtin_fpclassify(0, 1, 2, 3, 4, a[l]);
    switch (kWhat) {
      case 0: return c > 1;
      case 1: return c == 1;
      case 2: return c != 0;
      case 3: return c == 0;
      case 4: return c == 2 || c == 4;  // zero counts as normal
      default: return c == 3;
    }
  });
}
