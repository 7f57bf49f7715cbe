// What becomes of a warp's records. Needs no CUDA: the machine code of the kernels below is what
// ptxas 13.0 makes of their kind for sm_90. Loops that were unrolled: sass_unrolled.cpp.
#include <fmt/format.h>

#include "emulate/mapping/lane_addresses.hpp"
#include "emulate/mapping/machine_code.hpp"
#include "emulate/mapping/sass_trace.hpp"
#include "emulate/mapping/site_map.hpp"
#include "emulate/ptx/parser.hpp"
#include "isa/flow/code_flow.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"
#include "tests/emulate/support.hpp"

namespace warpmem::emulate {
namespace {

TEST_CASE("an access gets its machine instruction, and the order of the machine code") {
  Mapped m(R"(
  ld.shared.u32 %r1, [%r10];
  ld.shared.u32 %r2, [%r11];
  st.shared.u32 [%r12], %r1;
  ret;)",
           {{1, "LDS R2, [R11]"}, {0, "LDS R1, [R10]"}, {2, "STS [R12], R1"}, {3, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0, 4);
  m.access(1, 4, kAll, 512, 4);
  m.access(2, 4, kAll, 1024, 4, trace::Op::kStore);
  CHECK(m.run() == "0/4 10/4 20/4");
  CHECK(m.records[0].base == 512);
  CHECK(m.counts.mapped == 3);
  CHECK(m.map.program.level == trace::Level::kPtxSass);
  CHECK(m.map.program.code[0].text == "LDS R2, [R11]");
}

TEST_CASE(
    "one load that is made for several, before a branch says which are needed, is always whole") {
  const char* body = R"(
  ld.shared.u32 %r1, [%r10+4];
  setp.eq.s32 %p1, %r1, 0;
  @%p1 bra END;
  ld.shared.u32 %r2, [%r10];
  st.shared.u32 [%r12], %r2;
END:
  ret;)";
  Mapped m(body, {{0, "LDS.64 R4, [R10]"},
                  {1, "ISETP.EQ.AND P1, PT, R5, RZ, PT"},
                  {2, "@P1 BRA 0x40"},
                  {4, "STS [R12], R4"},
                  {5, "EXIT"}});
  REQUIRE(m.why.empty());
  SECTION("nobody needs the rest") {
    m.access(0, 4, kAll, 68, 8);
    CHECK(m.run() == "0/8");
    CHECK(m.records[0].base == 64);
  }
  SECTION("some lanes do") {
    m.access(0, 4, kAll, 68, 8);
    m.access(3, 4, 0xffu, 64, 8);
    m.access(4, 4, 0xffu, 512, 4, trace::Op::kStore);
    CHECK(m.run() == "0/8 30/4");
    CHECK(m.records[0].mask == kAll);
    CHECK(m.counts.merged == 1);
    CHECK(m.counts.kept == 0);
  }
  SECTION("an address where it would be the other half stays") {
    m.access(0, 4, kAll, 64, 8);
    m.run();
    CHECK(m.counts.kept == 1);
  }
}

TEST_CASE("three words are loaded as four, and stored one by one") {
  const char* body = R"(
  ld.shared.u32 %r1, [%r10];
  ld.shared.u32 %r2, [%r10+4];
  ld.shared.u32 %r3, [%r10+8];
  ret;)";
  Mapped m(body, {{0, "LDS.128 R4, [R10]"}, {3, "EXIT"}});
  REQUIRE(m.why.empty());
  SECTION("the first three or the last three") {
    const std::uint64_t first = GENERATE(64u, 68u);
    for (const std::uint32_t s : {0u, 1u, 2u}) m.access(s, 4, kAll, first + 4 * s, 16);
    CHECK(m.run() == "0/16");
    CHECK(m.records[0].base == 64);
    CHECK(m.counts.merged == 2);
    CHECK(m.counts.kept == 0);
  }
  SECTION("two of them that two words would hold: they stay") {
    m.access(0, 4, kAll, 64, 16);
    m.access(1, 4, kAll, 68, 16);
    m.run();
    CHECK(m.counts.kept == 2);
  }
  SECTION("two with a gap between: they stay") {
    m.access(0, 4, kAll, 64, 16);
    m.access(2, 4, kAll, 72, 16);
    m.run();
    CHECK(m.counts.kept == 2);
  }
  SECTION("stores of three words stay") {
    Mapped stores(R"(
  st.shared.u32 [%r10], %r1;
  st.shared.u32 [%r10+4], %r2;
  st.shared.u32 [%r10+8], %r3;
  ret;)",
                  {{0, "STS.128 [R10], R4"}, {3, "EXIT"}});
    REQUIRE(stores.why.empty());
    for (const std::uint32_t s : {0u, 1u, 2u})
      stores.access(s, 4, kAll, 64 + 4 * s, 16, trace::Op::kStore);
    stores.run();
    CHECK(stores.counts.kept == 3);
  }
}

