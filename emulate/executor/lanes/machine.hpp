// Part of body.hpp: arithmetic that machine code has and PTX has not. Every register has 32 bits;
// a number of 64 lies in two of them, low half first, whose rows follow each other.

constexpr u32 kNextRow =
    32 * sizeof(u32);  // bytes from a register's row to that of the one behind it

// sub, of the integer operations: which operands are negated. In a sum that takes no carry a
// negated operand is its complement and one more; in one that does (kExtended) the complement
// alone.
constexpr u32 kNegateA = 1, kNegateB = 2, kNegateC = 4, kExtended = 8;
// … and which of the carries are the opposite of their predicates.
constexpr u32 kNotCarry = 16, kNotCarry2 = 32;
inline u32 ones_if(bool on) { return on ? ~0u : 0u; }
inline u32 carry_row(std::byte* frame, u32 at, bool inverted) {
  return at == kNoOffset ? 0 : *row<u32>(frame, at) ^ ones_if(inverted);
}
inline void put_mask(std::byte* frame, u32 at, u32 mask, u32 bits) {
  if (at == kNoOffset) return;
  u32& p = *row<u32>(frame, at);
  p = (p & ~mask) | (bits & mask);
}

void sum3(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 x = ones_if(in.sub & kNegateA), y = ones_if(in.sub & kNegateB),
            z = ones_if(in.sub & kNegateC);
  const u32 more = 0 - x - y - z;
  each<u32>(frame, in.d, mask, [=](u32 l) { return (a[l] ^ x) + (b[l] ^ y) + (c[l] ^ z) + more; });
}
// … with carries: in from e and target, out to d2 and extra (one, or two of three operands).
void sum3_carry(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 x = ones_if(in.sub & kNegateA), y = ones_if(in.sub & kNegateB),
            z = ones_if(in.sub & kNegateC);
  const u32 more = in.sub & kExtended ? 0 : 0 - x - y - z;
  const u32 first = carry_row(frame, in.e, in.sub & kNotCarry),
            second = carry_row(frame, in.target, in.sub & kNotCarry2);
  u32 once = 0, twice = 0;
  alignas(32) u32 sum[32];
  for (u32 l = 0; l < 32; ++l) {
    const u64 s =
        u64{a[l] ^ x} + (b[l] ^ y) + (c[l] ^ z) + more + (first >> l & 1) + (second >> l & 1);
    sum[l] = static_cast<u32>(s);
    once |= static_cast<u32>(s >> 32 != 0) << l, twice |= static_cast<u32>(s >> 33 != 0) << l;
  }
  each<u32>(frame, in.d, mask, [&](u32 l) { return sum[l]; });
  put_mask(frame, in.d2, mask, once), put_mask(frame, in.extra, mask, twice);
}
void product_sum(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 p = ones_if((in.sub & kNegateA) != 0) ^ ones_if((in.sub & kNegateB) != 0),
            z = ones_if(in.sub & kNegateC);
  each<u32>(frame, in.d, mask, [=](u32 l) { return ((a[l] * b[l]) ^ p) - p + (c[l] ^ z) - z; });
}
void product_sum_carry(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const u32 z = ones_if(in.sub & kNegateC), first = carry_row(frame, in.e, in.sub & kNotCarry);
  each<u32>(frame, in.d, mask, [=](u32 l) { return a[l] * b[l] + (c[l] ^ z) + (first >> l & 1); });
}
inline u64 pair_at(const u32* low, u32 l) { return low[l] | u64{low[l + 32]} << 32; }
// a * b of 64 bits and the pair c. T: s32 or u32. kHigh: its high half alone.
template <class T, bool kHigh>
void product_sum_wide(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  const u32* c = row<u32>(frame, in.c);
  const u64 p = in.sub & (kNegateA | kNegateB) ? ~u64{0} : 0, z = in.sub & kNegateC ? ~u64{0} : 0;
  alignas(32) u32 low[32], high[32];
  for (u32 l = 0; l < 32; ++l) {
    const u64 product = (static_cast<u64>(static_cast<Wide<T>>(a[l]) * b[l]) ^ p) - p;
    const u64 sum = product + (pair_at(c, l) ^ z) - z;
    low[l] = static_cast<u32>(sum), high[l] = static_cast<u32>(sum >> 32);
  }
  if constexpr (kHigh) return each<u32>(frame, in.d, mask, [&](u32 l) { return high[l]; });
  each<u32>(frame, in.d, mask, [&](u32 l) { return low[l]; });
  each<u32>(frame, in.d + kNextRow, mask, [&](u32 l) { return high[l]; });
}
// … with a carry in from e and out to d2; kNegateC: all bits of the pair are turned.
template <class T, bool kHigh>
void product_sum_wide_carry(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  const u32* c = row<u32>(frame, in.c);
  const u32 first = carry_row(frame, in.e, in.sub & kNotCarry);
  const u64 turned = in.sub & kNegateC ? ~u64{0} : 0;
  alignas(32) u32 low[32], high[32];
  u32 out = 0;
  for (u32 l = 0; l < 32; ++l) {
    const u128 sum = u128{static_cast<u64>(static_cast<Wide<T>>(a[l]) * b[l])} +
                     (pair_at(c, l) ^ turned) + (first >> l & 1);
    low[l] = static_cast<u32>(sum), high[l] = static_cast<u32>(sum >> 32);
    out |= static_cast<u32>(sum >> 64 & 1) << l;
  }
  if constexpr (!kHigh) each<u32>(frame, in.d, mask, [&](u32 l) { return low[l]; });
  each<u32>(frame, kHigh ? in.d : in.d + kNextRow, mask, [&](u32 l) { return high[l]; });
  put_mask(frame, in.d2, mask, out);
}

