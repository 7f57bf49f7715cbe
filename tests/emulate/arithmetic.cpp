// Instructions against the same computation in C++, on edge values.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "emulate/executor/half.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

namespace {

std::vector<u32> edges32() {
  return {0,      1,       2,          3,          7,          31,         32,         33,
          63,     64,      127,        128,        255,        256,        0x7fff,     0x8000,
          0xffff, 0x10000, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
}
// All pairs of the edge values.
template <class T>
void pairs(const std::vector<T>& v, std::vector<T>& a, std::vector<T>& b) {
  for (const T x : v)
    for (const T y : v) a.push_back(x), b.push_back(y);
}
std::vector<u32> float_edges() {
  return {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x00800001,
          0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40490fdb, 0x4b000000, 0x4b7fffff,
          0x4effffff, 0x4f000000, 0x4f800000, 0x5f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
          0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001};
}
float f(u32 bits) { return std::bit_cast<float>(bits); }
u32 same(float v) { return std::isnan(v) ? 0x7fffffffu : std::bit_cast<u32>(v); }

template <class F>
void check_floats(const std::string& op, F reference) {
  std::vector<u32> a, b;
  pairs(float_edges(), a, b);
  const auto got = compute<u32, u32>(op, "f32", "f32", a, "f32", b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(op << " of " << std::hex << a[i] << ", " << b[i] << ": " << got[i]);
    CHECK(got[i] == same(reference(f(a[i]), f(b[i]))));
  }
}
template <class F>
void check_ints(const std::string& op, F reference, const std::string& type = "u32") {
  std::vector<u32> a, b;
  pairs(edges32(), a, b);
  const auto got = compute<u32, u32>(op, type, type, a, type, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(op << " of " << std::hex << a[i] << ", " << b[i] << ": " << got[i]);
    CHECK(got[i] == reference(a[i], b[i]));
  }
}

}  // namespace

TEST_CASE("32-bit integers wrap, shift past their width and divide by zero as hardware does") {
  check_ints("add.s32 %d, %a, %b;", [](u32 a, u32 b) { return a + b; });
  check_ints("sub.u32 %d, %a, %b;", [](u32 a, u32 b) { return a - b; });
  check_ints("mul.lo.s32 %d, %a, %b;", [](u32 a, u32 b) { return a * b; });
  check_ints("mul.hi.s32 %d, %a, %b;", [](u32 a, u32 b) {
    return static_cast<u32>(static_cast<u64>(s64{static_cast<s32>(a)} * static_cast<s32>(b)) >> 32);
  });
  check_ints("mul.hi.u32 %d, %a, %b;",
             [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
  check_ints("mad.lo.u32 %d, %a, %b, 5;", [](u32 a, u32 b) { return a * b + 5; });
  check_ints("shl.b32 %d, %a, %b;", [](u32 a, u32 b) { return b > 31 ? 0 : a << b; });
  check_ints("shr.u32 %d, %a, %b;", [](u32 a, u32 b) { return b > 31 ? 0 : a >> b; });
  check_ints("shr.s32 %d, %a, %b;", [](u32 a, u32 b) {
    return static_cast<u32>(static_cast<s32>(a) >> (b > 31 ? 31 : b));
  });
  check_ints("div.u32 %d, %a, %b;", [](u32 a, u32 b) { return b ? a / b : ~0u; });
  check_ints("rem.u32 %d, %a, %b;", [](u32 a, u32 b) { return b ? a % b : ~0u; });
  check_ints("div.s32 %d, %a, %b;", [](u32 a, u32 b) {
    return b == 0     ? ~0u
           : b == ~0u ? 0u - a
                      : static_cast<u32>(static_cast<s32>(a) / static_cast<s32>(b));
  });
  check_ints("rem.s32 %d, %a, %b;", [](u32 a, u32 b) {
    return b == 0     ? ~0u
           : b == ~0u ? 0u
                      : static_cast<u32>(static_cast<s32>(a) % static_cast<s32>(b));
  });
  check_ints("min.s32 %d, %a, %b;",
             [](u32 a, u32 b) { return static_cast<s32>(a) < static_cast<s32>(b) ? a : b; });
  check_ints("max.s16x2.relu %d, %a, %b;", [](u32 a, u32 b) {  // the mode stands behind the type
    const auto half = [](u32 x, u32 y) {
      const int u = static_cast<std::int16_t>(x), v = static_cast<std::int16_t>(y);
      return static_cast<u32>(std::max({u, v, 0}));
    };
    return half(a, b) | half(a >> 16, b >> 16) << 16;
  });
  check_ints("max.u32 %d, %a, %b;", [](u32 a, u32 b) { return a > b ? a : b; });
  check_ints("sad.u32 %d, %a, %b, 1;", [](u32 a, u32 b) { return (a < b ? b - a : a - b) + 1; });
  check_ints("lop3.b32 %d, %a, %b, 0x0f0f0f0f, 0xE8;", [](u32 a, u32 b) {
    const u32 c = 0x0f0f0f0f;
    return (a & b) | (a & c) | (b & c);
  });
  check_ints("shf.l.wrap.b32 %d, %a, %b, %b;",
             [](u32 a, u32 b) { return (b & 31) ? b << (b & 31) | a >> (32 - (b & 31)) : b; });
  check_ints("shf.r.clamp.b32 %d, %a, %b, %b;", [](u32 a, u32 b) {
    return b >= 32 ? b : b ? b << (32 - b) | a >> b : a;
  });
  check_ints("bfe.u32 %d, %a, %b, 5;", [](u32 a, u32 b) {
    b &= 255;
    return b > 31 ? 0 : (a >> b) & 31;
  });
  check_ints("bfi.b32 %d, %a, 0, %b, 8;", [](u32 a, u32 b) {
    b &= 255;
    return b > 31 ? 0 : (a & 255) << b;
  });
}

TEST_CASE("a mode may follow the type") {
  std::string ptx =
      std::string(kHeader) +
      ".visible .entry k(.param .u64 p) { .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %x<2>;\n"
      "ld.param.u64 %x0, [p]; ld.global.f32 %f0, [%x0];\n"
      "lg2.approx.f32.ftz %f1, %f0; lg2.approx.ftz.f32 %f2, %f0; lg2.approx.f32 %f3, %f0;\n"
      "st.global.f32 [%x0+4], %f1; st.global.f32 [%x0+8], %f2; st.global.f32 [%x0+12], %f3; ret; }";
  Machine m(ptx);
  const u64 at = m.buffer(std::vector<u32>{0x00400000, 0, 0, 0});  // a denormal
  m.argument(at);
  REQUIRE(m.launch("k", {1, 1, 1}, {1, 1, 1}));
  const auto got = m.read<u32>(at, 4);
  CHECK(got[1] == 0xff800000);
  CHECK(got[2] == 0xff800000);
  CHECK(got[3] != 0xff800000);
}

TEST_CASE("one-operand bit instructions") {
  const auto v = edges32();
  const auto check = [&](const std::string& op, auto reference) {
    const auto got = compute<u32, u32>(op, "u32", "u32", v);
    for (std::size_t i = 0; i < v.size(); ++i) {
      INFO(op << " of " << std::hex << v[i]);
      CHECK(got[i] == reference(v[i]));
    }
  };
  check("popc.b32 %d, %a;", [](u32 a) { return static_cast<u32>(std::popcount(a)); });
  check("clz.b32 %d, %a;", [](u32 a) { return static_cast<u32>(std::countl_zero(a)); });
  check("bfind.u32 %d, %a;",
        [](u32 a) { return a ? 31u - static_cast<u32>(std::countl_zero(a)) : ~0u; });
  check("bfind.s32 %d, %a;", [](u32 a) {
    const u32 u = a >> 31 ? ~a : a;
    return u ? 31u - static_cast<u32>(std::countl_zero(u)) : ~0u;
  });
  check("brev.b32 %d, %a;", [](u32 a) {
    u32 r = 0;
    for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i);
    return r;
  });
  check("prmt.b32 %d, %a, 0, 0x0123;", [](u32 a) { return __builtin_bswap32(a); });
  check("neg.s32 %d, %a;", [](u32 a) { return 0u - a; });
  check("abs.s32 %d, %a;", [](u32 a) { return a >> 31 ? 0u - a : a; });
}

TEST_CASE("a carry goes through a chain of additions") {
  std::vector<u64> a, b;
  pairs<u64>({0, 1, 0xffffffff, 0x100000000, 0xffffffffffffffff, 0x8000000000000000}, a, b);
  const std::string split =
      ".reg .b32 a0, a1, b0, b1, d0, d1; mov.b64 {a0, a1}, %a; mov.b64 {b0, b1}, %b; ";
  const auto sum =
      compute<u64, u64>(split + "add.cc.u32 d0, a0, b0; addc.u32 d1, a1, b1; mov.b64 %d, {d0, d1};",
                        "u64", "u64", a, "u64", b);
  const auto difference =
      compute<u64, u64>(split + "sub.cc.u32 d0, a0, b0; subc.u32 d1, a1, b1; mov.b64 %d, {d0, d1};",
                        "u64", "u64", a, "u64", b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(sum[i] == a[i] + b[i]);
    CHECK(difference[i] == a[i] - b[i]);
  }
}

TEST_CASE("float arithmetic gives the canonical NaN and keeps denormals") {
  check_floats("add.rn.f32 %d, %a, %b;", [](float a, float b) { return a + b; });
  check_floats("mul.f32 %d, %a, %b;", [](float a, float b) { return a * b; });
  check_floats("div.rn.f32 %d, %a, %b;", [](float a, float b) { return a / b; });
  check_floats("fma.rn.f32 %d, %a, %b, 0f3F800000;",
               [](float a, float b) { return std::fma(a, b, 1.0f); });
  check_floats("min.f32 %d, %a, %b;", [](float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a < b || (a == b && std::signbit(a)) ? a : b;
  });
  check_floats("max.f32 %d, %a, %b;", [](float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
  });
}

TEST_CASE("float arithmetic rounds as it is told to") {
  for (const auto& [mode, fenv] :
       {std::pair{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
    const int rounding = fenv;
    const auto under = [rounding](auto g) {
      return [=](float a, float b) {
        const volatile float x = a, y = b;
        std::fesetround(rounding);
        const volatile float r = g(x, y);
        std::fesetround(FE_TONEAREST);
        return static_cast<float>(r);
      };
    };
    check_floats(std::string("add.") + mode + ".f32 %d, %a, %b;",
                 under([](float a, float b) { return a + b; }));
    check_floats(std::string("mul.") + mode + ".f32 %d, %a, %b;",
                 under([](float a, float b) { return a * b; }));
    check_floats(std::string("div.") + mode + ".f32 %d, %a, %b;",
                 under([](float a, float b) { return a / b; }));
  }
}

TEST_CASE("ftz flushes operands and results, sat clamps and turns NaN to zero") {
  const auto flush = [](float v) {
    return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
  };
  // A result is tiny when it is so with an unbounded exponent, before it loses bits as a denormal.
  const auto result = [](double exact) {
    return static_cast<float>(std::fabs(exact) < 0x1p-126 ? std::copysign(0.0, exact) : exact);
  };
  check_floats("add.ftz.f32 %d, %a, %b;",
               [&](float a, float b) { return result(static_cast<double>(flush(a)) + flush(b)); });
  check_floats("mul.ftz.f32 %d, %a, %b;",
               [&](float a, float b) { return result(static_cast<double>(flush(a)) * flush(b)); });
  check_floats("add.sat.f32 %d, %a, %b;", [](float a, float b) {
    const float r = a + b;
    return std::isnan(r) || r <= 0 ? 0.0f : r > 1 ? 1.0f : r;
  });
}

TEST_CASE("comparisons know NaN: ordered ones are false, unordered ones true") {
  std::vector<u32> a, b;
  pairs(float_edges(), a, b);
  const auto check = [&](const std::string& name, auto reference) {
    const auto got = compute<u32, u32>(
        ".reg .pred p; setp." + name + ".f32 p, %a, %b; selp.b32 %r9, 1, 0, p; mov.b32 %d, %r9;",
        "u32", "f32", a, "f32", b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO(name << " of " << std::hex << a[i] << ", " << b[i]);
      CHECK((got[i] != 0) == reference(f(a[i]), f(b[i])));
    }
  };
  const auto nan = [](float x, float y) { return std::isnan(x) || std::isnan(y); };
  check("eq", [](float x, float y) { return x == y; });
  check("ne", [&](float x, float y) { return !nan(x, y) && x != y; });
  check("lt", [](float x, float y) { return x < y; });
  check("ge", [](float x, float y) { return x >= y; });
  check("equ", [&](float x, float y) { return nan(x, y) || x == y; });
  check("neu", [](float x, float y) { return !(x == y); });
  check("ltu", [&](float x, float y) { return nan(x, y) || x < y; });
  check("gtu", [&](float x, float y) { return nan(x, y) || x > y; });
  check("num", [&](float x, float y) { return !nan(x, y); });
  check("nan", nan);
}

TEST_CASE("conversions to integers saturate, and NaN becomes zero") {
  const auto v = float_edges();
  const auto clamp = [](double x, double low, double high) {
    return std::isnan(x) ? 0.0 : x < low ? low : x > high ? high : x;
  };
  const auto s = compute<u32, u32>("cvt.rzi.s32.f32 %d, %a;", "s32", "f32", v);
  const auto u = compute<u32, u32>("cvt.rni.u32.f32 %d, %a;", "u32", "f32", v);
  const auto down = compute<u32, u32>("cvt.rmi.s32.f32 %d, %a;", "s32", "f32", v);
  const auto wide = compute<u64, u32>("cvt.rzi.s64.f32 %d, %a;", "s64", "f32", v);
  for (std::size_t i = 0; i < v.size(); ++i) {
    INFO(std::hex << v[i]);
    const double x = f(v[i]);
    CHECK(s[i] ==
          static_cast<u32>(static_cast<s64>(clamp(std::trunc(x), -2147483648.0, 2147483647.0))));
    CHECK(u[i] == static_cast<u32>(static_cast<s64>(clamp(std::nearbyint(x), 0, 4294967295.0))));
    CHECK(down[i] ==
          static_cast<u32>(static_cast<s64>(clamp(std::floor(x), -2147483648.0, 2147483647.0))));
    if (std::isnan(x)) CHECK(wide[i] == 0x8000000000000000u);
    else if (std::fabs(x) < 9e18) CHECK(wide[i] == static_cast<u64>(static_cast<s64>(x)));
    else CHECK(wide[i] == (x < 0 ? 0x8000000000000000u : 0x7fffffffffffffffu));
  }
}

TEST_CASE("integer conversions extend by the source's sign and saturate when asked") {
  const auto v = edges32();
  const auto s8 = compute<u32, u32>("cvt.s32.s8 %d, %a;", "s32", "u32", v);
  const auto u16s = compute<u32, u32>("cvt.u32.u16 %d, %a;", "u32", "u32", v);
  const auto sat =
      compute<u32, u32>(".reg .b16 t; cvt.sat.s8.s32 t, %a; cvt.s32.s16 %d, t;", "s32", "s32", v);
  const auto floats = compute<u32, u32>("cvt.rn.f32.u32 %d, %a;", "f32", "u32", v);
  for (std::size_t i = 0; i < v.size(); ++i) {
    CHECK(s8[i] == static_cast<u32>(static_cast<s32>(static_cast<std::int8_t>(v[i]))));
    CHECK(u16s[i] == (v[i] & 0xffff));
    const auto x = static_cast<s32>(v[i]);
    CHECK(static_cast<s32>(sat[i]) == (x < -128 ? -128 : x > 127 ? 127 : x));
    CHECK(floats[i] == std::bit_cast<u32>(static_cast<float>(v[i])));
  }
}

TEST_CASE("cvt.pack saturates two integers and puts them below what was packed before") {
  const auto v = edges32();
  const auto four = compute<u32, u32>("cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c;", "u32", "s32", v,
                                      "s32", std::vector<u32>(v.size(), static_cast<u32>(-3)),
                                      "u32", std::vector<u32>(v.size(), 0x1234567));
  const auto two =
      compute<u32, u32>("cvt.pack.sat.u2.s32.b32 %d, %b, %a, %c;", "u32", "s32", v, "s32",
                        std::vector<u32>(v.size(), 2), "u32", std::vector<u32>(v.size(), 5));
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto x = static_cast<s32>(v[i]);
    CHECK(four[i] == (0x1234567u << 8 | (static_cast<u32>(std::clamp(x, -8, 7)) & 15) << 4 | 13));
    CHECK(two[i] == (5u << 4 | 2u << 2 | static_cast<u32>(std::clamp(x, 0, 3))));
  }
}

TEST_CASE("every half survives the way through float, and rounding to half is exact") {
  std::vector<u16> all(65536);
  for (u32 i = 0; i < 65536; ++i) all[i] = static_cast<u16>(i);
  const auto back =
      compute<u16, u16>(".reg .f32 t; cvt.f32.f16 t, %a; cvt.rn.f16.f32 %d, t;", "u16", "u16", all);
  for (u32 i = 0; i < 65536; ++i) {
    const bool nan = (i & 0x7fff) > 0x7c00;
    if (back[i] != (nan ? 0x7fff : i))
      FAIL_CHECK("half " << std::hex << i << " became " << back[i]);
  }
  CHECK(half_of(65519.9) == 0x7bff);
  CHECK(half_of(65520.0) == 0x7c00);
  CHECK(half_of(65520.0, kZero) == 0x7bff);
  CHECK(half_of(0x1p-25) == 0);  // halfway between 0 and the least denormal: to even
  CHECK(half_of(0x1.8p-25) == 1);
  CHECK(half_of(1 + 0x1p-11) == 0x3c00);
  CHECK(half_of(1 + 0x1.8p-10) == 0x3c02);
  CHECK(half_of(1 + 0x1p-11, kUp) == 0x3c01);
  CHECK(bfloat_of(1 + 0x1p-8) == 0x3f80);
  CHECK(bfloat_of(1 + 0x1.8p-7) == 0x3f82);
}

TEST_CASE("half arithmetic rounds once") {
  std::mt19937 random(1);
  std::vector<u16> a(4096), b(4096), c(4096);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<u16>(random()), b[i] = static_cast<u16>(random()),
    c[i] = static_cast<u16>(random());
  const auto sum = compute<u16, u16>("add.rn.f16 %d, %a, %b;", "u16", "u16", a, "u16", b);
  const auto fma =
      compute<u16, u16>("fma.rn.f16 %d, %a, %b, %c;", "u16", "u16", a, "u16", b, "u16", c);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(std::hex << a[i] << " " << b[i] << " " << c[i]);
    // x87's 64 bits of mantissa hold any half product, and any half sum but for the most distant.
    CHECK(sum[i] == half_of(half_value(a[i]) + half_value(b[i])));
    const long double exact = static_cast<long double>(half_value(a[i])) * half_value(b[i]) +
                              static_cast<long double>(half_value(c[i]));
    const auto once = static_cast<double>(exact);
    if (static_cast<long double>(once) == exact || std::isnan(once)) CHECK(fma[i] == half_of(once));
  }
}

TEST_CASE("double arithmetic and conversions") {
  std::vector<double> a, b;
  pairs<double>({0.0, -0.0, 1.0, -1.5, 1e308, -1e308, 5e-324, 0x1p-1022, INFINITY, 3.14}, a, b);
  const auto sum = compute<double, double>("add.rn.f64 %d, %a, %b;", "f64", "f64", a, "f64", b);
  const auto quotient =
      compute<double, double>("div.rn.f64 %d, %a, %b;", "f64", "f64", a, "f64", b);
  const auto narrow = compute<float, double>("cvt.rz.f32.f64 %d, %a;", "f32", "f64", a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double s = a[i] + b[i], q = a[i] / b[i];
    CHECK(
        (std::isnan(s) ? std::isnan(sum[i]) : std::bit_cast<u64>(sum[i]) == std::bit_cast<u64>(s)));
    CHECK((std::isnan(q) ? std::isnan(quotient[i])
                         : std::bit_cast<u64>(quotient[i]) == std::bit_cast<u64>(q)));
    if (std::isfinite(a[i])) CHECK(std::fabs(static_cast<double>(narrow[i])) <= std::fabs(a[i]));
  }
}

TEST_CASE("a product and the sum it goes into are one fma, where neither asks for a rounding") {
  const float a = 1.0f + 0x1p-20f, square = a * a;  // the exact square has 2^-40 more
  const auto one = [&](const std::string& body) {
    return compute<float, float>("{ .reg .f32 %x, %y; " + body + " }", "f32", "f32", {a}, "f32",
                                 {a}, "f32", {square})[0];
  };
  CHECK(one("mul.f32 %x, %a, %b; sub.f32 %d, %x, %c;") == 0x1p-40f);
  CHECK(one("mul.f32 %x, %a, %b; sub.f32 %d, %c, %x;") == -0x1p-40f);
  CHECK(one("mul.f32 %x, %a, %b; neg.f32 %y, %c; add.f32 %d, %y, %x;") == 0x1p-40f);
  CHECK(one("mul.rn.f32 %x, %a, %b; sub.f32 %d, %x, %c;") == 0.0f);
  CHECK(one("mul.f32 %x, %a, %b; sub.rn.f32 %d, %x, %c;") == 0.0f);
  CHECK(one("mul.f32 %x, %a, %b; sub.f32 %d, %x, %c; abs.f32 %y, %x; add.f32 %d, %d, %y; sub.f32 "
            "%d, %d, %y;") == 0.0f);
  CHECK(one("mul.f32 %x, %a, %b; add.f32 %d, %x, %x; sub.f32 %d, %d, %c; sub.f32 %d, %d, %c;") ==
        0.0f);
  CHECK(one("mul.f32 %x, %a, %b; bra NEXT;\nNEXT: sub.f32 %d, %x, %c;") == 0.0f);

  // Several sums with one product, and sums of two products: which of them become an fma, as ptxas
  // 13 has it.
  CHECK(one("mul.f32 %x, %a, %b; sub.f32 %d, %x, %c; add.f32 %d, %d, %x; sub.f32 %d, %d, %x;") ==
        -0x1p-40f);
  CHECK(one("mul.f32 %x, %a, %b; mul.f32 %y, %b, %a; sub.f32 %d, %x, %y;") == 0x1p-40f);
  CHECK(one("mul.f32 %y, %b, %a; mul.f32 %x, %a, %b; sub.f32 %d, %x, %y;") == 0x1p-40f);
  CHECK(one("{ .reg .f32 %z; mul.f32 %x, %a, %b; mul.f32 %y, %b, %a; sub.f32 %d, %x, %y; add.f32 "
            "%z, %y, %c; }") == 0x1p-40f);
  CHECK(one("{ .reg .f32 %z; mul.f32 %x, %a, %b; mul.f32 %y, %b, %a; sub.f32 %d, %x, %y; add.f32 "
            "%z, %x, %c; }") == -0x1p-40f);
  CHECK(one("{ .reg .f32 %z; mul.f32 %x, %a, %b; mul.f32 %y, %b, %a; add.f32 %z, %y, %c; sub.f32 "
            "%z, %x, %c; sub.f32 %d, %y, %x; }") == 0x1p-40f);
  CHECK(one("{ .reg .f32 %z; mul.f32 %x, %a, %b; mul.f32 %y, %b, %a; sub.f32 %z, %x, %y; sub.f32 "
            "%d, %y, %c; }") == 0.0f);
}
