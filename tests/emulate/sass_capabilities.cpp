// What differs between compute capabilities in machine code: where the driver's words lie, and the
// instructions that only some have.
#include "tests/emulate/machine_code.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

// What lines of a kernel for this capability leave in R4 and R5 of each thread.
std::vector<u64> results(u32 cc, const std::string& lines, Dim3 grid, Dim3 block) {
  const std::string address =
      cc >= 100  ? "LDCU.64 UR4, c[0x0][0x358] ;\nLDC.64 R2, c[0x0][0x380] ;\n"
      : cc >= 90 ? "ULDC.64 UR4, c[0x0][0x208] ;\nLDC.64 R2, c[0x0][0x210] ;\n"
      : cc >= 80
          ? "ULDC.64 UR4, c[0x0][0x118] ;\nMOV R2, c[0x0][0x160] ;\nMOV R3, c[0x0][0x164] ;\n"
          : "MOV R2, c[0x0][0x160] ;\nMOV R3, c[0x0][0x164] ;\n";
  const std::string store =
      cc >= 80 ? "STG.E.64 desc[UR4][R2.64], R4 ;\n" : "STG.E.64.SYS [R2], R4 ;\n";
  MachineCodeRun m(lines + address + "S2R R0, SR_TID.X ;\nIMAD.WIDE.U32 R2, R0, 0x8, R2 ;\n" +
                       store + "EXIT ;\n",
                   {.cc = cc});
  const auto to = m.buffer(std::vector<u64>(block[0]));
  m.argument(to);
  const auto ok = m.launch(grid, block);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  return m.read<u64>(to, block[0]);
}

u64 pair(u32 low, u32 high) { return low | u64{high} << 32; }

}  // namespace

TEST_CASE("each capability finds the launch's sizes where its code looks for them", "[sass]") {
  const Dim3 grid{3, 1, 1}, block{64, 1, 1};
  for (const u32 cc : {75u, 80u, 86u, 89u})
    CHECK(results(cc, "MOV R4, c[0x0][0x0] ;\nMOV R5, c[0x0][0xc] ;\n", grid, block)[5] ==
          pair(64, 3));
  CHECK(results(90, "LDC R4, c[0x0][RZ] ;\nLDC R5, c[0x0][0xc] ;\n", grid, block)[5] ==
        pair(64, 3));
  for (const u32 cc : {100u, 120u})
    CHECK(results(cc, "LDC R4, c[0x0][0x360] ;\nLDCU UR6, c[0x0][0x370] ;\nMOV R5, UR6 ;\n", grid,
                  block)[5] == pair(64, 3));
}

TEST_CASE("a cluster's sizes are found behind its size", "[sass]") {
  const std::string lines =
      "CS2R.32 R9, SR_CgaSize ;\nIMAD R9, R9, -0xa0, RZ ;\nLDC R4, c[0x0][R9+0x2a0] ;\n"
      "LDC R5, c[0x0][R9+0x2c0] ;\n";
  CHECK(results(120, lines, {3, 1, 1}, {32, 1, 1})[0] == pair(1, 3));
}

TEST_CASE("what the driver puts elsewhere is not guessed", "[sass]") {
  struct One {
    u32 cc;
    const char* line;
  };
  for (const One& one : {One{90, "LDC R4, c[0x0][0x100] ;\n"},
                         {120, "LDC R4, c[0x0][0x0] ;\n"},
                         {120, "MOV R6, 0x4 ;\nLDC R4, c[0x0][R6+0x150] ;\n"},
                         {80, "MOV R4, c[0x0][0x140] ;\n"}}) {
    MachineCodeRun m(std::string(one.line) + "EXIT ;\n", {.cc = one.cc});
    const auto ok = m.launch({1, 1, 1}, {1, 1, 1});
    REQUIRE(!ok.ok());
    CHECK(ok.error().text().find("what the driver puts at") != std::string::npos);
  }
}

TEST_CASE("12.0 computes with 64 bits at once", "[sass]") {
  const auto one = [](const std::string& lines) {
    return results(
        120,
        "MOV.64 R8, 0x1ffffffff ;\nMOV.64 R10, -0x2 ;\nISETP.LT.S64.AND P0, PT, R10, R8, PT "
        ";\n" +
            lines,
        {1, 1, 1}, {1, 1, 1})[0];
  };
  const u64 a = 0x1ffffffff, b = ~u64{1};
  CHECK(one("IADD.64 R4, R8, R10 ;\n") == a + b);
  CHECK(one("IADD.64 R4, R8, -R10 ;\n") == a - b);
  CHECK(one("IADD.64 R4, R8, 0x400 ;\n") == a + 0x400);
  CHECK(one("SEL.64 R4, R8, R10, P0 ;\n") == a);
  CHECK(one("SEL.64 R4, R8, -0x1, !P0 ;\n") == ~u64{0});
  CHECK(one("IMNMX.S64 PT, PT, R4, R8, R10, PT, !PT ;\n") == b);
  CHECK(one("IMNMX.U64 PT, PT, R4, R8, R10, PT, !PT ;\n") == a);
  // A carry out of the low words of 128 bits, and into the high ones.
  CHECK(one("IADD.64 RZ, P1, R8, R10 ;\nIADD.64.X R4, R8, R10, P1 ;\n") == a + b + 1);
  CHECK(one("IADD.64 RZ, P1, R8, -R10 ;\nIADD.64.X R4, R8, ~R10, P1 ;\n") == a - b - 1);
  CHECK(one("UMOV.64 UR6, 0x100000003 ;\nUIADD3.64 UR6, UPT, UPT, UR6, UR6, URZ ;\nMOV.64 R4, UR6 "
            ";\n") == 0x200000006);
  CHECK(one("MOV R4, 0x7 ;\nRPCMOV.32 Rpc.LO, R4 ;\nMOV R5, RZ ;\nMOV R4, RZ ;\nRPCMOV.32 R4, "
            "Rpc.LO ;\n") == 7);
}

