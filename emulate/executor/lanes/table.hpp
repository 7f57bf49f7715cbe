// Part of body.hpp: the operations by name. Names are put together by whoever is told them, because
// no string may be made here (body.hpp says why).

struct Sink {
  AddHandler add;
  void* to;
  void operator()(const char* head, const char* operation, const char* type,
                  Handler handler) const {
    add(to, head, operation, type, handler);
  }
  void operator()(const char* operation, const char* type, Handler handler) const {
    add(to, "", operation, type, handler);
  }
  void operator()(const char* name, Handler handler) const { add(to, "", name, "", handler); }
};
using Name = const char*;

template <class T>
void add_integers(const Sink& t, Name n) {
  t("add.", n, binary<T, T, T, AddI<T>>), t("sub.", n, binary<T, T, T, SubI<T>>);
  t("mul.lo.", n, binary<T, T, T, MulLo<T>>), t("mul.hi.", n, binary<T, T, T, MulHi<T>>);
  t("mad.lo.", n, ternary<T, T, T, T, MadLo<T>>), t("mad.hi.", n, ternary<T, T, T, T, MadHi<T>>);
  t("sad.", n, ternary<T, T, T, T, Sad<T>>), t("div.", n, binary<T, T, T, DivI<T>>),
      t("rem.", n, binary<T, T, T, RemI<T>>);
  t("min.", n, binary<T, T, T, MinI<T>>), t("max.", n, binary<T, T, T, MaxI<T>>);
  if constexpr (sizeof(T) == 4) {
    t("mul24.lo.", n, binary<T, T, T, Mul24Lo<T>>), t("mul24.hi.", n, binary<T, T, T, Mul24Hi<T>>);
    t("mad24.lo.", n, ternary<T, T, T, T, Mad24Lo<T>>),
        t("mad24.hi.", n, ternary<T, T, T, T, Mad24Hi<T>>);
    t("szext.wrap.", n, binary<T, T, u32, Szext<T, false>>),
        t("szext.clamp.", n, binary<T, T, u32, Szext<T, true>>);
  }
  if constexpr (std::is_signed_v<T>)
    t("abs.", n, unary<T, T, AbsI<T>>), t("neg.", n, unary<T, T, NegI<T>>);
  t("shr.", n, binary<T, T, u32, Shr<T>>);
}
template <class T, bool kOrder>
void add_common(const Sink& t, Name n) {  // of integers and bits
  t("mov.", n, unary<T, T, Move<T>>), t("selp.", n, selp<T>);
  t("slct.s32.", n, ternary<T, T, T, s32, Slct<T, s32>>),
      t("slct.f32.", n, ternary<T, T, T, float, Slct<T, float>>);
  t("setp.eq.", n, setp<T, Eq>), t("setp.ne.", n, setp<T, Neu>), t("set.eq.", n, set<T, Eq>),
      t("set.ne.", n, set<T, Neu>);
  if constexpr (kOrder) {
    t("setp.lt.", n, setp<T, Lt>), t("setp.lo.", n, setp<T, Lt>), t("setp.le.", n, setp<T, Le>),
        t("setp.ls.", n, setp<T, Le>);
    t("setp.gt.", n, setp<T, Gt>), t("setp.hi.", n, setp<T, Gt>), t("setp.ge.", n, setp<T, Ge>),
        t("setp.hs.", n, setp<T, Ge>);
    t("set.lt.", n, set<T, Lt>), t("set.lo.", n, set<T, Lt>), t("set.le.", n, set<T, Le>),
        t("set.ls.", n, set<T, Le>);
    t("set.gt.", n, set<T, Gt>), t("set.hi.", n, set<T, Gt>), t("set.ge.", n, set<T, Ge>),
        t("set.hs.", n, set<T, Ge>);
  }
}
template <class T>
void add_bits(const Sink& t, Name n) {
  t("and.", n, binary<T, T, T, And<T>>), t("or.", n, binary<T, T, T, Or<T>>),
      t("xor.", n, binary<T, T, T, Xor<T>>);
  t("not.", n, unary<T, T, Not<T>>), t("cnot.", n, unary<T, T, Cnot<T>>);
  t("shl.", n, binary<T, T, u32, Shl<T>>), t("shr.", n, binary<T, T, u32, Shr<T>>);
  add_common<T, false>(t, n);
}
// M::template handler<Comparison>() for the fourteen comparisons of floats.
template <class M>
void add_comparisons(const Sink& t, Name head, Name n) {
  t(head, "eq.", n, M::template handler<Eq>()), t(head, "ne.", n, M::template handler<Ne>());
  t(head, "lt.", n, M::template handler<Lt>()), t(head, "le.", n, M::template handler<Le>());
  t(head, "gt.", n, M::template handler<Gt>()), t(head, "ge.", n, M::template handler<Ge>());
  t(head, "equ.", n, M::template handler<Equ>()), t(head, "neu.", n, M::template handler<Neu>());
  t(head, "ltu.", n, M::template handler<Ltu>()), t(head, "leu.", n, M::template handler<Leu>());
  t(head, "gtu.", n, M::template handler<Gtu>()), t(head, "geu.", n, M::template handler<Geu>());
  t(head, "num.", n, M::template handler<Num>()), t(head, "nan.", n, M::template handler<Nan>());
}
template <class T, class In>
struct SetpOf {
  template <class C>
  static Handler handler() {
    return setp<T, C, In>;
  }
};
template <class T, class In>
struct SetOf {
  template <class C>
  static Handler handler() {
    return set<T, C, In>;
  }
};
template <class H>
struct SetHalfOf {
  template <class C>
  static Handler handler() {
    return set_half<H, C>;
  }
};
template <class In, bool kSet>
struct PairsOf {
  template <class C>
  static Handler handler() {
    return compare_pairs<In, C, kSet>;
  }
};