// LEA: (a << extra) + b.
void shifted_sum(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b);
  const u32 x = ones_if(in.sub & kNegateA), y = ones_if(in.sub & kNegateB), n = in.extra;
  each<u32>(frame, in.d, mask, [=](u32 l) { return (((a[l] ^ x) - x) << n) + (b[l] ^ y) - y; });
}
// … with its carry to d2: of a difference there is one where nothing is borrowed.
void shifted_sum_carry(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b);
  const u32 x = ones_if(in.sub & kNegateA), y = ones_if(in.sub & kNegateB), n = in.extra;
  alignas(32) u32 sum[32];
  u32 out = 0;
  for (u32 l = 0; l < 32; ++l) {
    const u64 s = u64{(a[l] << n) ^ x} + (b[l] ^ y) + (x & 1) + (y & 1);
    sum[l] = static_cast<u32>(s), out |= static_cast<u32>(s >> 32 & 1) << l;
  }
  each<u32>(frame, in.d, mask, [&](u32 l) { return sum[l]; });
  put_mask(frame, in.d2, mask, out);
}
// LEA.HI: the high half of (a, c above it) << extra, and b, and a carry from e (with kExtended b
// may be complemented). kSign: a's sign is above it instead of c.
template <bool kSign>
void shifted_sum_high(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b),
            *c = kSign ? nullptr : row<u32>(frame, in.c);
  const u32 y = ones_if(in.sub & kNegateB), less = in.sub & kExtended ? 0 : y, n = in.extra;
  const u32 first = carry_row(frame, in.e, in.sub & kNotCarry);
  alignas(32) u32 sum[32];
  u32 out = 0;
  for (u32 l = 0; l < 32; ++l) {
    const u32 above = kSign ? static_cast<u32>(static_cast<s32>(a[l]) >> 31) : c[l];
    const u64 s = u64{static_cast<u32>((u64{above} << 32 | a[l]) << n >> 32)} + (b[l] ^ y) +
                  (less & 1) + (first >> l & 1);
    sum[l] = static_cast<u32>(s), out |= static_cast<u32>(s >> 32 & 1) << l;
  }
  each<u32>(frame, in.d, mask, [&](u32 l) { return sum[l]; });
  put_mask(frame, in.d2, mask, out);
}

// SHF: (a, c above it) shifted by b. kHigh: the high half of that. kSigned: c has a sign. kMost: 32
// or 64, beyond which nothing is left; in.sub bit 0: b wraps round there instead.
template <bool kRight, bool kHigh, bool kSigned, u32 kMost>
void funnel(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *c = row<u32>(frame, in.c);
  const bool wraps = in.sub & 1;
  each<u32>(frame, in.d, mask, [=](u32 l) {
    const u32 n = wraps ? b[l] & (kMost - 1) : b[l] < kMost ? b[l] : kMost;
    const u64 v = u64{c[l]} << 32 | a[l];
    u64 r;
    if constexpr (!kRight) r = n < 64 ? v << n : 0;
    else if constexpr (kSigned) r = static_cast<u64>(static_cast<s64>(v) >> (n < 63 ? n : 63));
    else r = n < 64 ? v >> n : 0;
    return static_cast<u32>(kHigh ? r >> 32 : r);
  });
}

