// Each row of machine code against the same operation of PTX, bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "tests/emulate/machine_code.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

// Thread i: R4, R5 and R6 from three arrays of 32 bits, `lines`, then R8 and R9 (64 bits) to
// another.
std::vector<u64> run_lines(const std::string& lines, const std::vector<u32>& a,
                           const std::vector<u32>& b, const std::vector<u32>& c) {
  std::string text = "S2R R0, SR_TID.X ;\nULDC.64 UR4, c[0x0][0x208] ;\n";
  for (u32 k = 0; k < 3; ++k)
    text += fmt::format(
        "LDC.64 R2, c[0x0][{:#x}] ;\nIMAD.WIDE.U32 R2, R0, 0x4, R2 ;\nLDG.E R{}, desc[UR4][R2.64] "
        ";\n",
        0x218 + 8 * k, 4 + k);
  text += "MOV R8, RZ ;\nMOV R9, RZ ;\n" + lines;
  text +=
      "\nLDC.64 R2, c[0x0][0x210] ;\nIMAD.WIDE.U32 R2, R0, 0x8, R2 ;\n"
      "STG.E.64 desc[UR4][R2.64], R8 ;\nEXIT ;\n";
  MachineCodeRun m(text);
  const auto to = m.buffer(std::vector<u64>(a.size()));
  m.argument(to), m.argument(m.buffer(a)), m.argument(m.buffer(b)), m.argument(m.buffer(c));
  const auto ok = m.launch({1, 1, 1}, {static_cast<u32>(a.size()), 1, 1});
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  return m.read<u64>(to, a.size());
}

std::vector<u32> numbers(u32 seed, bool floats) {
  std::mt19937 random(seed);
  std::vector<u32> v{0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 31, 32, 33};
  if (floats)
    v = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
         0xff800000, 0x7fc00000, 1,          0x00800000, 0x7f7fffff};
  while (v.size() < 64) {
    u32 x = static_cast<u32>(random());
    if (floats && v.size() % 2) x = (x & 0x807fffffu) | (0x70u + x % 32) << 23;
    v.push_back(x);
  }
  std::shuffle(v.begin() + 1, v.end(), random);
  return v;
}

struct Row {
  const char* sass;          // R4, R5, R6 -> R8 (and R9)
  const char* ptx;           // %a, %b, %c -> %d
  const char* type = "b32";  // of %d
  bool floats = false;
};

void same(const Row& row) {
  INFO(row.sass);
  const auto a = numbers(1, row.floats), b = numbers(2, row.floats), c = numbers(3, row.floats);
  const char* in = row.floats ? "f32" : "b32";
  const auto got = run_lines(row.sass, a, b, c);
  const bool wide = std::string(row.type).ends_with("64");
  std::vector<u64> want;
  if (wide) want = compute<u64, u32, u32, u32>(row.ptx, row.type, in, a, in, b, in, c);
  else
    for (const u32 v : compute<u32, u32, u32, u32>(row.ptx, row.type, in, a, in, b, in, c))
      want.push_back(v);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(fmt::format("{:#x} {:#x} {:#x}: {:#x}, PTX gives {:#x}", a[i], b[i], c[i], got[i],
                     want[i]));
    CHECK((wide ? got[i] : got[i] & 0xffffffff) == want[i]);
  }
}

}  // namespace

