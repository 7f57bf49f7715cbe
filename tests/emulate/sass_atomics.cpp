// Atomics of kinds that not every memory does, as ptxas 13.0 compiles them for sm_90.
#include "emulate/mapping/lane_addresses.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"

namespace warpmem::emulate {
namespace {

using trace::Op;
using trace::Space;

// By a generic address: all lanes try, and those of whom the memory does not do it go elsewhere.
const std::vector<Line> kGenericAdd{
    {0, "ATOM.E.ADD.F64.RN.STRONG.GPU P0, RZ, desc[UR10][R6.64], R8"},
    {0, "@P0 BRA 0xe0"},
    {0, "QSPC.E.S P0, RZ, [R6]"},
    {0, "@!P0 BRA 0x80"},
    {0, "LDS.64 R8, [R7]"},
    {0, "ATOMS.CAST.SPIN.64 R10, [R7], R8, R10"},
    {0, "@!P0 BRA 0x40"},
    {0, "BRA 0xe0"},
    {0, "QSPC.E.D P0, RZ, [R6]"},
    {0, "@!P0 BRA 0xc0"},
    {0, "LD.E.64 R8, [R6]"},
    {0, "ATOM.E.CAST.SPIN.64 PT, R10, [R6], R8, R10"},
    {0, "LD.E.64 R8, desc[UR10][R6.64]"},
    {0, "ST.E.64 desc[UR10][R6.64], R8"},
    {1, "EXIT"}};
constexpr const char* kAtomOfDouble = "\n  atom.add.f64 %rd2, [%rd1], %rd3;\n  ret;";

TEST_CASE("an atomic by a generic address is tried by all, then done for each memory its own way") {
  std::vector<Line> code = kGenericAdd;
  code.insert(code.begin() + 12, {0, "@!P0 BRA 0xa0"});  // another CTA's: a loop as well
  code[1].text = code[7].text = "@P0 BRA 0xf0";
  code[9].text = "@!P0 BRA 0xd0";
  Mapped m(kAtomOfDouble, code);
  REQUIRE(m.why.empty());
  SECTION("global memory does it at once") {
    m.access(0, 8, kAll, 4096, 8, Op::kAtomic, Space::kGlobal);
    CHECK(m.run() == "0/8");
    CHECK(m.site(0).op == Op::kAtomic);
  }
  SECTION("in shared memory a loop follows, one lane of a word a round") {
    m.access(0, 8, 0xffff0000, 4096, 8, Op::kAtomic, Space::kGlobal);
    m.access(0, 8, 0x3, 64, 0, Op::kAtomic, Space::kShared);
    CHECK(m.run() == "0/8 0/8 40/8 50/8 40/8 50/8");
    CHECK(m.site(1).space == Space::kShared);
    CHECK(m.site(2).op == Op::kLoad);
    CHECK(m.site(3).op == Op::kAtomic);
    CHECK(m.records[1].mask == 0x3);
    CHECK(m.records[3].mask == 0x3);
    CHECK(m.records[5].mask == 0x2);
  }
  SECTION("another CTA's shared memory has a loop of its own") {
    m.access(0, 8, kAll, 1 << 24, 8, Op::kAtomic, Space::kRemoteShared);
    CHECK(m.run() == "0/8 a0/8 b0/8");
  }
  SECTION("each lane's local memory is as the PTX has it") {
    m.access(0, 8, kAll, 0, 8, Op::kAtomic, Space::kLocal);
    m.run();
    CHECK(m.counts.kept == 1);
  }
}

// All lanes add to one word, each its own amount, and each gets the sum before it.
TEST_CASE("atomics of functions, as debug code has them, become the same") {
  const char* function = R"(
.func add(.param .b64 a)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  atom.add.f64 %rd2, [%rd1], %rd1;
  ret;
}
)";
  std::vector<Line> code{{2, "CALL.REL.NOINC 0x20"}, {3, "EXIT"}};
  for (const Line& l : kGenericAdd)
    if (l.statement == 0) code.push_back({5, l.text});
  for (Line& l : code)
    if (std::string(l.text) == "@!P0 BRA 0x40") l.text = "@!P0 BRA 0x60";  // the loop
  code[3].text = code[9].text = "@P0 BRA 0x100", code[5].text = "@!P0 BRA 0xa0",
  code[11].text = "@!P0 BRA 0xe0";
  code.push_back({6, "RET.REL.NODEC R8 0x0"});
  Mapped m(
      "\n  mov.u64 %rd1, %rd2;\n  { .param .b64 x; st.param.b64 [x], %rd1; call add, (x); }\n  "
      "ret;",
      code, function);
  INFO(m.why);
  REQUIRE(m.why.empty());
  std::uint32_t atom = 0;
  for (std::uint32_t s = 0; s < m.map.sites.size(); ++s)
    if (m.map.sites[s].what == MappedSite::What::kGenericAtomic) atom = s;
  REQUIRE(atom != 0);
  m.access(atom, 8, 0xffff0000, 4096, 8, Op::kAtomic, Space::kGlobal);
  m.access(atom, 8, 0x3, 64, 0, Op::kAtomic, Space::kShared);
  CHECK(m.run() == "20/8 20/8 60/8 70/8 60/8 70/8");
  CHECK(m.counts.kept == 0);
}