TEST_CASE("neighbours become one wide access only when every byte of it was asked for") {
  const char* body = R"(
  ld.shared.u32 %r1, [%r10];
  ld.shared.u32 %r2, [%r10+4];
  ret;)";
  const std::vector<Line> code{{1, "LDS.64 R2, [R10]"}, {2, "EXIT"}};
  SECTION("both halves, the second one named") {
    Mapped m(body, code);
    REQUIRE(m.why.empty());
    m.access(0, 4, kAll, 64, 8);
    m.access(1, 4, kAll, 68, 8);
    CHECK(m.run() == "0/8");
    CHECK(m.records[0].base == 64);
    CHECK(m.counts.merged == 1);
    CHECK(m.counts.kept == 0);
  }
  SECTION("lanes that lie anywhere") {
    Mapped m(body, code);
    std::uint64_t at[32], next[32];
    for (std::uint64_t l = 0; l < 32; ++l) at[l] = l * l * 8, next[l] = at[l] + 4;
    for (const auto* addresses : {at, next}) {
      trace::Record r = pack_lanes(kAll, addresses, m.lanes);
      r.site = m.sites.number_of(
          {addresses == at ? 0u : 16u, trace::Op::kLoad, trace::Space::kShared, 4});
      m.records.push_back(r);
    }
    CHECK(m.run() == "0/8");
    CHECK(lane_address(m.records[0], 5, m.lanes) == 200);
  }
  SECTION("only one half: it stays, and is counted") {
    Mapped m(body, code);
    m.access(1, 4, kAll, 68, 8);
    CHECK(m.run() == fmt::format("{:x}/4", m.map.ptx_zone + 16));
    CHECK(m.records[0].base == 68);
    CHECK(m.counts.kept == 1);
  }
  SECTION("other lanes: both stay") {
    Mapped m(body, code);
    m.access(0, 4, 0xffffu, 64, 8);
    m.access(1, 4, kAll, 68, 8);
    m.run();
    CHECK(m.counts.kept == 2);
  }
  SECTION("apart: both stay") {
    Mapped m(body, code);
    m.access(0, 4, kAll, 64, 16);
    m.access(1, 4, kAll, 1028, 16);
    m.run();
    CHECK(m.counts.kept == 2);
  }
}

TEST_CASE("a load that was made once for two stays when the addresses differ") {
  Mapped m(R"(
  ld.shared.u32 %r1, [%r10];
  ld.shared.u32 %r2, [%r11];
  add.u32 %r3, %r1, %r2;
  st.shared.u32 [%r12], %r3;
  ret;)",
           {{0, "LDS R1, [R10]"}, {2, "IADD3 R3, R1, R1, RZ"}, {3, "STS [R12], R3"}, {4, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0, 4);
  m.access(1, 4, kAll, 0, 4);
  m.access(0, 4, kAll, 0, 4);
  m.access(1, 4, kAll, 4, 4);
  CHECK(m.run() == fmt::format("0/4 0/4 {:x}/4", m.map.ptx_zone + 16));
  CHECK(m.counts.merged == 1);
  CHECK(m.counts.kept == 1);
}

TEST_CASE("what became of a matrix fragment's load says how it comes from shared memory") {
  const char* body = R"(
  wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r1, %r2}, [%r10];
  wmma.load.b.sync.aligned.col.m16n16k16.s8 {%r3, %r4}, [%rd1];
  ret;)";
  Mapped m(body, {{0, "LDSM.16.M88.2 R2, [R10]"},
                  {1, "LD.E R4, desc[UR4][R8.64]"},
                  {1, "LD.E R5, desc[UR4][R8.64+0x80]"},
                  {2, "EXIT"}});
  REQUIRE(m.why == "");
  REQUIRE(m.map.fragments.size() >= 2);
  CHECK(m.map.fragments[0] == FragmentForm::kRows);
  CHECK(m.map.fragments[1] == FragmentForm::kRegisters);
}

