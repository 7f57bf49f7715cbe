// The list of instruction forms. Written as loops over types, modes and comparisons, because that
// is how the instruction set is made.
#include "tests/emulate/hardware/forms.hpp"

#include <array>
#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace warpmem::emulate::hardware {
namespace {

using Text = std::string;
using Texts = std::vector<std::string>;

class List {
 public:
  std::vector<Form> all;

  // "op %d, %a, %b;"
  Form& plain(const Text& op, const Text& result, const Texts& operands) {
    Text body = op + " %d";
    for (std::size_t i = 0; i < operands.size(); ++i)
      body += Text(", %") + static_cast<char>('a' + i);
    return with(op, body + ";", result, operands);
  }
  Form& with(const Text& name, const Text& body, const Text& result, const Texts& operands) {
    Form f;
    f.name = name, f.body = body, f.result = result, f.operands = operands;
    all.push_back(f);
    return all.back();
  }
  void predicate(const Text& op, const Texts& operands) {
    Text body = ".reg .pred p; " + op + " p";
    for (std::size_t i = 0; i < operands.size(); ++i)
      body += Text(", %") + static_cast<char>('a' + i);
    with(op, body + "; selp.u32 %d, 1, 0, p;", "u32", operands);
  }
};

const Texts kRound = {"rn", "rz", "rm", "rp"};
const Texts kOrdered = {"eq", "ne", "lt", "le", "gt", "ge"};
const Texts kUnordered = {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

Text bits_of(const Text& type) { return "b" + std::to_string(bytes_of(type) * 8); }

void integers(List& l) {
  for (const Text& t :
       {Text("u16"), Text("s16"), Text("u32"), Text("s32"), Text("u64"), Text("s64")}) {
    for (const char* op : {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"})
      l.plain(Text(op) + "." + t, t, {t, t});
    for (const char* op : {"mad.lo", "mad.hi", "sad"}) l.plain(Text(op) + "." + t, t, {t, t, t});
    if (bytes_of(t) < 8) {
      const Text wide = Text(1, t[0]) + std::to_string(bytes_of(t) * 16);
      l.plain("mul.wide." + t, wide, {t, t});
      l.plain("mad.wide." + t, wide, {t, t, wide});
    }
    if (t[0] == 's') l.plain("abs." + t, t, {t}), l.plain("neg." + t, t, {t});
    l.plain("shr." + t, t, {t, "shift"});
    for (const Text& c : kOrdered) l.predicate("setp." + c + "." + t, {t, t});
    l.with("setp.lt.and." + t,
           ".reg .pred p, q, r; setp.gt.s64 r, %c, 0; setp.lt.and." + t +
               " p|q, %a, %b, r; selp.u32 %d, 1, 0, p; @q add.u32 %d, %d, 2;",
           "u32", {t, t, "s64"});
    l.with("setp.ge.or." + t,
           ".reg .pred p, q, r; setp.gt.s64 r, %c, 0; setp.ge.or." + t +
               " p|q, %a, %b, !r; selp.u32 %d, 1, 0, p; @q add.u32 %d, %d, 2;",
           "u32", {t, t, "s64"});
    l.plain("set.lt.u32." + t, "u32", {t, t}), l.plain("set.ge.f32." + t, "f32", {t, t});
    l.with("selp." + t, ".reg .pred r; setp.gt.s32 r, %c, 0; selp." + t + " %d, %a, %b, r;", t,
           {t, t, "s32"});
    l.plain("slct." + t + ".s32", t, {t, t, "s32"});
    l.plain("slct." + t + ".f32", t, {t, t, "f32"});
  }
  for (const Text& t : {Text("u16"), Text("u32"), Text("u64")})
    for (const char* c : {"lo", "ls", "hi", "hs"}) l.predicate(Text("setp.") + c + "." + t, {t, t});
  l.plain("add.sat.s32", "s32", {"s32", "s32"}), l.plain("sub.sat.s32", "s32", {"s32", "s32"});
  l.plain("mad.hi.sat.s32", "s32", {"s32", "s32", "s32"}),
      l.plain("mad24.hi.sat.s32", "s32", {"s32", "s32", "s32"});
  for (const Text& t : {Text("u32"), Text("s32")})
    for (const char* part : {"lo", "hi"})
      l.plain(Text("mul24.") + part + "." + t, t, {t, t}),
          l.plain(Text("mad24.") + part + "." + t, t, {t, t, t});
  for (const char* op : {"min", "max"}) {
    l.plain(Text(op) + ".relu.s32", "s32", {"s32", "s32"}),
        l.plain(Text(op) + ".relu.s16x2", "s16x2", {"u32", "u32"});
    for (const char* t : {"u16x2", "s16x2"}) l.plain(Text(op) + "." + t, t, {"u32", "u32"});
  }
  l.plain("add.u16x2", "u16x2", {"u32", "u32"}), l.plain("add.s16x2", "s16x2", {"u32", "u32"});
  for (const char* a : {"u32", "s32"})
    for (const char* b : {"u32", "s32"}) {
      l.plain(Text("dp4a.") + a + "." + b, "u32", {a, b, "u32"});
      for (const char* part : {"lo", "hi"})
        l.plain(Text("dp2a.") + part + "." + a + "." + b, "u32", {a, b, "u32"});
    }
}

void bits(List& l) {
  for (const Text& t : {Text("b16"), Text("b32"), Text("b64")}) {
    for (const char* op : {"and", "or", "xor"}) l.plain(Text(op) + "." + t, t, {t, t});
    l.plain("not." + t, t, {t}), l.plain("cnot." + t, t, {t});
    l.plain("shl." + t, t, {t, "shift"}), l.plain("shr." + t, t, {t, "shift"});
    l.predicate("setp.eq." + t, {t, t}), l.predicate("setp.ne." + t, {t, t});
    l.with("selp." + t, ".reg .pred r; setp.gt.s32 r, %c, 0; selp." + t + " %d, %a, %b, r;", t,
           {t, t, "s32"});
    if (t == "b16") continue;
    l.plain("popc." + t, "u32", {t}), l.plain("clz." + t, "u32", {t}), l.plain("brev." + t, t, {t});
    for (const char* s : {"u", "s"}) {
      const Text n = s + t.substr(1);
      l.plain("bfind." + n, "u32", {n}), l.plain("bfind.shiftamt." + n, "u32", {n}),
          l.plain("bfe." + n, n, {n, "shift", "shift"});
    }
    l.with("bfi." + t, "bfi." + t + " %d, %a, %a, %b, %c;", t, {t, "shift", "shift"});
    l.with("bfi." + t + " into zeros", "bfi." + t + " %d, %a, 0, %b, %c;", t,
           {t, "shift", "shift"});
  }
  for (const char* side : {"l", "r"})
    for (const char* mode : {"wrap", "clamp"})
      l.plain(Text("shf.") + side + "." + mode + ".b32", "b32", {"b32", "b32", "shift"});
  l.plain("prmt.b32", "b32", {"b32", "b32", "b32"});
  for (const char* mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"})
    l.plain(Text("prmt.b32.") + mode, "b32", {"b32", "b32", "shift"});
  for (const char* table : {"0x00", "0x01", "0x1a", "0x80", "0x96", "0xca", "0xe8", "0xfe"})
    l.with(Text("lop3.b32 ") + table, Text("lop3.b32 %d, %a, %b, %c, ") + table + ";", "b32",
           {"b32", "b32", "b32"});
  l.with("lop3.or.b32",
         ".reg .pred p, q; .reg .b32 t; setp.gt.s32 q, %c, 0; lop3.or.b32 t|p, %a, %b, %c, 0x6a, "
         "q; selp.u32 %d, 1, 0, p; xor.b32 %d, %d, t;",
         "b32", {"b32", "b32", "b32"});
  l.with("lop3.and.b32",
         ".reg .pred p, q; .reg .b32 t; setp.gt.s32 q, %c, 0; lop3.and.b32 t|p, %a, %b, %c, 0x6a, "
         "!q; selp.u32 %d, 1, 0, p; xor.b32 %d, %d, t;",
         "b32", {"b32", "b32", "b32"});
  l.plain("fns.b32", "b32", {"b32", "shift", "s32"});
  for (const char* mode : {"wrap", "clamp"}) {
    l.plain(Text("bmsk.") + mode + ".b32", "b32", {"shift", "shift"});
    for (const char* t : {"u32", "s32"}) l.plain(Text("szext.") + mode + "." + t, t, {t, "shift"});
  }
  // Carry chains: the low word makes a carry, the high word takes it and makes one of its own.
  for (const Text& t : {Text("u32"), Text("s32")}) {
    const Text end = " mov.b64 %d, {x, y};";
    l.with("add.cc." + t,
           ".reg .b32 x, y; add.cc." + t + " x, %a, %b; addc." + t + " y, %c, %b;" + end, "u64",
           {t, t, t});
    l.with("addc.cc." + t,
           ".reg .b32 x, y; add.cc." + t + " x, %a, %b; addc.cc." + t + " x, %c, %b; addc." + t +
               " y, 0, 0;" + end,
           "u64", {t, t, t});
    l.with("sub.cc." + t,
           ".reg .b32 x, y; sub.cc." + t + " x, %a, %b; subc." + t + " y, %c, %b;" + end, "u64",
           {t, t, t});
    l.with("subc.cc." + t,
           ".reg .b32 x, y; sub.cc." + t + " x, %a, %b; subc.cc." + t + " x, %c, %b; subc." + t +
               " y, 0, 0;" + end,
           "u64", {t, t, t});
    l.with("sub.cc, addc " + t,
           ".reg .b32 x, y; sub.cc." + t + " x, %a, %b; addc." + t + " y, %c, %b;" + end, "u64",
           {t, t, t});
    l.with(
        "mad.lo.cc." + t,
        ".reg .b32 x, y; mad.lo.cc." + t + " x, %a, %b, %c; madc.hi." + t + " y, %a, %b, %c;" + end,
        "u64", {t, t, t});
    l.with("mad.hi.cc." + t,
           ".reg .b32 x, y; mad.hi.cc." + t + " x, %a, %b, %c; addc." + t + " y, %a, 0;" + end,
           "u64", {t, t, t});
    l.with("madc.lo.cc." + t,
           ".reg .b32 x, y; add.cc." + t + " x, %a, %c; madc.lo.cc." + t +
               " x, %a, %b, %c; madc.hi." + t + " y, %b, %c, %a;" + end,
           "u64", {t, t, t});
  }
  l.with("add.cc.u64", ".reg .b64 x; add.cc.u64 x, %a, %b; addc.u64 %d, %a, %c;", "u64",
         {"u64", "u64", "u64"});
  l.with("sub.cc.u64", ".reg .b64 x; sub.cc.u64 x, %a, %b; subc.u64 %d, %a, %c;", "u64",
         {"u64", "u64", "u64"});
  l.with("mad.lo.cc.u64", ".reg .b64 x; mad.lo.cc.u64 x, %a, %b, %c; madc.hi.u64 %d, %a, %b, %c;",
         "u64", {"u64", "u64", "u64"});
}

void video(List& l) {
  const std::array<std::array<const char*, 3>, 4> types = {
      {{"u32", "u32", "u32"}, {"s32", "s32", "s32"}, {"u32", "s32", "u32"}, {"s32", "u32", "s32"}}};
  for (const auto& [d, a, b] : types) {
    const Text t = Text(".") + d + "." + a + "." + b;
    const Text s = Text(".") + d + "." + a + "." + b + ".sat";
    for (const char* op : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"}) {
      l.plain(op + t, d, {a, b});
      l.with(op + s, op + s + " %d, %a.b1, %b.h1;", d, {a, b});
      l.plain(op + t + ".add", d, {a, b, "u32"});
      l.plain(op + t + ".min", d, {a, b, "s32"}).refused = true;
      l.with(op + t + " to b2", op + t + " %d.b2, %a, %b.b3, %c;", d, {a, b, "u32"});
    }
    const Text v = Text(".") + d + "." + a + "." + b;
    for (const char* op : {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vadd4",
                           "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"}) {
      l.plain(op + v, d, {a, b, "u32"});
      if (Text(op).find("vavrg") == Text::npos) l.plain(op + v + ".sat", d, {a, b, "u32"});
      l.plain(op + v + ".add", d, {a, b, "u32"});
    }
    for (const char* c : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      const Text ab = Text(".") + a + "." + b;
      l.plain("vset" + ab + "." + c, "u32", {a, b});
      l.plain("vset2" + ab + "." + c, "u32", {a, b, "u32"}),
          l.plain("vset4" + ab + "." + c, "u32", {a, b, "u32"});
      l.plain("vset4" + ab + "." + c + ".add", "u32", {a, b, "u32"});
    }
    l.plain("vmad" + t, d, {a, b, "u32"});
    l.plain("vmad" + t + ".shr7", d, {a, b, "u32"}).refused = true;
    l.with("vmad" + t + ".sat.shr15", "vmad" + t + ".sat.shr15 %d, %a, %b.h0, %c;", d,
           {a, b, "u32"})
        .refused = true;
    l.with("vmad po" + t, "vmad" + t + ".shr7 %d, %a.b1, -%b.b2, %c;", d, {a, b, "s32"}).refused =
        true;
  }
  for (const char* t : {"u32", "s32"})
    for (const char* mode : {"clamp", "wrap"})
      for (const char* op : {"vshl", "vshr"}) {
        l.plain(Text(op) + "." + t + "." + t + ".u32." + mode, t, {t, "shift"});
        l.plain(Text(op) + "." + t + "." + t + ".u32.sat." + mode + ".add", t, {t, "shift", "u32"})
            .refused = Text(op) == "vshl";
      }
}

void floats(List& l, const Text& t) {
  const Texts flush = t == "f32" ? Texts{"", ".ftz"} : Texts{""};
  const Texts saturate = t == "f32" ? Texts{"", ".sat"} : Texts{""};
  for (const Text& z : flush) {
    for (const Text& r : kRound) {
      for (const Text& s : saturate) {
        for (const char* op : {"add", "sub", "mul"})
          l.plain(Text(op) + "." + r + z + s + "." + t, t, {t, t});
        l.plain("fma." + r + z + s + "." + t, t, {t, t, t});
      }
      l.plain("div." + r + z + "." + t, t, {t, t});
      l.plain("sqrt." + r + z + "." + t, t, {t}), l.plain("rcp." + r + z + "." + t, t, {t});
    }
    for (const char* op : {"min", "max"}) {
      l.plain(Text(op) + z + "." + t, t, {t, t});
      if (t == "f64") continue;
      l.plain(Text(op) + z + ".NaN." + t, t, {t, t});
      l.plain(Text(op) + z + ".xorsign.abs." + t, t, {t, t});
      l.plain(Text(op) + z + ".NaN.xorsign.abs." + t, t, {t, t});
    }
    l.plain("abs" + z + "." + t, t, {t}), l.plain("neg" + z + "." + t, t, {t});
    for (const Texts& group : {kOrdered, kUnordered})
      for (const Text& c : group) l.predicate("setp." + c + z + "." + t, {t, t});
    l.with("setp.lt.xor" + z + "." + t,
           ".reg .pred p, q, r; setp.gt.s32 r, %c, 0; setp.lt.xor" + z + "." + t +
               " p|q, %a, %b, r; selp.u32 %d, 1, 0, p; @q add.u32 %d, %d, 2;",
           "u32", {t, t, "s32"});
    l.plain("set.gtu" + z + ".f32." + t, "f32", {t, t}),
        l.plain("set.ne" + z + ".s32." + t, "s32", {t, t});
  }
  l.plain("copysign." + t, t, {t, t});
  for (const char* what : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
    l.predicate(Text("testp.") + what + "." + t, {t});
  l.with("selp." + t, ".reg .pred r; setp.gt.s32 r, %c, 0; selp." + t + " %d, %a, %b, r;", t,
         {t, t, "s32"});
  l.plain("slct." + t + ".s32", t, {t, t, "s32"}), l.plain("slct." + t + ".f32", t, {t, t, "f32"});
  l.plain("slct.ftz." + t + ".f32", t, {t, t, "f32"});
}

void approximations(List& l) {
  for (const Text& z : {Text(), Text(".ftz")}) {
    l.plain("rcp.approx" + z + ".f32", "f32", {"f32"}).band = {2, 0};
    l.plain("rsqrt.approx" + z + ".f32", "f32", {"f32"}).band = {3, 0};
    l.plain("sqrt.approx" + z + ".f32", "f32", {"f32"}).band = {3, 0};
    l.plain("div.approx" + z + ".f32", "f32", {"f32", "f32"}).band = {3, 0};
    l.plain("div.full" + z + ".f32", "f32", {"f32", "f32"}).band = {3, 0};
    l.plain("sin.approx" + z + ".f32", "f32", {"f32"}).band = {2, 0x1p-20};
    l.plain("cos.approx" + z + ".f32", "f32", {"f32"}).band = {2, 0x1p-20};
    l.plain("lg2.approx" + z + ".f32", "f32", {"f32"}).band = {2, 0x1p-22};
    l.plain("ex2.approx" + z + ".f32", "f32", {"f32"}).band = {3, 0};
  }
  l.plain("tanh.approx.f32", "f32", {"f32"}).band = {8192, 0};
  l.plain("rcp.approx.ftz.f64", "f64", {"f64"}).band = {0x1.8p32, 0};
  l.plain("rsqrt.approx.ftz.f64", "f64", {"f64"}).band = {0x1.8p32, 0};
  l.plain("rsqrt.approx.f64", "f64", {"f64"}).band = {4, 0};
  for (const char* t : {"f16", "f16x2", "bf16", "bf16x2"})
    l.plain(Text("tanh.approx.") + t, t, {t}).band = {t[0] == 'b' ? 1.0 : 2.0, 0};
  for (const char* t : {"f16", "f16x2"}) l.plain(Text("ex2.approx.") + t, t, {t}).band = {2, 0};
  for (const char* t : {"bf16", "bf16x2"})
    l.plain(Text("ex2.approx.ftz.") + t, t, {t}).band = {1, 0};
}

void halves(List& l) {
  for (const Text& t : {Text("f16"), Text("f16x2"), Text("bf16"), Text("bf16x2")}) {
    const bool half = t[0] == 'f', pair = t.ends_with("x2");
    const Texts flush = half ? Texts{"", ".ftz"} : Texts{""};
    for (const Text& z : flush) {
      for (const Text& s : half ? Texts{"", ".sat"} : Texts{""}) {
        for (const char* op : {"add", "sub", "mul"})
          l.plain(Text(op) + ".rn" + z + s + "." + t, t, {t, t});
        l.plain("fma.rn" + z + s + "." + t, t, {t, t, t});
      }
      l.plain("fma.rn" + z + ".relu." + t, t, {t, t, t});
      l.plain("abs" + z + "." + t, t, {t}), l.plain("neg" + z + "." + t, t, {t});
      for (const char* op : {"min", "max"})
        for (const char* n : {"", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
          l.plain(op + z + n + "." + t, t, {t, t});
      for (const Texts& group : {kOrdered, kUnordered})
        for (const Text& c : group) {
          if (pair)
            l.with("setp." + c + z + "." + t,
                   ".reg .pred p, q; setp." + c + z + "." + t +
                       " p|q, %a, %b; selp.u32 %d, 1, 0, p; @q add.u32 %d, %d, 2;",
                   "u32", {t, t});
          else l.predicate("setp." + c + z + "." + t, {t, t});
        }
      const Text whole = half ? "f16" : "bf16";
      if (pair) l.plain("set.ltu" + z + "." + t + "." + t, t, {t, t});
      else
        for (const Text& to : {whole, Text("u16"), Text("s16"), Text("u32"), Text("s32")})
          l.plain("set.geu" + z + "." + to + "." + t, to, {t, t});
    }
  }
}

void conversions(List& l) {
  const Texts integers = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  const auto reg = [](const Text& t) {
    return t == "u8" ? Text("u16") : t == "s8" ? Text("s16") : t;
  };
  const auto cvt = [&](const Text& mode, const Text& to, const Text& from) {
    l.plain("cvt" + mode + "." + to + "." + from, reg(to), {from});
  };
  for (const Text& from : integers)
    for (const Text& to : integers) {
      cvt("", to, from);
      // .sat is written only where the value may not fit.
      const int have = std::stoi(from.substr(1)), room = std::stoi(to.substr(1));
      const bool fits = from[0] == to[0] ? room >= have : from[0] == 'u' && room > have;
      if (!fits) cvt(".sat", to, from);
    }
  for (const Text& i : integers)
    for (const Text& f : {Text("f16"), Text("bf16"), Text("f32"), Text("f64")})
      for (const Text& r : kRound) {
        if (f == "bf16" && i.ends_with("8")) continue;
        cvt("." + r, f, i);
        if (f == "f32") cvt("." + r + ".sat", f, i);
        cvt("." + r + "i", i, f);
        if (f == "f32") cvt("." + r + "i.ftz", i, f);
        if (f != "bf16") cvt("." + r + "i.sat", i, f);
      }
  for (const Text& r : kRound) {
    cvt("." + r, "f16", "f32"), cvt("." + r, "f16", "f64"), cvt("." + r, "f32", "f64"),
        cvt("." + r + ".ftz", "f32", "f64");
    cvt("." + r + ".sat", "f16", "f32"), cvt("." + r + ".ftz", "f16", "f32"),
        cvt("." + r + ".sat", "f32", "f64");
    cvt("." + r, "bf16", "f32"), cvt("." + r, "bf16", "f64"), cvt("." + r, "bf16", "f16"),
        cvt("." + r, "f16", "bf16");
    for (const char* t : {"f16", "f32", "f64"}) cvt("." + r + "i", t, t);
    cvt("." + r + "i.ftz", "f32", "f32"), cvt("." + r + "i.sat", "f32", "f32");
  }
  for (const char* relu : {"", ".relu"}) {
    for (const char* r : {".rn", ".rz"}) {
      if (*relu) cvt(Text(r) + relu, "f16", "f32"), cvt(Text(r) + relu, "bf16", "f32");
      l.with(Text("cvt") + r + relu + ".tf32.f32", Text("cvt") + r + relu + ".tf32.f32 %d, %a;",
             "b32", {"f32"});
      for (const char* t : {"f16x2", "bf16x2"})
        l.plain(Text("cvt") + r + relu + "." + t + ".f32", t, {"f32", "f32"});
    }
    for (const char* t : {"e4m3x2", "e5m2x2"}) {
      l.with(Text("cvt.rn.satfinite") + relu + "." + t + ".f32",
             Text("cvt.rn.satfinite") + relu + "." + t + ".f32 %d, %a, %b;", "b16", {"f32", "f32"});
      l.with(Text("cvt.rn.satfinite") + relu + "." + t + ".f16x2",
             Text("cvt.rn.satfinite") + relu + "." + t + ".f16x2 %d, %a;", "b16", {"f16x2"});
      l.with(Text("cvt.rn") + relu + ".f16x2." + t,
             Text("cvt.rn") + relu + ".f16x2." + t + " %d, %a;", "b32", {"b16"});
    }
  }
  l.with("cvt.rna.tf32.f32", "cvt.rna.tf32.f32 %d, %a;", "b32", {"f32"});
  cvt("", "f32", "f16"), cvt(".ftz", "f32", "f16"), cvt(".sat", "f32", "f16"),
      cvt("", "f32", "bf16"), cvt("", "f64", "f16"), cvt("", "f64", "bf16"), cvt("", "f64", "f32");
  cvt(".ftz", "f64", "f32"), cvt(".sat", "f64", "f32"), cvt(".sat", "f32", "f32"),
      cvt(".ftz.sat", "f32", "f32"), cvt(".sat", "f16", "f16"), cvt(".sat", "f64", "f64");
  for (const char* t : {"u8", "s8", "u16", "s16"}) {
    if (bytes_of(Text(t)) == 2 && Text(t).ends_with("16"))
      l.plain(Text("cvt.pack.sat.") + t + ".s32", "b32", {"s32", "s32"});
    else l.plain(Text("cvt.pack.sat.") + t + ".s32.b32", "b32", {"s32", "s32", "b32"});
  }
}

void warps(List& l) {
  for (const char* mode : {"up", "down", "bfly", "idx"}) {
    l.with(Text("shfl.sync.") + mode,
           Text(".reg .pred p; .reg .b32 t; shfl.sync.") + mode +
               ".b32 t|p, %a, %b, %c, -1; selp.u32 %d, 0x10000000, 0, p; xor.b32 %d, %d, t;",
           "b32", {"b32", "b32", "b32"})
        .whole_warp = true;
    l.with(Text("shfl.sync.") + mode + " of eight",
           Text(".reg .pred p; .reg .b32 t; shfl.sync.") + mode +
               ".b32 t|p, %a, %b, 0x1807, -1; selp.u32 %d, 0x10000000, 0, p; xor.b32 %d, %d, t;",
           "b32", {"b32", "shift"})
        .whole_warp = true;
  }
  for (const char* op : {"all", "any", "uni"})
    l.with(Text("vote.sync.") + op,
           Text(".reg .pred p, q; setp.lt.u32 p, %a, %b; vote.sync.") + op +
               ".pred q, p, -1; selp.u32 %d, 1, 0, q;",
           "b32", {"b32", "b32"})
        .whole_warp = true;
  l.with("vote.sync.ballot",
         ".reg .pred p; setp.lt.u32 p, %a, %b; vote.sync.ballot.b32 %d, !p, -1;", "b32",
         {"b32", "b32"})
      .whole_warp = true;
  l.with("match.any.sync.b32", ".reg .b32 t; and.b32 t, %a, 3; match.any.sync.b32 %d, t, -1;",
         "b32", {"b32"})
      .whole_warp = true;
  l.with("match.any.sync.b64",
         ".reg .b64 t; and.b64 t, %a, 0x100000001; match.any.sync.b64 %d, t, -1;", "b32", {"b64"})
      .whole_warp = true;
  l.with("match.all.sync.b32",
         ".reg .b32 t; .reg .pred p; and.b32 t, %a, 0x80000000; match.all.sync.b32 %d|p, t, -1; @p "
         "add.u32 %d, %d, 1;",
         "b32", {"b32"})
      .whole_warp = true;
  for (const char* t : {"u32", "s32"})
    for (const char* op : {"add", "min", "max"})
      l.with(Text("redux.sync.") + op + "." + t,
             Text("redux.sync.") + op + "." + t + " %d, %a, -1;", t, {t})
          .whole_warp = true;
  for (const char* op : {"and", "or", "xor"})
    l.with(Text("redux.sync.") + op + ".b32", Text("redux.sync.") + op + ".b32 %d, %a, -1;", "b32",
           {"b32"})
        .whole_warp = true;
}

void atomics(List& l) {
  const auto form = [&](const Text& op, const Text& t, const Text& result, bool swap = false,
                        const Text& mode = "") {
    const Text w = bits_of(t);
    const Text data = swap ? "%b, %c" : "%b";
    const Texts operands = swap ? Texts{t, t, t} : Texts{t, t};
    // The old value must be what was stored; what counts is the new one.
    l.with("atom.global." + op + mode + "." + t,
           ".reg ." + w + " t; st.global." + w + " [%out], %a; atom.global." + op + mode + "." + t +
               " t, [%out], " + data + "; ld.global." + w + " %d, [%out];",
           result, operands);
    l.with("atom.shared." + op + mode + "." + t,
           ".shared .align 16 .b8 s[" + std::to_string(kBlock * 8) + "]; .reg .b32 at; .reg ." + w +
               " t; mov.u32 at, s; mad.lo.u32 at, %i2, 8, at; st.shared." + w +
               " [at], %a; atom.shared." + op + mode + "." + t + " t, [at], " + data +
               "; ld.shared." + w + " %d, [at];",
           result, operands);
  };
  for (const char* t : {"u32", "s32", "u64", "s64"}) form("min", t, t), form("max", t, t);
  for (const char* t : {"u32", "s32", "u64", "f32", "f64"}) form("add", t, t);
  for (const char* t : {"f16", "f16x2", "bf16", "bf16x2"}) form("add", t, t, false, ".noftz");
  form("inc", "u32", "u32"), form("dec", "u32", "u32");
  for (const char* t : {"b32", "b64"})
    form("and", t, t), form("or", t, t), form("xor", t, t), form("exch", t, t),
        form("cas", t, t, true);
  form("cas", "b16", "b16", true);
  for (const char* t : {"f32"})
    l.with(Text("red.global.add.") + t,
           Text("st.global.b32 [%out], %a; red.global.add.") + t +
               " [%out], %b; ld.global.b32 %d, [%out];",
           t, {t, t});
}

// Fragments come from three 64-bit operands; what more is needed, from other lanes' operands.
void matrices(List& l) {
  const Text parts =
      ".reg .b32 a0, a1, a2, a3, b0, b1, c0, c1, c2, c3, d0, d1, d2, d3; mov.b64 {a0, a1}, %a; "
      "mov.b64 {b0, b1}, %b; mov.b64 {c0, c1}, %c; "
      "shfl.sync.bfly.b32 a2, a0, 5, 31, -1; shfl.sync.bfly.b32 a3, a1, 9, 31, -1; "
      "shfl.sync.bfly.b32 c2, c0, 3, 31, -1; shfl.sync.bfly.b32 c3, c1, 6, 31, -1; ";
  const auto form = [&](const Text& op, int na, int nb, int nc, const Texts& operands) {
    const auto list = [](const char* n, int count) {
      Text t = "{";
      for (int i = 0; i < count; ++i) t += (i ? ", " : "") + Text(n) + std::to_string(i);
      return t + "}";
    };
    const Text product = op + " " + list("d", nc) + ", " + list("a", na) + ", " + list("b", nb) +
                         ", " + list("c", nc) + "; ";
    for (int half = 0; half < (nc + 1) / 2; ++half)
      l.with(op + (half ? " high" : ""),
             parts + product + "mov.b64 %d, {d" + std::to_string(2 * half) + ", d" +
                 std::to_string(2 * half + 1) + "};",
             "b64", operands)
          .whole_warp = true;
  };
  const Text head = "mma.sync.aligned.";
  for (const char* s : {"m16n8k8", "m16n8k16"}) {
    const int n = s[6] == '8' ? 1 : 2;
    form(head + s + ".row.col.f32.f16.f16.f32", 2 * n, n, 4, {"f16x4", "f16x4", "f32x2"});
    form(head + s + ".row.col.f32.bf16.bf16.f32", 2 * n, n, 4, {"bf16x4", "bf16x4", "f32x2"});
    form(head + s + ".row.col.f16.f16.f16.f16", 2 * n, n, 2, {"f16x4", "f16x4", "f16x4"});
  }
  form(head + "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, {"f32x2", "f32x2", "f32x2"});
  form(head + "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, {"f32x2", "f32x2", "f32x2"});
  for (const char* a : {"e4m3", "e5m2"})
    for (const char* b : {"e4m3", "e5m2"})
      form(head + "m16n8k32.row.col.f32." + a + "." + b + ".f32", 4, 2, 4,
           {Text(a) + "x8", Text(b) + "x8", "f32x2"});
  for (const char* a : {"u8", "s8"})
    for (const char* b : {"u8", "s8"}) {
      const Text t = Text(".row.col.s32.") + a + "." + b + ".s32";
      form(head + "m8n8k16" + t, 1, 1, 2, {"b64", "b64", "b64"});
      form(head + "m16n8k16" + t, 2, 1, 4, {"b64", "b64", "b64"});
      form(head + "m16n8k32" + t, 4, 2, 4, {"b64", "b64", "b64"});
      form(head + "m16n8k32.row.col.satfinite.s32." + a + "." + b + ".s32", 4, 2, 4,
           {"b64", "b64", "b64"});
    }
  for (const char* a : {"u4", "s4"})
    for (const char* b : {"u4", "s4"}) {
      const Text t = Text(".row.col.s32.") + a + "." + b + ".s32";
      form(head + "m8n8k32" + t, 1, 1, 2, {"b64", "b64", "b64"});
      form(head + "m16n8k32" + t, 2, 1, 4, {"b64", "b64", "b64"});
      form(head + "m16n8k64" + t, 4, 2, 4, {"b64", "b64", "b64"});
    }
  for (const char* op : {".xor.popc", ".and.popc"}) {
    const Text t = Text(".row.col.s32.b1.b1.s32") + op;
    form(head + "m8n8k128" + t, 1, 1, 2, {"b64", "b64", "b64"});
    form(head + "m16n8k128" + t, 2, 1, 4, {"b64", "b64", "b64"});
    form(head + "m16n8k256" + t, 4, 2, 4, {"b64", "b64", "b64"});
  }
  // Which of several NaNs comes out is left open.
  const auto nan_is_nan = [&] { l.all.back().band = {0x1p-30, 0}, l.all.back().whole_warp = true; };
  l.with(head + "m8n8k4.row.col.f64.f64.f64.f64",
         ".reg .f64 d0, d1, c1; add.f64 c1, %c, 0d3FF8000000000000; " + head +
             "m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, {%a}, {%b}, {%c, c1}; mov.b64 %d, d0;",
         "f64", {"f64m", "f64m", "f64m"}),
      nan_is_nan();
  l.with(head + "m8n8k4.row.col.f64.f64.f64.f64 high",
         ".reg .f64 d0, d1, c1; add.f64 c1, %c, 0d3FF8000000000000; " + head +
             "m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, {%a}, {%b}, {%c, c1}; mov.b64 %d, d1;",
         "f64", {"f64m", "f64m", "f64m"}),
      nan_is_nan();
  const Text doubles =
      ".reg .f64 a1, a2, a3, b1, c1, c2, c3, d0, d1, d2, d3; add.f64 a1, %a, 0d3FF8000000000000; "
      "mul.f64 a2, %a, %b; sub.f64 a3, %a, %b; add.f64 b1, %b, 0d3FF8000000000000; "
      "add.f64 c1, %c, 0d3FF8000000000000; mul.f64 c2, %c, %a; sub.f64 c3, %c, %b; ";
  for (int i = 0; i < 4; ++i) {
    const Text n = i ? " " + std::to_string(i) : Text(),
               end = "; mov.b64 %d, d" + std::to_string(i) + ";";
    l.with(
        head + "m16n8k4.row.col.f64.f64.f64.f64" + n,
        doubles + head +
            "m16n8k4.row.col.f64.f64.f64.f64 {d0, d1, d2, d3}, {%a, a1}, {%b}, {%c, c1, c2, c3}" +
            end,
        "f64", {"f64m", "f64m", "f64m"}),
        nan_is_nan();
    l.with(head + "m16n8k8.row.col.f64.f64.f64.f64" + n,
           doubles + head +
               "m16n8k8.row.col.f64.f64.f64.f64 {d0, d1, d2, d3}, {%a, a1, a2, a3}, {%b, b1}, {%c, "
               "c1, c2, c3}" +
               end,
           "f64", {"f64m", "f64m", "f64m"}),
        nan_is_nan();
  }
}

}  // namespace

const std::vector<Form>& forms() {
  static const std::vector<Form> all = [] {
    List l;
    integers(l), bits(l), video(l), floats(l, "f32"), floats(l, "f64"), approximations(l),
        halves(l), conversions(l), warps(l), atomics(l), matrices(l);
    return std::move(l.all);
  }();
  return all;
}

std::string kernel_of(std::uint32_t k) {
  const auto reg = [](const Text& t) {
    return t == "f32" || t == "f64" ? t : t == "f64m" ? Text("f64") : bits_of(t);
  };
  const Form& f = forms()[k];
  Text text = "\n// " + f.name + "\n.visible .entry k" + std::to_string(k) +
              "(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c)\n{\n";
  text += "  .reg .b64 %out, %x<4>; .reg .b32 %i<4>; .reg ." + reg(f.result) + " %d;\n";
  text +=
      "  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x; mad.lo.u32 %i3, %i0, "
      "%i1, %i2; mul.wide.u32 %x0, %i3, 8;\n";
  text += "  ld.param.u64 %out, [d]; cvta.to.global.u64 %out, %out; add.u64 %out, %out, %x0;\n";
  for (std::size_t o = 0; o < f.operands.size(); ++o) {
    const char name = static_cast<char>('a' + o);
    const Text r = reg(f.operands[o]);
    text += Text("  .reg .") + r + " %" + name + "; ld.param.u64 %x1, [" + name +
            "]; cvta.to.global.u64 %x1, %x1; add.u64 %x1, %x1, %x0; ld.global." + r + " %" + name +
            ", [%x1];\n";
  }
  text += "  { " + f.body + " }\n  st.global." + reg(f.result) + " [%out], %d;\n  ret;\n}\n";
  return text;
}

std::string module_of(std::uint32_t first, std::uint32_t last) {
  Text text = ".version 8.5\n.target sm_90\n.address_size 64\n";
  for (std::uint32_t k = first; k < last; ++k) text += kernel_of(k);
  return text;
}

}  // namespace warpmem::emulate::hardware