TEST_CASE(
    "a whole warp adds up first and its last lane adds for all; lanes of others add one by one") {
  Mapped m("\n  atom.global.add.u32 %r2, [%rd1], %r3;\n  ret;",
           {{0, "VOTE.ANY R2, PT, PT"},
            {0, "ISETP.EQ.U32.AND P1, PT, R2, -0x1, PT"},
            {0, "@!P1 ATOMG.E.ADD.STRONG.GPU PT, R28, desc[UR4][R2.64], R0"},
            {0, "@!P1 BRA 0xc0"},
            {0, "SHFL.UP P1, R7, R0, 0x1, RZ"},
            {0, "MOV R5, R0"},
            {0, "S2R R6, SR_LANEID"},
            {0, "@P1 IADD3 R5, R0, R7, RZ"},
            {0, "ISETP.EQ.U32.AND P2, PT, R6, 0x1f, PT"},
            {0, "@P2 ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R2.64], R5"},
            {0, "SHFL.IDX PT, R28, R2, 0x1f, 0x1f"},
            {0, "IADD3 R28, R28, R7, RZ"},
            {1, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 4096, 0, Op::kAtomic, Space::kGlobal);
  m.access(0, 4, 0x7fffffff, 4096, 0, Op::kAtomic, Space::kGlobal);
  CHECK(m.run() == "90/4 20/4");
  CHECK(m.records[0].mask == 0x80000000);
  CHECK(m.records[1].mask == 0x7fffffff);
}

TEST_CASE("of a loop that is not understood the lanes stay that need it, and no others") {
  Mapped m(kAtomOfDouble, kGenericAdd);  // nothing goes round from 0xb0
  REQUIRE(m.why.empty());
  m.access(0, 8, 0xff, 4096, 8, Op::kAtomic, Space::kGlobal);
  m.access(0, 8, 0xff00, 1 << 24, 8, Op::kAtomic, Space::kRemoteShared);
  m.run();
  CHECK(m.counts.mapped == 1);
  CHECK(m.counts.kept == 1);
}

TEST_CASE("an exchange that shared memory does too has loads and stores for local memory only") {
  Mapped m("\n  atom.exch.b64 %rd2, [%rd1], %rd3;\n  ret;",
           {{0, "ATOM.E.EXCH.64.STRONG.GPU P0, R4, desc[UR4][R2.64], R4"},
            {0, "@P0 BRA 0x40"},
            {0, "LD.E.64 R4, desc[UR4][R2.64]"},
            {0, "ST.E.64 desc[UR4][R2.64], R8"},
            {1, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 8, 0xff, 4096, 8, Op::kAtomic, Space::kGlobal);
  m.access(0, 8, 0xff00, 0, 8, Op::kAtomic, Space::kShared);
  CHECK(m.run() == "0/8 0/8");
  CHECK(m.counts.kept == 0);
}

TEST_CASE("an addition of halves goes round with their words, which are loaded once") {
  const std::vector<Line> code{{0, "LD.E R5, desc[UR4][R2.64]"},
                               {0, "HADD2 R6, R5, UR6.H0_H0"},
                               {0, "ATOM.E.CAS.STRONG.GPU PT, R6, [R2], R5, R6"},
                               {0, "@P0 BRA 0x10"},
                               {1, "EXIT"}};
  SECTION("two halves of a word one after the other") {
    Mapped m("\n  atom.add.noftz.f16 %h1, [%rd1], %h2;\n  ret;", code, "", ".reg .b16 %h<4>;");
    REQUIRE(m.why.empty());
    m.access(0, 2, 0xf, 4098, 2, Op::kAtomic, Space::kGlobal);  // words 4096, 4100, 4100, 4104
    CHECK(m.run() == "0/4 20/4 20/4");
    CHECK(m.site(0).op == Op::kLoad);
    CHECK(m.records[0].mask == 0xf);
    CHECK(lane_address(m.records[0], 0, m.lanes) == 4096);
    CHECK(m.records[1].mask == 0xf);
    CHECK(m.records[2].mask == 0x4);
    CHECK(m.counts.kept == 0);
  }
  SECTION("how often a comparison goes round its values decide") {
    Mapped m("\n  atom.cas.b16 %h1, [%rd1], %h2, %h3;\n  ret;", code, "", ".reg .b16 %h<4>;");
    REQUIRE(m.why.empty());
    m.access(0, 2, 0xf, 4096, 2, Op::kAtomic, Space::kGlobal);
    m.run();
    CHECK(m.counts.kept == 1);
  }
}

TEST_CASE(
    "stores and reductions that tell an mbarrier of another CTA are instructions of their own") {
  Mapped m(R"(
  st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%r10], {%r1, %r2, %r3, %r4}, [%r5];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r10], %r1, [%r5];
  ret;)",
           {{0, "STAS.128 [R10.64], R4"}, {1, "REDAS.INC [R10.64], R4"}, {2, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 16, kAll, 1 << 24, 16, Op::kStore, Space::kRemoteShared);
  m.access(1, 4, kAll, 1 << 24, 4, Op::kReduction, Space::kRemoteShared);
  CHECK(m.run() == "0/16 10/4");
}

}  // namespace
}  // namespace warpmem::emulate