// ISETP.EX: the high halves decide, and where they are equal what the low halves gave, in e.
template <class T, class C>
void compare_extended(std::byte* frame, const Inst& in, u32 mask) {
  const T *a = row<T>(frame, in.a), *b = row<T>(frame, in.b);
  const u32 below = carry_row(frame, in.e, in.sub & kNotCarry);
  u32 t = 0;
  for (u32 l = 0; l < 32; ++l)
    t |= static_cast<u32>(a[l] == b[l] ? (below >> l & 1) != 0 : C::of(a[l], b[l])) << l;
  put_predicates(frame, in, mask, t);
}

// |x| and -x of a float by its bits: (a & target) ^ extra.
void set_sign(std::byte* frame, const Inst& in, u32 mask) {
  const u32* a = row<u32>(frame, in.a);
  const u32 keep = in.target, flip = in.extra;
  each<u32>(frame, in.d, mask, [=](u32 l) { return (a[l] & keep) ^ flip; });
}

// PLOP3: three predicates through the tables in sub (to d) and extra (to d2). A predicate's
// opposite: bits 16 to 18 of sub.
inline u32 through_table(u32 table, u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 i = 0; i < 8; ++i)
    if (table >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return r;
}
void predicates3(std::byte* frame, const Inst& in, u32 mask) {
  const u32 a = *row<u32>(frame, in.a) ^ ones_if(in.sub >> 16 & 1),
            b = *row<u32>(frame, in.b) ^ ones_if(in.sub >> 17 & 1),
            c = *row<u32>(frame, in.c) ^ ones_if(in.sub >> 18 & 1);
  put_mask(frame, in.d, mask, through_table(in.sub & 255, a, b, c));
  put_mask(frame, in.d2, mask, through_table(in.extra & 255, a, b, c));
}
// P2R and R2P: predicates 0 to 6 (sub + 4 x number is their place) to and from bits of a byte of
// the register, those of the mask b. extra: which byte.
void predicates_to_bits(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b), *p = row<u32>(frame, in.sub);
  each<u32>(frame, in.d, mask, [=](u32 l) {
    u32 bits = 0;
    for (u32 i = 0; i < 7; ++i) bits |= (p[i] >> l & 1) << i;
    return (a[l] & ~(b[l] << 8 * in.extra)) | (bits & b[l]) << 8 * in.extra;
  });
}
void bits_to_predicates(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b);
  u32* p = row<u32>(frame, in.sub);
  for (u32 i = 0; i < 7; ++i) {
    u32 bits = 0, which = 0;
    for (u32 l = 0; l < 32; ++l)
      bits |= (a[l] >> (8 * in.extra + i) & 1) << l, which |= (b[l] >> i & 1) << l;
    p[i] = (p[i] & ~(mask & which)) | (bits & mask & which);
  }
}