template <class T>
void add_floats(const Sink& t, Name n) {
  t("add.", n, binary<T, T, T, AddF<T>>), t("sub.", n, binary<T, T, T, SubF<T>>),
      t("mul.", n, binary<T, T, T, MulF<T>>);
  t("div.", n, binary<T, T, T, DivF<T>>), t("fma.", n, ternary<T, T, T, T, FmaF<T>>),
      t("mad.", n, ternary<T, T, T, T, FmaF<T>>);
  t("abs.", n, unary<T, T, AbsF<T>>), t("neg.", n, unary<T, T, NegF<T>>),
      t("mov.", n, unary<T, T, Move<T>>);
  t("min.", n, binary<T, T, T, MinF<T>>), t("max.", n, binary<T, T, T, MaxF<T>>);
  t("min.NaN.", n, binary<T, T, T, MinNan<T>>), t("max.NaN.", n, binary<T, T, T, MaxNan<T>>);
  t("min.xorsign.abs.", n, binary<T, T, T, Xorsign<MinF<T>>>),
      t("max.xorsign.abs.", n, binary<T, T, T, Xorsign<MaxF<T>>>);
  t("min.NaN.xorsign.abs.", n, binary<T, T, T, Xorsign<MinNan<T>>>),
      t("max.NaN.xorsign.abs.", n, binary<T, T, T, Xorsign<MaxNan<T>>>);
  t("min3.", n, ternary<T, T, T, T, Three<MinF<T>>>),
      t("max3.", n, ternary<T, T, T, T, Three<MaxF<T>>>);
  t("min3.NaN.", n, ternary<T, T, T, T, Three<MinNan<T>>>),
      t("max3.NaN.", n, ternary<T, T, T, T, Three<MaxNan<T>>>);
  t("sqrt.", n, unary<T, T, SqrtF<T>>), t("rcp.", n, unary<T, T, RcpF<T>>),
      t("copysign.", n, binary<T, T, T, CopysignF<T>>);
  t("testp.finite.", n, testp<T, 0>), t("testp.infinite.", n, testp<T, 1>),
      t("testp.number.", n, testp<T, 2>);
  t("testp.notanumber.", n, testp<T, 3>), t("testp.normal.", n, testp<T, 4>),
      t("testp.subnormal.", n, testp<T, 5>);
  add_comparisons<SetpOf<T, Plain>>(t, "setp.", n);
  add_comparisons<SetOf<T, Plain>>(t, "set.", n);
  t("selp.", n, selp<T>);
  t("slct.s32.", n, ternary<T, T, T, s32, Slct<T, s32>>),
      t("slct.f32.", n, ternary<T, T, T, float, Slct<T, float>>);
}
template <class H, bool P>
void add_halves(const Sink& t, Name n) {
  t("add.", n, halves<H, AddD, 2, P>), t("sub.", n, halves<H, SubD, 2, P>),
      t("mul.", n, halves<H, MulD, 2, P>);
  t("fma.", n, halves<H, FmaD, 3, P>), t("fma.relu.", n, halves<H, FmaReluD, 3, P>);
  t("abs.", n, halves<H, AbsD, 1, P>), t("neg.", n, halves<H, NegD, 1, P>);
  t("min.", n, halves<H, MinF<double>, 2, P>), t("max.", n, halves<H, MaxF<double>, 2, P>);
  t("min.NaN.", n, halves<H, MinNan<double>, 2, P>),
      t("max.NaN.", n, halves<H, MaxNan<double>, 2, P>);
  t("min.xorsign.abs.", n, halves<H, Xorsign<MinF<double>>, 2, P>),
      t("max.xorsign.abs.", n, halves<H, Xorsign<MaxF<double>>, 2, P>);
  t("min.NaN.xorsign.abs.", n, halves<H, Xorsign<MinNan<double>>, 2, P>),
      t("max.NaN.xorsign.abs.", n, halves<H, Xorsign<MaxNan<double>>, 2, P>);
  t("ex2.", n, halves<H, Ex2D, 1, P>), t("tanh.", n, halves<H, TanhD, 1, P>);
  if constexpr (P) {
    add_comparisons<PairsOf<H, false>>(t, "setp.", n),
        add_comparisons<PairsOf<H, true>>(t, "set.", n);
    add_comparisons<PairsOf<FlushedHalf<H>, false>>(t, "setp.ftz.", n),
        add_comparisons<PairsOf<FlushedHalf<H>, true>>(t, "set.ftz.", n);
  } else {
    add_comparisons<SetpOf<u16, H>>(t, "setp.", n),
        add_comparisons<SetpOf<u16, FlushedHalf<H>>>(t, "setp.ftz.", n);
    add_comparisons<SetOf<u16, H>>(t, "set.", n),
        add_comparisons<SetOf<u16, FlushedHalf<H>>>(t, "set.ftz.", n);  // to 32 bits
    add_comparisons<SetHalfOf<H>>(t, "set.half.", n),
        add_comparisons<SetHalfOf<FlushedHalf<H>>>(t, "set.half.ftz.", n);  // to 16 bits
  }
}