TEST_CASE("a load whose value nothing in the machine code is made of is no access") {
  // The second load says whether to do what nothing remains of; the third, with a branch whose ways
  // differ, is needed.
  const std::string body = R"(
  ld.u32 %r1, [%rd1];
  st.shared.u32 [%r9], %r1;
  ld.u64 %rd2, [%rd1+8];
  setp.ne.s64 %p1, %rd2, 0;
  not.pred %p2, %p1;
  @%p2 bra DONE;
  bra.uni FREE;
FREE:
  mov.u32 %r3, 0;
  mov.u32 %r4, %r3;
  bra.uni DONE;
DONE:
  st.shared.u32 [%r9+4], STORED;
  ret;)";
  for (const std::string stored : {"%r1", "%r4", "%r2"}) {
    INFO(stored);
    std::string text = body;
    text.replace(text.find("STORED"), 6, stored);
    Mapped m(text, {{0, "LD.E R2, desc[UR4][R4.64]"},
                    {1, "STS [R9], R2"},
                    {10, "STS [R9+0x4], R2"},
                    {11, "EXIT"}});
    REQUIRE(m.why == "");
    m.access(0, 4, kAll, 0x200000200000, 4, trace::Op::kLoad, trace::Space::kGlobal);
    m.access(2, 8, kAll, 0x200000200800, 8, trace::Op::kLoad, trace::Space::kGlobal);
    m.run();
    // %r4 is stored, and what it is the branch decides.
    const bool needed = stored == "%r4";
    CHECK(m.records.size() == (needed ? 2 : 1));
    CHECK(m.counts.kept == (needed ? 1 : 0));
  }
  // Where one way does something of its own, the value is needed.
  std::string text = body;
  text.replace(text.find("STORED"), 6, "%r1");
  text.replace(text.find("mov.u32 %r4, %r3"), 16, "st.shared.u32 [%r9+8], %r3");
  Mapped m(text, {{0, "LD.E R2, desc[UR4][R4.64]"},
                  {1, "STS [R9], R2"},
                  {8, "@P0 STS [R9+0x8], RZ"},
                  {10, "STS [R9+0x4], R2"},
                  {11, "EXIT"}});
  m.access(2, 8, kAll, 0x200000200800, 8, trace::Op::kLoad, trace::Space::kGlobal);
  m.run();
  CHECK(m.records.size() == 1);
  CHECK(m.counts.kept == 1);
}

TEST_CASE("what is not understood is not mapped, and says why") {
  const char* body = R"(
  ld.shared.u32 %r1, [%r10];
  st.shared.u32 [%r12], %r1;
  ret;)";
  const auto why = [&](const std::vector<Line>& code) { return Mapped(body, code).why; };
  const Line load{0, "LDS R1, [R10]"}, store{1, "STS [R12], R1"}, end{2, "EXIT"};
  CHECK(why({load, store, end}).empty());
  CHECK(why({load, {-1, "LDG.E R5, desc[UR4][R2.64]"}, store, end})
            .find("no access of the PTX explains") != std::string::npos);
  CHECK(why({load, load, store, end}).find("2 times") != std::string::npos);
  CHECK(why({load, {1, "STS.U8 [R12], R1"}, {1, "STS.U8 [R12+0x1], R1"}, end}).find("split") !=
        std::string::npos);
  CHECK(why({load, {1, "BRX R2 -0x10"}, store, end}).find("through a register") !=
        std::string::npos);
  CHECK(why({load, {1, "BRX R2 -0x10 (*\"BRANCH_TARGETS 0x20,0x30\"*)"}, store, end}).empty());
  CHECK(why({{0, "?"}, store, end}).find("cannot be read") != std::string::npos);
  // A load that became one of a loop's.
  CHECK(why({load, {0, "@P0 BRA 0x0"}, store, end}).find("times") != std::string::npos);
  // Spills, and instructions that never run, change nothing.
  CHECK(why({{-1, "STL [R1], R4"}, {0, "@!PT LDS RZ, [RZ]"}, load, store, end}).empty());
}

