// Part of body.hpp: half and bfloat16.

// Half and bfloat16: F::of in double of exact operands, one rounding at the end.
struct Half {
  static double in(u16 v) { return half_value(v); }
  static u16 out(double v) { return half_of(v); }
  static constexpr u16 kExponent = 0x7c00;
  static constexpr double kLeast = 0x1p-14;  // normal number
};
struct Bfloat {
  static double in(u16 v) { return bfloat_value(v); }
  static u16 out(double v) { return bfloat_of(v); }
  static constexpr u16 kExponent = 0x7f80;
  static constexpr double kLeast = 0x1p-126;
};
struct AddD {
  static double of(double a, double b) { return fma_odd(1, a, b); }
};
struct SubD {
  static double of(double a, double b) { return fma_odd(1, a, -b); }
};
struct MulD {
  static double of(double a, double b) { return a * b; }
};
struct FmaD {
  static double of(double a, double b, double c) { return fma_odd(a, b, c); }
};
struct FmaReluD {
  static double of(double a, double b, double c) {
    const double r = fma_odd(a, b, c);
    return r > 0 || r != r ? r : 0.0;
  }
};
struct AbsD {
  static double of(double a) { return __builtin_fabs(a); }
};
struct NegD {
  static double of(double a) { return -a; }
};
struct Ex2D {
  static double of(double a) { return __builtin_exp2(a); }
};
struct TanhD {
  static double of(double a) { return __builtin_tanh(a); }
};
// in.sub: saturate to [0, 1] (NaN to 0); flush. A result is tiny when it is so before it is
// rounded. kPairs: two in a 32-bit register.
template <class H, class F, int kOperands, bool kPairs>
void halves(std::byte* frame, const Inst& in, u32 mask) {
  using R = std::conditional_t<kPairs, u32, u16>;
  const R* a = row<R>(frame, in.a);
  const R* b = kOperands > 1 ? row<R>(frame, in.b) : nullptr;
  const R* c = kOperands > 2 ? row<R>(frame, in.c) : nullptr;
  const bool sat = in.sub & 1, flush = in.sub & 2;
  const auto one = [=](u16 x, u16 y, u16 z) -> u16 {
    const auto get = [=](u16 v) { return H::in(flush && !(v & H::kExponent) ? v & 0x8000 : v); };
    double r;
    if constexpr (kOperands == 1) r = F::of(get(x));
    else if constexpr (kOperands == 2) r = F::of(get(x), get(y));
    else r = F::of(get(x), get(y), get(z));
    if (sat) r = r > 0 ? (r < 1 ? r : 1.0) : 0.0;
    if (flush && __builtin_fabs(r) < H::kLeast) r = __builtin_copysign(0, r);
    return H::out(r);
  };
  each<R>(frame, in.d, mask, [=](u32 l) {
    const u32 x = a[l], y = b ? b[l] : 0, z = c ? c[l] : 0;
    u32 r = one(static_cast<u16>(x), static_cast<u16>(y), static_cast<u16>(z));
    if constexpr (kPairs)
      r |= static_cast<u32>(
               one(static_cast<u16>(x >> 16), static_cast<u16>(y >> 16), static_cast<u16>(z >> 16)))
           << 16;
    return static_cast<R>(r);
  });
}