void add_all(const Sink& t) {
  add_integers<u16>(t, "u16"), add_integers<s16>(t, "s16"), add_integers<u32>(t, "u32");
  add_integers<s32>(t, "s32"), add_integers<u64>(t, "u64"), add_integers<s64>(t, "s64");
  add_common<u16, true>(t, "u16"), add_common<s16, true>(t, "s16"), add_common<u32, true>(t, "u32");
  add_common<s32, true>(t, "s32"), add_common<u64, true>(t, "u64"), add_common<s64, true>(t, "s64");
  add_bits<u16>(t, "b16"), add_bits<u32>(t, "b32"), add_bits<u64>(t, "b64");
  t("mov.b128", unary<u128, u128, Move<u128>>);
  t("mul.wide.u16", binary<u32, u16, u16, MulWide<u16>>),
      t("mul.wide.s16", binary<s32, s16, s16, MulWide<s16>>);
  t("mul.wide.u32", binary<u64, u32, u32, MulWide<u32>>),
      t("mul.wide.s32", binary<s64, s32, s32, MulWide<s32>>);
  t("mad.wide.u16", ternary<u32, u16, u16, u32, MadWide<u16>>),
      t("mad.wide.s16", ternary<s32, s16, s16, s32, MadWide<s16>>);
  t("mad.wide.u32", ternary<u64, u32, u32, u64, MadWide<u32>>),
      t("mad.wide.s32", ternary<s64, s32, s32, s64, MadWide<s32>>);
  t("popc.b32", unary<u32, u32, Popc32>), t("popc.b64", unary<u32, u64, Popc64>);
  t("clz.b32", unary<u32, u32, Clz32>), t("clz.b64", unary<u32, u64, Clz64>);
  t("bfind.u32", unary<u32, u32, Bfind<u32>>), t("bfind.s32", unary<u32, s32, Bfind<s32>>);
  t("bfind.u64", unary<u32, u64, Bfind<u64>>), t("bfind.s64", unary<u32, s64, Bfind<s64>>);
  t("bfind.shiftamt.u32", unary<u32, u32, BfindShift<u32>>),
      t("bfind.shiftamt.s32", unary<u32, s32, BfindShift<s32>>);
  t("bfind.shiftamt.u64", unary<u32, u64, BfindShift<u64>>),
      t("bfind.shiftamt.s64", unary<u32, s64, BfindShift<s64>>);
  t("brev.b32", unary<u32, u32, Brev<u32>>), t("brev.b64", unary<u64, u64, Brev<u64>>);
  t("bfe.u32", ternary<u32, u32, u32, u32, Bfe<u32>>),
      t("bfe.s32", ternary<s32, s32, u32, u32, Bfe<s32>>);
  t("bfe.u64", ternary<u64, u64, u32, u32, Bfe<u64>>),
      t("bfe.s64", ternary<s64, s64, u32, u32, Bfe<s64>>);
  t("fns.b32", ternary<u32, u32, u32, s32, Fns>);
  t("bmsk.wrap.b32", binary<u32, u32, u32, Bmsk<false>>),
      t("bmsk.clamp.b32", binary<u32, u32, u32, Bmsk<true>>);
  t("add.sat.s32", binary<s32, s32, s32, AddSat>), t("sub.sat.s32", binary<s32, s32, s32, SubSat>);
  t("mad.hi.sat.s32", ternary<s32, s32, s32, s32, MadHiSat>),
      t("mad24.hi.sat.s32", ternary<s32, s32, s32, s32, Mad24HiSat>);
  t("min.relu.s32", binary<s32, s32, s32, Relu<MinI<s32>>>),
      t("max.relu.s32", binary<s32, s32, s32, Relu<MaxI<s32>>>);
  t("add.u16x2", binary<u32, u32, u32, TwoOf<u16, AddI<u16>>>),
      t("add.s16x2", binary<u32, u32, u32, TwoOf<u16, AddI<u16>>>);
  t("min.u16x2", binary<u32, u32, u32, TwoOf<u16, MinI<u16>>>),
      t("max.u16x2", binary<u32, u32, u32, TwoOf<u16, MaxI<u16>>>);
  t("min.s16x2", binary<u32, u32, u32, TwoOf<s16, MinI<s16>>>),
      t("max.s16x2", binary<u32, u32, u32, TwoOf<s16, MaxI<s16>>>);
  t("min.relu.s16x2", binary<u32, u32, u32, TwoOf<s16, Relu<MinI<s16>>>>),
      t("max.relu.s16x2", binary<u32, u32, u32, TwoOf<s16, Relu<MaxI<s16>>>>);
  t("video", video), t("video.parts", video_parts);
  t("bfi.b32", bfi<u32>), t("bfi.b64", bfi<u64>);
  t("shf.l.wrap.b32", ternary<u32, u32, u32, u32, ShfL>),
      t("shf.r.wrap.b32", ternary<u32, u32, u32, u32, ShfR>);
  t("shf.l.clamp.b32", ternary<u32, u32, u32, u32, ShfLClamp>),
      t("shf.r.clamp.b32", ternary<u32, u32, u32, u32, ShfRClamp>);
  t("prmt.b32", prmt), t("lop3.b32", lop3);
  t("dp4a.u32.u32", dot<false, false, 4, 8>), t("dp4a.u32.s32", dot<false, true, 4, 8>);
  t("dp4a.s32.u32", dot<true, false, 4, 8>), t("dp4a.s32.s32", dot<true, true, 4, 8>);
  t("dp2a.u32.u32", dot<false, false, 2, 16>), t("dp2a.u32.s32", dot<false, true, 2, 16>);
  t("dp2a.s32.u32", dot<true, false, 2, 16>), t("dp2a.s32.s32", dot<true, true, 2, 16>);
  t("carry.add.4", carry<u32, false>), t("carry.add.8", carry<u64, false>);
  t("carry.sub.4", carry<u32, true>), t("carry.sub.8", carry<u64, true>);
  t("carry.mad.lo.u32", carry_mad<u32, false>), t("carry.mad.lo.s32", carry_mad<s32, false>);
  t("carry.mad.hi.u32", carry_mad<u32, true>), t("carry.mad.hi.s32", carry_mad<s32, true>);
  t("carry.mad.lo.u64", carry_mad<u64, false>), t("carry.mad.lo.s64", carry_mad<s64, false>);
  t("carry.mad.hi.u64", carry_mad<u64, true>), t("carry.mad.hi.s64", carry_mad<s64, true>);

  add_floats<float>(t, "f32");
  add_floats<double>(t, "f64");
  t("abs.ftz.f32", unary<float, float, Flush<AbsF<float>>>),
      t("neg.ftz.f32", unary<float, float, Flush<NegF<float>>>);
  t("min.ftz.f32", binary<float, float, float, Flush<MinF<float>>>),
      t("max.ftz.f32", binary<float, float, float, Flush<MaxF<float>>>);
  t("min.ftz.NaN.f32", binary<float, float, float, Flush<MinNan<float>>>),
      t("max.ftz.NaN.f32", binary<float, float, float, Flush<MaxNan<float>>>);
  t("min.ftz.xorsign.abs.f32", binary<float, float, float, Flush<Xorsign<MinF<float>>>>),
      t("max.ftz.xorsign.abs.f32", binary<float, float, float, Flush<Xorsign<MaxF<float>>>>);
  t("min.ftz.NaN.xorsign.abs.f32", binary<float, float, float, Flush<Xorsign<MinNan<float>>>>),
      t("max.ftz.NaN.xorsign.abs.f32", binary<float, float, float, Flush<Xorsign<MaxNan<float>>>>);
  t("add.f32x2", pairs_of_floats<AddF<float>, 2>), t("sub.f32x2", pairs_of_floats<SubF<float>, 2>),
      t("mul.f32x2", pairs_of_floats<MulF<float>, 2>);
  t("fma.f32x2", pairs_of_floats<FmaF<float>, 3>);
  t("div.approx.f32", binary<float, float, float, DivApprox>);
  t("rcp.approx.f64", unary<double, double, RcpHigh>),
      t("rsqrt.approx.ftz.f64", unary<double, double, RsqrtHigh>);
  t("rsqrt.f32", unary<float, float, Rsqrt>), t("rsqrt.f64", unary<double, double, Rsqrt64>);
  t("sin.f32", unary<float, float, Sin>), t("cos.f32", unary<float, float, Cos>),
      t("lg2.f32", unary<float, float, Lg2>);
  t("ex2.f32", unary<float, float, Ex2>), t("tanh.f32", unary<float, float, Tanh>);
  add_halves<Half, false>(t, "f16"), add_halves<Half, true>(t, "f16x2");
  add_halves<Bfloat, false>(t, "bf16"), add_halves<Bfloat, true>(t, "bf16x2");

  t("mov.pred", predicates<0>), t("not.pred", predicates<1>), t("and.pred", predicates<2>);
  t("or.pred", predicates<3>), t("xor.pred", predicates<4>);
  t("pack.4.2", pack<u32, u16, 2>), t("pack.8.4", pack<u64, u32, 2>),
      t("pack.8.2", pack<u64, u16, 4>);
  t("pack.16.8", pack<u128, u64, 2>);
  t("part.2.4", part<u16, u32>), t("part.4.8", part<u32, u64>), t("part.2.8", part<u16, u64>),
      t("part.8.16", part<u64, u128>);
  t("cvt.integers", convert_integers), t("cvt.to_integer", float_to_integer),
      t("cvt.from_integer", integer_to_float);
  t("cvt.floats", float_to_float), t("cvt.pair", pack_halves), t("cvt.bytes", pack_bytes),
      t("cvt.halves_to_bytes", halves_to_bytes);
  t("cvt.bytes_to_halves", bytes_to_halves), t("cvt.pack", pack_integers);
  t("cvt.f32.s32", unary<float, s32, CvtF32S32>), t("cvt.u64.u32", unary<u64, u32, CvtU64U32>);
  t("cvt.s64.s32", unary<s64, s32, CvtS64S32>), t("cvt.u32.u64", unary<u32, u64, CvtU32U64>);
  t("cvt.f64.f32", unary<double, float, CvtF64F32>);
}
