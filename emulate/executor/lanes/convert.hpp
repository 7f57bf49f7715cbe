// Part of body.hpp: packing, conversions and modes.

template <class D, class A, u32 kParts>  // mov.b32 d, {a, b}: sources in a, b, c, e
void pack(std::byte* frame, const Inst& in, u32 mask) {
  const A* s[4] = {row<A>(frame, in.a), row<A>(frame, in.b),
                   kParts > 2 ? row<A>(frame, in.c) : nullptr,
                   kParts > 2 ? row<A>(frame, in.e) : nullptr};
  each<D>(frame, in.d, mask, [=](u32 l) {
    D v = 0;
    for (u32 i = 0; i < kParts; ++i)
      v = static_cast<D>(v | static_cast<D>(static_cast<D>(s[i][l]) << (i * kBits<D> / kParts)));
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
constexpr s64 kLeast64 = -0x7fffffffffffffff - 1;
struct Limits {
  s64 low;
  u64 high;
};
inline Limits limits_of(LaneKind k) {
  switch (k) {
    case LaneKind::kU8: return {0, 255};
    case LaneKind::kU16: return {0, 65535};
    case LaneKind::kU32: return {0, 0xffffffffu};
    case LaneKind::kS8: return {-128, 127};
    case LaneKind::kS16: return {-32768, 32767};
    case LaneKind::kS32: return {-2147483648ll, 2147483647};
    case LaneKind::kS64: return {kLeast64, 0x7fffffffffffffffu};
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
    case LaneKind::kF16:
      for (u32 l = 0; l < 32; ++l) out[l] = half_value(row<u16>(frame, a)[l]);
      break;
    case LaneKind::kBf16:
      for (u32 l = 0; l < 32; ++l) out[l] = bfloat_value(row<u16>(frame, a)[l]);
      break;
    case LaneKind::kF32:
      for (u32 l = 0; l < 32; ++l) {
        float f = row<float>(frame, a)[l];
        if (flush && __builtin_fabsf(f) < 1.17549435e-38f) f = __builtin_copysignf(0, f);
        out[l] = f;
      }
      break;
    default:
      for (u32 l = 0; l < 32; ++l) out[l] = row<double>(frame, a)[l];
      break;
  }
}
inline double least_normal(LaneKind kind) {
  return kind == LaneKind::kF16 ? 0x1p-14 : kind == LaneKind::kF64 ? 0x1p-1022 : 0x1p-126;
}
// What machine code asks for besides.
inline void prepare_floats(const Conversion& c, double* f) {
  if (c.flush_all)
    for (u32 l = 0; l < 32; ++l)
      if (__builtin_fabs(f[l]) < least_normal(c.from)) f[l] = __builtin_copysign(0.0, f[l]);
  if (!c.negate && !c.absolute) return;
  for (u32 l = 0; l < 32; ++l) {
    if (f[l] != f[l]) continue;
    if (c.absolute) f[l] = __builtin_fabs(f[l]);
    if (c.negate) f[l] = -f[l];
  }
}
inline s64 integer_of_nan(const Conversion& c) {
  if (c.nan == NanAs::kZero) return 0;
  const u32 bits = c.to == LaneKind::kU8 || c.to == LaneKind::kS8     ? 8
                   : c.to == LaneKind::kU16 || c.to == LaneKind::kS16 ? 16
                   : c.to == LaneKind::kU32 || c.to == LaneKind::kS32 ? 32
                                                                      : 64;
  const s64 most = static_cast<s64>(u64{1} << (bits - 1));
  if (c.nan == NanAs::kMost || bits == 64) return most;
  // PTX: 0, but that when either side has 64 bits, with the sign of a narrow one.
  if (c.from != LaneKind::kF64) return 0;
  return c.to == LaneKind::kS16 || c.to == LaneKind::kS8 ? -most : most;
}
void float_to_integer(std::byte* frame, const Inst& in, u32 mask) {
  const Conversion c = Conversion::unpack(in.sub);
  alignas(32) double f[32];
  alignas(32) s64 v[32];
  read_floats(frame, in.a, c.from, c.flush, f);
  prepare_floats(c, f);
  const Limits lim = limits_of(c.to);
  const s64 nan = integer_of_nan(c);
  const double low = static_cast<double>(lim.low), high = static_cast<double>(lim.high);
  for (u32 l = 0; l < 32; ++l) {
    if (f[l] != f[l]) {
      v[l] = nan;
      continue;
    }
    const double w = whole(f[l], c.rounding);
    if (w <= low) v[l] = lim.low;
    else if (w >= high) v[l] = static_cast<s64>(lim.high);
    else
      v[l] =
          w >= 9223372036854775808.0 ? static_cast<s64>(static_cast<u64>(w)) : static_cast<s64>(w);
  }
  write_row(frame, in.d, c.to_bytes, mask, v);
}
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
  if (c.to == LaneKind::kF32)
    each<float>(frame, in.d, mask, [&](u32 l) {
      return is_u64 ? static_cast<float>(static_cast<u64>(v[l])) : static_cast<float>(v[l]);
    });
  else
    each<double>(frame, in.d, mask, [&](u32 l) {
      return is_u64 ? static_cast<double>(static_cast<u64>(v[l])) : static_cast<double>(v[l]);
    });
  set_mode(0x1f80);
}
// A NaN on its way to fewer bits: from double its sign and high bits stay, made quiet.
template <int kExponent, int kMantissa>
inline u32 narrow_nan(double v) {
  const u64 bits = bits_as<u64>(v);
  return static_cast<u32>(bits >> 63) << (kExponent + kMantissa) |
         ((1u << kExponent) - 1) << kMantissa | 1u << (kMantissa - 1) |
         (static_cast<u32>(bits >> (52 - kMantissa)) & ((1u << kMantissa) - 1));
}
void float_to_float(std::byte* frame, const Inst& in, u32 mask) {
  const Conversion c = Conversion::unpack(in.sub);
  const bool from_double = c.from == LaneKind::kF64, keeps = from_double && !c.saturate;
  if (c.from == LaneKind::kBf16 && c.to == LaneKind::kF32 && !c.saturate && !c.integral &&
      !c.relu && !c.flush_all) {
    const u16* a = row<u16>(frame, in.a);
    return each<u32>(frame, in.d, mask, [=](u32 l) { return static_cast<u32>(a[l]) << 16; });
  }
  alignas(32) double f[32];
  read_floats(frame, in.a, c.from, c.flush && c.to != LaneKind::kF16, f);
  prepare_floats(c, f);
  if (c.integral)
    for (double& x : f) x = whole(x, c.rounding);
  if (c.saturate)
    for (double& x : f) x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
  if (c.relu)
    for (double& x : f) x = x > 0 || x != x ? x : 0.0;
  switch (c.to) {
    case LaneKind::kF16:
      return each<u16>(frame, in.d, mask, [&](u32 l) {
        const u16 h = keeps && f[l] != f[l] ? static_cast<u16>(narrow_nan<5, 10>(f[l]))
                                            : half_of(f[l], c.rounding);
        return c.flush_all && (h & 0x7c00) == 0 ? static_cast<u16>(h & 0x8000) : h;
      });
    case LaneKind::kBf16:
      return each<u16>(frame, in.d, mask, [&](u32 l) {
        const u16 h = keeps && f[l] != f[l] ? static_cast<u16>(narrow_nan<8, 7>(f[l]))
                                            : bfloat_of(f[l], c.rounding);
        return c.flush_all && (h & 0x7f80) == 0 ? static_cast<u16>(h & 0x8000) : h;
      });
    case LaneKind::kTf32:
      return each<u32>(frame, in.d, mask, [&](u32 l) {
        if (f[l] != f[l])
          return c.rounding == kAway ? *(row<u32>(frame, in.a) + l) & ~0x1fffu : 0x7fffe000u;
        u32 r = narrow<8, 10>(f[l], c.rounding) << 13;
        if (c.finite && (r & 0x7fffffffu) == 0x7f800000u) r -= 0x2000;
        return r;
      });
    case LaneKind::kF32: {
      set_mode(mxcsr_of((c.integral ? 0u : c.rounding & 3u) | (c.flush || c.flush_all ? 4u : 0u)));
      each<float>(frame, in.d, mask, [&](u32 l) {
        return keeps && f[l] != f[l] ? bits_as<float>(narrow_nan<8, 23>(f[l]))
                                     : canonical(static_cast<float>(f[l]));
      });
      set_mode(0x1f80);
      return;
    }
    default:
      return each<double>(frame, in.d, mask, [&](u32 l) {
        if (f[l] == f[l]) return f[l];
        return c.flush && c.from == LaneKind::kF32 ? bits_as<double>(u64{0x7fffffffe0000000})
                                                   : quieted(f[l]);
      });
  }
}
// cvt.f16x2.f32 d, a, b: a to the high half. sub: rounding, bit 4 bf16, bit 5 relu, bit 6 sat.
void pack_halves(std::byte* frame, const Inst& in, u32 mask) {
  const float *a = row<float>(frame, in.a), *b = row<float>(frame, in.b);
  const u32 mode = in.sub & 7;
  const bool bf = in.sub & 16, relu = in.sub & 32, sat = in.sub & 64;
  const auto one = [=](float v) -> u32 {
    if (relu && !(v > 0) && v == v) v = 0;
    u32 h = bf ? bfloat_of(v, mode) : half_of(v, mode);
    if (sat && v == v && (h & 0x7fff) == (bf ? 0x7f80u : 0x7c00u)) --h;
    return h;
  };
  each<u32>(frame, in.d, mask, [=](u32 l) { return one(a[l]) << 16 | one(b[l]); });
}
// Pairs of 8-bit floats. sub: bit 0 e5m2, bit 1 relu.
void pack_bytes(std::byte* frame, const Inst& in,
                u32 mask) {  // cvt.e4m3x2.f32 d, a, b: a to the high byte
  const float *a = row<float>(frame, in.a), *b = row<float>(frame, in.b);
  const bool wide = in.sub & 1, relu = in.sub & 2;
  const auto one = [=](float v) -> u32 {
    if (relu && !(v > 0) && v == v) v = 0;
    return wide ? e5m2_of(v) : e4m3_of(v);
  };
  each<u16>(frame, in.d, mask, [=](u32 l) { return static_cast<u16>(one(a[l]) << 8 | one(b[l])); });
}
void halves_to_bytes(std::byte* frame, const Inst& in, u32 mask) {
  const u32* a = row<u32>(frame, in.a);
  const bool wide = in.sub & 1, relu = in.sub & 2, bf = in.sub & 4;
  const auto one = [=](u32 h) -> u32 {
    double v = bf ? bfloat_value(static_cast<u16>(h)) : half_value(static_cast<u16>(h));
    if (relu && !(v > 0) && v == v) v = 0;
    return wide ? e5m2_of(v) : e4m3_of(v);
  };
  each<u16>(frame, in.d, mask,
            [=](u32 l) { return static_cast<u16>(one(a[l] >> 16) << 8 | one(a[l])); });
}
void bytes_to_halves(std::byte* frame, const Inst& in, u32 mask) {
  const u16* a = row<u16>(frame, in.a);
  const bool wide = in.sub & 1, relu = in.sub & 2;
  const auto one = [=](u32 b) -> u32 {
    double v = wide ? e5m2_value(static_cast<u8>(b)) : e4m3_value(static_cast<u8>(b));
    if (relu && !(v > 0) && v == v) v = 0;
    return half_of(v);
  };
  each<u32>(frame, in.d, mask, [=](u32 l) { return one(a[l] >> 8) << 16 | one(a[l] & 255u); });
}
// cvt.pack.sat: a above b, and of 8 bits and less what fits of c above them. sub: bits << 1 |
// signed.
void pack_integers(std::byte* frame, const Inst& in, u32 mask) {
  const s32 *a = row<s32>(frame, in.a), *b = row<s32>(frame, in.b);
  const u32* c = in.c == kNoOffset ? nullptr : row<u32>(frame, in.c);
  const u32 bits = in.sub >> 1, kept = (1u << bits) - 1;
  const bool is_signed = in.sub & 1;
  const s32 high = static_cast<s32>(is_signed ? kept >> 1 : kept), low = is_signed ? -high - 1 : 0;
  const auto one = [=](s32 v) {
    return static_cast<u32>(v < low ? low : v > high ? high : v) & kept;
  };
  each<u32>(frame, in.d, mask,
            [=](u32 l) { return (c ? c[l] << 2 * bits : 0u) | one(a[l]) << bits | one(b[l]); });
}
struct CvtF32S32 {
  static float of(s32 a) { return static_cast<float>(a); }
};
struct CvtU64U32 {
  static u64 of(u32 a) { return a; }
};
struct CvtS64S32 {
  static s64 of(s32 a) { return a; }
};
struct CvtU32U64 {
  static u32 of(u64 a) { return static_cast<u32>(a); }
};
struct CvtF64F32 {
  static double of(float a) { return a; }
};

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