// MUFU takes angles in turns; FMUL.RZ by 1/(2 pi) stands before it.
inline double in_turn(float t) {
  const double r = static_cast<double>(t);
  return r - __builtin_floor(r);
}
struct SinTurns {
  static float of(float a) {
    const double t = in_turn(a);
    return t == 0 ? (__builtin_isfinite(a) ? with_sign(0.0f, a) : canonical(a - a))
                  : canonical(static_cast<float>(t > 0.5 ? -__builtin_sin((1 - t) * kTwoPi)
                                                         : __builtin_sin(t * kTwoPi)));
  }
};
struct CosTurns {
  static float of(float a) {
    return canonical(static_cast<float>(__builtin_cos(in_turn(a) * kTwoPi)));
  }
};
// FCHK.DIVIDE: whether a / b needs the long way: too large, too small or no number.
struct Check {
  static bool of(u32 a, u32 b) {
    const s32 x = static_cast<s32>(a >> 23 & 255), y = static_cast<s32>(b >> 23 & 255);
    return y <= 1 || y >= 252 || x == 255 || x < 24 || x - y > 126 || x - y < -125;
  }
};
void check_division(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b);
  each_predicate(frame, in.d, mask, [=](u32 l) { return Check::of(a[l], b[l]); });
}
// Doubles in pairs of registers. sub: bits 0 to 2 which operands are negated, 3 to 5 of which it is
// the magnitude; a NaN keeps its sign, as neg.f64 (DADD R0, -RZ, -R2) leaves it on an H200.
inline double double_at(const u32* low, u32 l, u32 signs) {
  const u64 bits = pair_at(low, l), sign = u64{1} << 63;
  const auto v = bits_as<double>(bits);
  return v != v ? v : bits_as<double>((signs & 8 ? bits & ~sign : bits) ^ (signs & 1 ? sign : 0));
}
template <class F, int kOperands>
void doubles(std::byte* frame, const Inst& in, u32 mask) {
  const u32 *a = row<u32>(frame, in.a), *b = row<u32>(frame, in.b),
            *c = kOperands > 2 ? row<u32>(frame, in.c) : nullptr;
  const u32 signs = in.sub;
  alignas(32) u32 low[32], high[32];
  for (u32 l = 0; l < 32; ++l) {
    const double p = double_at(a, l, signs), q = double_at(b, l, signs >> 1);
    double r;
    if constexpr (kOperands > 2) r = F::of(p, q, double_at(c, l, signs >> 2));
    else r = F::of(p, q);
    low[l] = static_cast<u32>(bits_as<u64>(r)), high[l] = static_cast<u32>(bits_as<u64>(r) >> 32);
  }
  each<u32>(frame, in.d, mask, [&](u32 l) { return low[l]; });
  each<u32>(frame, in.d + kNextRow, mask, [&](u32 l) { return high[l]; });
}
// DSETP.MAX and .MIN: d where a is it (of zeros: by their signs; of equal ones: the second is
// the largest, the first the least), d2 where neither is a number.
template <bool kMost>
void extreme_of_doubles(std::byte* frame, const Inst& in, u32 mask) {
  const double *a = row<double>(frame, in.a), *b = row<double>(frame, in.b);
  u32 first = 0, none = 0;
  for (u32 l = 0; l < 32; ++l) {
    const bool no_a = a[l] != a[l], no_b = b[l] != b[l];
    const bool same = a[l] == b[l], minus = __builtin_signbit(a[l]) != 0;
    const bool more = a[l] > b[l] || (same && !minus && __builtin_signbit(b[l]) != 0);
    const bool beyond = more == kMost;
    first |= static_cast<u32>(!no_a && (no_b || beyond)) << l;
    none |= static_cast<u32>(no_a && no_b) << l;
  }
  put_mask(frame, in.d, mask, first), put_mask(frame, in.d2, mask, none);
}
// 64 bits of a register's pair in a row of their own, for operations of PTX, and back.
void join_pair(std::byte* frame, const Inst& in, u32 mask) {
  const u32* a = row<u32>(frame, in.a);
  each<u64>(frame, in.d, mask, [=](u32 l) { return pair_at(a, l); });
}
void split_pair(std::byte* frame, const Inst& in, u32 mask) {
  const u64* a = row<u64>(frame, in.a);
  each<u32>(frame, in.d, mask, [=](u32 l) { return static_cast<u32>(a[l]); });
  each<u32>(frame, in.d + kNextRow, mask, [=](u32 l) { return static_cast<u32>(a[l] >> 32); });
}
// A half in a row of its own, and back to the low bits of a register.
void low_half(std::byte* frame, const Inst& in, u32 mask) {
  const u32* a = row<u32>(frame, in.a);
  const u32 shift = in.sub;
  each<u16>(frame, in.d, mask, [=](u32 l) { return static_cast<u16>(a[l] >> shift); });
}
void from_half(std::byte* frame, const Inst& in, u32 mask) {
  const u16* a = row<u16>(frame, in.a);
  each<u32>(frame, in.d, mask, [=](u32 l) { return u32{a[l]}; });
}
// A uniform operation is done once for the warp, whatever lanes are there: in all of them.
void for_all_lanes(std::byte* frame, const Inst& in, u32) { in.inner(frame, in, ~0u); }