TEST_CASE("machine code: integers are PTX's") {
  for (const Row& row : {
           Row{"IADD3 R8, R4, R5, R6 ;", "add.u32 %d, %a, %b; add.u32 %d, %d, %c;"},
           Row{"IADD3 R8, R4, -R5, -R6 ;", "sub.u32 %d, %a, %b; sub.u32 %d, %d, %c;"},
           Row{"VIADD R8, R4, 0xfffffff0 ;", "add.s32 %d, %a, -16;"},
           Row{"IMAD R8, R4, R5, R6 ;", "mad.lo.u32 %d, %a, %b, %c;"},
           Row{"IMAD R8, R4, R5, -R6 ;", "mul.lo.u32 %d, %a, %b; sub.u32 %d, %d, %c;"},
           Row{"IMAD R8, R4, -0x7, R6 ;", "mad.lo.s32 %d, %a, -7, %c;"},
           Row{"IMAD.MOV.U32 R8, RZ, RZ, R5 ;", "mov.b32 %d, %b;"},
           Row{"IMAD.HI.U32 R8, R4, R5, RZ ;", "mul.hi.u32 %d, %a, %b;"},
           Row{"IMAD.HI R8, R4, R5, RZ ;", "mul.hi.s32 %d, %a, %b;"},
           Row{"IMAD.WIDE R8, R4, R5, RZ ;", "mul.wide.s32 %d, %a, %b;", "s64"},
           Row{"IMAD.WIDE.U32 R8, R4, R5, RZ ;", "mul.wide.u32 %d, %a, %b;", "u64"},
           Row{"LEA R8, R4, R5, 0x3 ;", "shl.b32 %d, %a, 3; add.u32 %d, %d, %b;"},
           Row{"LEA.HI R8, R4, R5, RZ, 0x8 ;", "shr.u32 %d, %a, 24; add.u32 %d, %d, %b;"},
           Row{"LEA.HI.SX32 R8, R4, R5, 0x1e ;", "shr.s32 %d, %a, 2; add.u32 %d, %d, %b;"},
           Row{"SHF.L.U32 R8, R4, R5, RZ ;", "shl.b32 %d, %a, %b;"},
           Row{"SHF.R.U32.HI R8, RZ, R5, R4 ;", "shr.u32 %d, %a, %b;"},
           Row{"SHF.R.S32.HI R8, RZ, R5, R4 ;", "shr.s32 %d, %a, %b;"},
           Row{"SHF.L.W.U32.HI R8, R4, R6, R5 ;", "shf.l.wrap.b32 %d, %a, %b, %c;"},
           Row{"SHF.R.W.U32 R8, R4, R6, R5 ;", "shf.r.wrap.b32 %d, %a, %b, %c;"},
           Row{"SHF.R.U64 R8, R4, R6, R5 ;\nSHF.R.U32.HI R9, RZ, R6, R5 ;",
               "{ .reg .b64 %x; mov.b64 %x, {%a, %b}; shr.u64 %d, %x, %c; }", "b64"},
           Row{"SHF.L.U32 R8, R4, R6, RZ ;\nSHF.L.U64.HI R9, R4, R6, R5 ;",
               "{ .reg .b64 %x; .reg .pred %q; mov.b64 %x, {%a, %b}; shl.b64 %d, %x, %c; }", "b64"},
           Row{"LOP3.LUT R8, R4, R5, R6, 0x96, !PT ;", "xor.b32 %d, %a, %b; xor.b32 %d, %d, %c;"},
           Row{"LOP3.LUT R8, R4, R5, RZ, 0xc0, !PT ;", "and.b32 %d, %a, %b;"},
           Row{"LOP3.LUT R8, R4, R5, R6, 0xf8, !PT ;", "and.b32 %d, %b, %c; or.b32 %d, %d, %a;"},
           Row{"PRMT R8, R4, R6, R5 ;", "prmt.b32 %d, %a, %b, %c;"},
           Row{"POPC R8, R4 ;", "popc.b32 %d, %a;"},
           Row{"FLO.U32 R8, R4 ;", "bfind.u32 %d, %a;"},
           Row{"FLO.U32.SH R8, R4 ;", "bfind.shiftamt.u32 %d, %a;"},
           Row{"BREV R8, R4 ;", "brev.b32 %d, %a;"},
           Row{"IABS R8, R4 ;", "abs.s32 %d, %a;"},
           Row{"VIMNMX R8, R4, R5, PT ;", "min.s32 %d, %a, %b;"},
           Row{"VIMNMX.U32 R8, R4, R5, !PT ;", "max.u32 %d, %a, %b;"},
           Row{"VIADDMNMX R8, R4, R5, R6, !PT ;", "add.s32 %d, %a, %b; max.s32 %d, %d, %c;"},
           Row{"SGXT R8, R4, 0x8 ;", "bfe.s32 %d, %a, 0, 8;"},
           Row{"IADD3 R8, P0, R4, R6, RZ ;\nIADD3.X R9, R5, R4, RZ, P0, !PT ;",
               "{ .reg .b64 %x, %y; mov.b64 %x, {%a, %b}; mov.b64 %y, {%c, %a}; add.s64 %d, %x, "
               "%y; }",
               "b64"},
           Row{"LEA R8, P0, R4, R5, 0x1e ;\nLEA.HI.X R9, R4, R6, RZ, 0x1e, P0 ;",
               "{ .reg .b64 %x, %y; mov.b64 %x, {%b, %c}; cvt.u64.u32 %y, %a; shl.b64 %y, %y, 30; "
               "add.s64 %d, %x, %y; }",
               "b64"},
           Row{"LEA R8, P0, -R4, R5, 0x1e ;\nSHF.L.U64.HI R9, R4, 0x1e, RZ ;\n"
               "IADD3.X R9, ~R9, R6, RZ, P0, !PT ;",
               "{ .reg .b64 %x, %y; mov.b64 %x, {%b, %c}; cvt.u64.u32 %y, %a; shl.b64 %y, %y, 30; "
               "sub.s64 %d, %x, %y; }",
               "b64"},
           Row{"IADD3 R8, P0, R4, -R6, RZ ;\nIADD3.X R9, R5, ~R4, RZ, P0, !PT ;",
               "{ .reg .b64 %x, %y; mov.b64 %x, {%a, %b}; mov.b64 %y, {%c, %a}; sub.s64 %d, %x, "
               "%y; }",
               "b64"},
           Row{"ISETP.LT.AND P0, PT, R4, R5, PT ;\nSEL R8, R5, R6, P0 ;",
               "{ .reg .pred %q; setp.lt.s32 %q, %a, %b; selp.b32 %d, %b, %c, %q; }"},
           Row{"ISETP.GE.U32.OR P0, P1, R4, R5, !PT ;\nSEL R8, R5, R6, P1 ;",
               "{ .reg .pred %q; setp.ge.u32 %q, %a, %b; selp.b32 %d, %c, %b, %q; }"},
           Row{"ISETP.GE.U32.AND P0, PT, R4, R6, PT ;\nISETP.GE.AND.EX P0, PT, R5, R4, PT, P0 "
               ";\nSEL R8, R5, R6, P0 ;",
               "{ .reg .pred %q; .reg .b64 %x, %y; mov.b64 %x, {%a, %b}; mov.b64 %y, {%c, %a}; "
               "setp.ge.s64 %q, %x, %y; selp.b32 %d, %b, %c, %q; }"},
           Row{"I2FP.F32.S32 R8, R4 ;", "{ .reg .f32 %f; cvt.rn.f32.s32 %f, %a; mov.b32 %d, %f; }"},
           Row{"I2F.U32.RP R8, R4 ;", "{ .reg .f32 %f; cvt.rp.f32.u32 %f, %a; mov.b32 %d, %f; }"},
           Row{"I2F.F64 R8, R4 ;", "cvt.rn.f64.s32 %d, %a;", "f64"},
       })
    same(row);
}