TEST_CASE("7.5 adds to memory that a uniform register alone names", "[sass]") {
  MachineCodeRun m(
      "ULDC.64 UR4, c[0x0][0x160] ;\nMOV R7, 0x3 ;\nRED.E.ADD.STRONG.GPU [UR4], R7 ;\nEXIT ;\n",
      {.cc = 75});
  const auto to = m.buffer(std::vector<u32>{1});
  m.argument(to);
  REQUIRE(m.launch({1, 1, 1}, {32, 1, 1}).ok());
  CHECK(m.read<u32>(to, 1)[0] == 1 + 32 * 3);
}

TEST_CASE("parted lanes do together what a collective begins", "[sass]") {
  const auto got = results(
      90,
      "S2R R0, SR_LANEID ;\nISETP.GE.U32.AND P0, PT, R0, 0x10, PT ;\nMOV R5, RZ ;\n"
      "BSSY B0, `(.L_2) ;\n@P0 BRA `(.L_1) ;\nMOV R5, 0x1 ;\n.L_1:\nMOV R6, 0xffffffff ;\n"
      "WARPSYNC.COLLECTIVE R6, `(.L_3) ;\nSHFL.BFLY PT, R4, R0, 0x10, 0x1f ;\nENDCOLLECTIVE ;\n"
      ".L_3:\nBSYNC B0 ;\n.L_2:\n",
      {1, 1, 1}, {32, 1, 1});
  for (u32 l = 0; l < 32; ++l) CHECK(got[l] == pair(l ^ 16, l < 16));
}

TEST_CASE("groups of lanes have a uniform register to themselves, one after the other", "[sass]") {
  // Lanes with the same remainder of three add up their numbers; some have parted before.
  for (const std::string parts :
       {"", "ISETP.GE.U32.AND P0, PT, R0, 0xb, PT ;\n@P0 BRA `(.L_1) ;\nNOP ;\n.L_1:\n"}) {
    const auto got = results(
        90,
        "S2R R0, SR_LANEID ;\nIMAD.HI.U32 R6, R0, 0x55555556, RZ ;\nIMAD R6, R6, -0x3, R0 ;\n"
        "MATCH.ANY R7, R6 ;\nBSSY B0, `(.L_2) ;\n" +
            parts +
            "WARPSYNC.EXCLUSIVE R7 ;\nREDUX.SUM.S32 UR4, R0 ;\nIMAD.U32 R4, RZ, RZ, UR4 ;\n"
            "BSYNC B0 ;\n.L_2:\nVOTE.ANY R5, PT, PT ;\n",
        {1, 1, 1}, {32, 1, 1});
    u32 sums[3] = {};
    for (u32 l = 0; l < 32; ++l) sums[l % 3] += l;
    for (u32 l = 0; l < 32; ++l) CHECK(got[l] == pair(sums[l % 3], ~0u));
  }
}

TEST_CASE("a product whose factors fill no register is refused", "[sass]") {
  MachineCodeRun m("HMMA.1684.F16 R16, R4, R8, R12 ;\nEXIT ;\n");
  const auto ok = m.launch({1, 1, 1}, {32, 1, 1});
  REQUIRE(!ok.ok());
  CHECK(ok.error().text().find("its shape is none of its factors'") != std::string::npos);
}

TEST_CASE("12.0 computes with uniform floats, for lanes that are not there too", "[sass]") {
  const std::string lines =
      "UMOV UR6, 0x3fc00000 ;\nUMOV UR7, 0x1 ;\nS2R R0, SR_LANEID ;\n"
      "ISETP.EQ.U32.AND P0, PT, R0, 0x3, PT ;\nBSSY B0, `(.L_2) ;\n@!P0 BRA `(.L_1) ;\n"
      "UFADD UR6, UR6, 1 ;\nUFADD.FTZ UR7, UR7, UR7 ;\nUVIMNMX.U32 UR8, UR6, 0x3, UPT ;\n"
      ".L_1:\nBSYNC B0 ;\n.L_2:\nUIADD3 UR7, UPT, UPT, UR7, UR8, URZ ;\nMOV R4, UR6 ;\nMOV R5, UR7 "
      ";\n";
  for (const u64 one : results(120, lines, {1, 1, 1}, {32, 1, 1}))
    CHECK(one == pair(0x40200000, 3));  // 2.5; a denormal is flushed
}

TEST_CASE("lanes that have not parted pass by what would bring them together", "[sass]") {
  const auto run = [](const char* part) {
    return results(80,
                   std::string("S2R R0, SR_LANEID ;\nISETP.EQ.U32.AND P0, PT, R0, 0x3, PT ;\n"
                               "MOV R4, 0x1 ;\nMOV R5, RZ ;\n") +
                       part + "BRA.CONV ~URZ, `(.L_1) ;\nMOV R4, 0x2 ;\n.L_1:\n",
                   {1, 1, 1}, {32, 1, 1});
  };
  CHECK(run("")[0] == 1);
  const auto parted = run("@P0 BRA `(.L_2) ;\nMOV R5, 0x7 ;\n.L_2:\n");
  CHECK(parted[3] == 2);
  CHECK(parted[0] == pair(1, 7));  // lane 3 has left before
}