// BSSY: those that come are who meets. BMOV between a barrier and a register is a plain move;
// .CLEAR leaves the barrier empty.
void begin_convergence(std::byte* frame, const Inst& in, u32 mask) {
  each<u32>(frame, in.d, mask, [=](u32) { return mask; });
}
void take_convergence(std::byte* frame, const Inst& in, u32 mask) {
  u32* a = row<u32>(frame, in.a);
  each<u32>(frame, in.d, mask, [=](u32 l) { return a[l]; });
  each<u32>(frame, in.a, mask, [](u32) { return 0u; });
}

template <class T>
void add_extended(const Sink& t, Name n) {
  t("machine.setp.lt.", n, compare_extended<T, Lt>),
      t("machine.setp.le.", n, compare_extended<T, Lt>);
  t("machine.setp.gt.", n, compare_extended<T, Gt>),
      t("machine.setp.ge.", n, compare_extended<T, Gt>);
}
void add_machine(const Sink& t) {
  t("machine.sum3", sum3), t("machine.sum3.carry", sum3_carry);
  t("machine.mad", product_sum), t("machine.mad.carry", product_sum_carry);
  t("machine.mad.wide.s32", product_sum_wide<s32, false>),
      t("machine.mad.wide.u32", product_sum_wide<u32, false>);
  t("machine.mad.hi.s32", product_sum_wide<s32, true>),
      t("machine.mad.hi.u32", product_sum_wide<u32, true>);
  t("machine.mad.wide.carry.s32", product_sum_wide_carry<s32, false>),
      t("machine.mad.wide.carry.u32", product_sum_wide_carry<u32, false>);
  t("machine.mad.hi.carry.s32", product_sum_wide_carry<s32, true>),
      t("machine.mad.hi.carry.u32", product_sum_wide_carry<u32, true>);
  t("machine.lea", shifted_sum), t("machine.lea.carry", shifted_sum_carry);
  t("machine.lea.hi", shifted_sum_high<false>), t("machine.lea.hi.sx32", shifted_sum_high<true>);
  t("machine.shf.l.32", funnel<false, false, false, 32>),
      t("machine.shf.l.hi.32", funnel<false, true, false, 32>);
  t("machine.shf.l.64", funnel<false, false, false, 64>),
      t("machine.shf.l.hi.64", funnel<false, true, false, 64>);
  t("machine.shf.r.u.32", funnel<true, false, false, 32>),
      t("machine.shf.r.hi.u.32", funnel<true, true, false, 32>);
  t("machine.shf.r.u.64", funnel<true, false, false, 64>),
      t("machine.shf.r.hi.u.64", funnel<true, true, false, 64>);
  t("machine.shf.r.s.32", funnel<true, false, true, 32>),
      t("machine.shf.r.hi.s.32", funnel<true, true, true, 32>);
  t("machine.shf.r.s.64", funnel<true, false, true, 64>),
      t("machine.shf.r.hi.s.64", funnel<true, true, true, 64>);
  t("machine.setp.eq.s32", compare_extended<s32, Eq>),
      t("machine.setp.ne.s32", compare_extended<s32, Neu>);
  t("machine.setp.eq.u32", compare_extended<u32, Eq>),
      t("machine.setp.ne.u32", compare_extended<u32, Neu>);
  add_extended<s32>(t, "s32"), add_extended<u32>(t, "u32");
  t("machine.sign", set_sign), t("machine.plop3", predicates3),
      t("machine.p2r", predicates_to_bits), t("machine.r2p", bits_to_predicates);
  t("machine.sin", unary<float, float, SinTurns>), t("machine.cos", unary<float, float, CosTurns>),
      t("machine.fchk", check_division);
  t("machine.dadd", doubles<AddF<double>, 2>), t("machine.dmul", doubles<MulF<double>, 2>),
      t("machine.dfma", doubles<FmaF<double>, 3>);
  t("machine.dsetp.max", extreme_of_doubles<true>),
      t("machine.dsetp.min", extreme_of_doubles<false>);
  t("machine.join", join_pair), t("machine.split", split_pair), t("machine.half", low_half),
      t("machine.from_half", from_half);
  t("machine.uniform", for_all_lanes), t("machine.bssy", begin_convergence),
      t("machine.bmov.clear", take_convergence);
}