TEST_CASE("machine code: floats are PTX's") {
  for (const Row& row : {
           Row{"FADD R8, R4, R5 ;", "add.f32 %d, %a, %b;", "f32", true},
           Row{"FADD R8, R4, -R5 ;", "sub.f32 %d, %a, %b;", "f32", true},
           Row{"FADD.FTZ R8, |R4|, -RZ ;", "abs.ftz.f32 %d, %a;", "f32", true},
           Row{"FMUL.RZ R8, R4, R5 ;", "mul.rz.f32 %d, %a, %b;", "f32", true},
           Row{"FFMA R8, R4, R5, R6 ;", "fma.rn.f32 %d, %a, %b, %c;", "f32", true},
           Row{"FFMA.FTZ R8, -R4, R5, R6 ;", "neg.f32 %d, %a; fma.rn.ftz.f32 %d, %d, %b, %c;",
               "f32", true},
           Row{"FFMA.SAT R8, R4, R5, R6 ;", "fma.rn.sat.f32 %d, %a, %b, %c;", "f32", true},
           Row{"FMNMX R8, R4, R5, PT ;", "min.f32 %d, %a, %b;", "f32", true},
           Row{"FMNMX R8, R4, R5, !PT ;", "max.f32 %d, %a, %b;", "f32", true},
           Row{"FSETP.GTU.AND P0, PT, R4, R5, PT ;\nFSEL R8, R5, R6, P0 ;",
               "{ .reg .pred %q; setp.gtu.f32 %q, %a, %b; selp.f32 %d, %b, %c, %q; }", "f32", true},
           Row{"MUFU.RCP R8, R4 ;", "rcp.approx.ftz.f32 %d, %a;", "f32", true},
           Row{"MUFU.RSQ R8, R4 ;", "rsqrt.approx.ftz.f32 %d, %a;", "f32", true},
           Row{"MUFU.EX2 R8, R4 ;", "ex2.approx.ftz.f32 %d, %a;", "f32", true},
           Row{"MUFU.LG2 R8, R4 ;", "lg2.approx.ftz.f32 %d, %a;", "f32", true},
           Row{"FMUL.RZ R8, R4, 0.15915493667125701904 ;\nMUFU.SIN R8, R8 ;",
               "sin.approx.ftz.f32 %d, %a;", "f32", true},
           Row{"FMUL.RZ R8, R4, 0.15915493667125701904 ;\nMUFU.COS R8, R8 ;",
               "cos.approx.ftz.f32 %d, %a;", "f32", true},
           Row{"F2I.TRUNC.NTZ R8, R4 ;",
               "{ .reg .b32 %x; cvt.rzi.s32.f32 %x, %a; mov.b32 %d, %x; }", "f32", true},
           Row{"F2I.FTZ.U32.TRUNC.NTZ R8, R4 ;",
               "{ .reg .b32 %x; cvt.rzi.ftz.u32.f32 %x, %a; mov.b32 %d, %x; }", "f32", true},
           Row{"F2F.F64.F32 R8, R4 ;", "cvt.f64.f32 %d, %a;", "f64", true},
           Row{"F2FP.F16.F32.PACK_AB R8, R4, R5 ;",
               "{ .reg .b32 %x; cvt.rn.f16x2.f32 %x, %a, %b; mov.b32 %d, %x; }", "f32", true},
           Row{"F2F.F64.F32 R10, R4 ;\nF2F.F64.F32 R12, R5 ;\nF2F.F64.F32 R14, R6 ;\nDFMA R8, R10, "
               "-R12, R14 ;",
               "{ .reg .f64 %x, %y, %z; cvt.f64.f32 %x, %a; cvt.f64.f32 %y, %b; cvt.f64.f32 %z, "
               "%c; neg.f64 %y, %y; fma.rn.f64 %d, %x, %y, %z; }",
               "f64", true},
           Row{"F2F.F64.F32 R10, R4 ;\nDADD R8, R10, 1.5 ;",
               "{ .reg .f64 %x; cvt.f64.f32 %x, %a; add.f64 %d, %x, 0d3FF8000000000000; }", "f64",
               true},
       })
    same(row);
}