TEST_CASE("where one lane adds for its warp, one lane of the record remains") {
  Mapped m(R"(
  red.global.add.u32 [%rd1], 1;
  ret;)",
           {{0, "VOTEU.ANY UR4, UPT, PT"},
            {0, "UFLO.U32 UR4, UR4"},
            {0, "ISETP.EQ.U32.AND P0, PT, R0, UR4, PT"},
            {0, "@P0 REDG.E.ADD.STRONG.GPU desc[UR6][R4.64], R7"},
            {1, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, 0xffu, 4096, 0, trace::Op::kReduction, trace::Space::kGlobal);
  m.access(0, 4, 0xffu, 4096, 4, trace::Op::kReduction, trace::Space::kGlobal);  // cannot be
  m.run();
  REQUIRE(m.records.size() == 2);
  CHECK(m.records[0].mask == 0x80u);
  CHECK(m.site(0).pc == 0x30);
  CHECK(m.records[1].mask == 0xffu);
  CHECK(m.counts.kept == 1);
}

TEST_CASE(
    "a refill of a spilled register goes by the line of the load that needs it, and is none") {
  Mapped m(R"(
  ld.u32 %r1, [%rd1];
  st.u32 [%rd1 + 4], %r1;
  ret;)",
           {{0, "LDL R14, [R1+0x8] (*\"SpillRefill\"*)"},
            {0, "LD.E R13, desc[UR4][R14.64]"},
            {0, "LDL R15, [R1+0x30] (*\"SpillRefill\"*)"},
            {1, "STL [R1+0x30], R15 (*\"SpillRefill\"*)"},
            {1, "ST.E desc[UR4][R14.64+0x4], R13"},
            {2, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 4096, 4, trace::Op::kLoad, trace::Space::kGlobal);
  m.access(1, 4, kAll, 4100, 4, trace::Op::kStore, trace::Space::kGlobal);
  m.run();
  REQUIRE(m.records.size() == 2);
  CHECK(m.site(0).pc == 0x10);
  CHECK(m.site(1).pc == 0x40);
  CHECK(m.counts.kept == 0);
}

TEST_CASE("a lane that was elected for one reduction acts for others too") {
  Mapped m(R"(
  red.global.add.u32 [%rd1], 1;
  red.global.max.s32 [%rd1 + 4], %r1;
  @%p1 red.global.min.s32 [%rd1 + 8], %r1;
  ret;)",
           {{1, "REDUX.MAX.S32 UR5, R5"},
            {0, "UFLO.U32 UR4, UR4"},
            {0, "ISETP.EQ.U32.AND P1, PT, R12, UR4, PT"},
            {0, "@P1 REDG.E.ADD.STRONG.GPU desc[UR6][R6.64], R11"},
            {1, "@P1 REDG.E.MAX.S32.STRONG.GPU desc[UR6][R6.64+0x4], R13"},
            {2, "@P2 REDG.E.MIN.S32.STRONG.GPU desc[UR6][R6.64+0x8], R5"},  // each lane its own
            {3, "EXIT"}});
  REQUIRE(m.why.empty());
  for (std::uint32_t s = 0; s < 3; ++s)
    m.access(s, 4, kAll, 4096 + 4 * s, 0, trace::Op::kReduction, trace::Space::kGlobal);
  m.run();
  REQUIRE(m.records.size() == 3);
  CHECK(m.records[0].mask == 1u << 31);
  CHECK(m.records[1].mask == 1u << 31);
  CHECK(m.records[2].mask == kAll);
  CHECK(m.counts.kept == 0);
}

TEST_CASE("an atomic is a reduction when its instruction returns nothing") {
  Mapped m(R"(
  red.shared.add.u32 [%r1], 1;
  ret;)",
           {{0, "ATOMS.POPC.INC.32 RZ, [R2]"}, {1, "EXIT"}});
  m.access(0, 4, kAll, 0, 4, trace::Op::kReduction);
  m.run();
  CHECK(m.site(0).op == trace::Op::kAtomic);  // as the recorder sees it
}

TEST_CASE("loops, their depths and an order of the blocks come out of the branches") {
  // 0; 1 (2 3)* 4 round to 1; 5 far away, back to 6; 6
  std::vector<trace::FlowLine> lines(8);
  lines[0] = {true, {7}};
  lines[3] = {true, {2}};
  lines[4] = {true, {1}};
  lines[6] = {false, {}};
  lines[7] = {false, {5}};
  const trace::CodeFlow flow = trace::flow_of(lines);
  CHECK(flow.reducible);
  REQUIRE(flow.loops.size() == 2);
  CHECK(flow.depth(0) == 0);
  CHECK(flow.depth(1) == 1);
  CHECK(flow.depth(2) == 2);
  CHECK(flow.depth(4) == 1);
  CHECK(flow.depth(5) == 0);
  CHECK(flow.back_edge[3] != trace::kNowhere);
  CHECK(flow.back_edge[4] != trace::kNowhere);
  CHECK(flow.loops[flow.back_edge[3]].outer == flow.back_edge[4]);
  CHECK(flow.order[flow.block_of[7]] < flow.order[flow.block_of[5]]);
  CHECK(flow.order[flow.block_of[2]] < flow.order[flow.block_of[4]]);
  // What nothing leads to says nothing about the rest, wherever it goes.
  std::vector<trace::FlowLine> island(6);
  island[1] = {true, {4}};
  island[2] = {false, {5}};
  island[3] = {false, {1}};
  island[4] = {true, {}};
  const trace::CodeFlow around = trace::flow_of(island);
  CHECK(around.reached(2));
  CHECK(!around.reached(3));
  CHECK(around.reached(5));
  CHECK(around.dominates(around.block_of[1], around.block_of[5]));
  std::vector<trace::FlowLine> two_ways(4);
  two_ways[0] = {true, {2}};
  two_ways[2] = {true, {1}};
  CHECK(!trace::flow_of(two_ways).reducible);
}

}  // namespace
}  // namespace warpmem::emulate