TEST_CASE("machine code: predicates in a register and back") {
  const auto a = numbers(1, false);
  const auto got = run_lines("R2P PR, R4, 0x7f ;\nP2R R8, PR, RZ, 0x7f ;", a, a, a);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(got[i] == (a[i] & 0x7f));
}

TEST_CASE("machine code: barriers count and join predicates") {
  const std::vector<u32> a(64);
  const auto got = run_lines(
      "ISETP.LT.AND P0, PT, R0, 0x28, PT ;\nBAR.RED.POPC.DEFER_BLOCKING 0x0, P0 ;\nB2R.RESULT R8 "
      ";\n"
      "BAR.RED.AND.DEFER_BLOCKING 0x0, P0 ;\nB2R.RESULT RZ, P1 ;\nBAR.RED.OR.DEFER_BLOCKING 0x0, "
      "!P0 ;\n"
      "B2R.RESULT RZ, P2 ;\nSEL R9, RZ, 0x1, !P1 ;\n@P2 IADD3 R9, R9, 0x2, RZ ;",
      a, a, a);
  for (const u64 v : got) CHECK(v == (u64{2} << 32 | 40));
}

TEST_CASE("machine code: a broken convergence barrier waits for nobody who left it") {
  const std::vector<u32> a(32);
  const auto got = run_lines(
      "BSSY B0, `(.L_meet) ;\nISETP.GE.AND P0, PT, R0, 0x8, PT ;\n@P0 BRA `(.L_stay) ;\n"
      "BREAK B0 ;\nMOV R8, 0x1 ;\nBRA `(.L_behind) ;\n.L_stay:\nMOV R8, 0x2 ;\n.L_meet:\nBSYNC B0 "
      ";\n"
      "VOTE.ANY R8, PT, PT ;\n.L_behind:\nNOP ;",
      a, a, a);
  for (std::size_t i = 0; i < 32; ++i) CHECK(got[i] == (i < 8 ? 1u : 0xffffff00u));
}
