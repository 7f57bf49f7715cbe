// What one access of the PTX became where ptxas made several instructions of it, or others, or
// narrower ones. The machine code is of the kind that ptxas 13.0 makes for sm_90.
#include "emulate/mapping/lane_addresses.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"

namespace warpmem::emulate {
namespace {

TEST_CASE("accesses that go by one statement's name are told apart by the constants") {
  const char* body = R"(
  mov.u32 %r20, %tid.x;
  shl.b32 %r21, %r20, 4;
  add.s32 %r10, %r21, 4;
  shl.b32 %r22, %r20, 4;
  ld.shared.u32 %r1, [%r22+12];
  ld.shared.u32 %r2, [%r10];
  st.shared.u32 [%r12], %r1;
  ret;)";
  SECTION("one is the other's, with another way to the same base") {
    Mapped m(
        body,
        {{5, "LDS R1, [R10+0x4]"}, {5, "LDS R2, [R10+0xc]"}, {6, "STS [R12], R1"}, {7, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(4, 4, kAll, 12, 16);
    m.access(5, 4, kAll, 4, 16);
    m.access(6, 4, kAll, 0, 4, trace::Op::kStore);
    CHECK(m.run() == "0/4 10/4 20/4");
    CHECK(m.records[0].base == 4);
    CHECK(m.counts.kept == 0);
  }
  SECTION("they may be of different widths") {
    const char* widths = R"(
  ld.shared.u32 %r1, [%r10+4];
  ld.shared.v2.u32 {%r2, %r3}, [%r10+8];
  ld.shared.v2.u32 {%r4, %r5}, [%r10+16];
  ret;)";
    Mapped m(widths, {{0, "LDS.64 R4, [R10+0x10]"},
                      {0, "LDS R1, [R10+0x4]"},
                      {0, "LDS.64 R2, [R10+0x8]"},
                      {3, "EXIT"}});
    INFO(m.why);
    REQUIRE(m.why.empty());
    m.access(0, 4, kAll, 4, 32);
    m.access(1, 8, kAll, 8, 32);
    m.access(2, 8, kAll, 16, 32);
    CHECK(m.run() == "0/8 10/4 20/8");
    CHECK(m.records[0].base == 16);
    CHECK(m.counts.kept == 0);
    const Mapped wrong(widths, {{0, "LDS.64 R4, [R10+0x10]"},
                                {0, "LDS R1, [R10+0x4]"},
                                {0, "LDS R2, [R10+0x8]"},
                                {3, "EXIT"}});
    CHECK(wrong.why.find("3 times 'ld.shared.u32'") != std::string::npos);
  }
  SECTION("constants that fit nothing explain nothing") {
    const Mapped m(
        body,
        {{5, "LDS R1, [R10+0x4]"}, {5, "LDS R2, [R10+0x14]"}, {6, "STS [R12], R1"}, {7, "EXIT"}});
    CHECK(m.why.find("2 times 'ld.shared.u32'") != std::string::npos);
    CHECK(m.why.find("at 0x0, 0x10") != std::string::npos);
  }
}

TEST_CASE("a store that another one makes needless is no access") {
  const char* body = R"(
  st.shared.u32 [%r10], %r1;
  st.shared.u32 [%r10], %r2;
  ret;)";
  SECTION("both in one place") {
    Mapped m(body, {{1, "STS [R10], R2"}, {2, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(0, 4, kAll, 0, 4, trace::Op::kStore);
    m.access(1, 4, kAll, 0, 4, trace::Op::kStore);
    CHECK(m.run() == "0/4");
    CHECK(m.counts.gone == 1);
    CHECK(m.counts.kept == 0);
  }
  SECTION("where a wide one could be two of them it stays") {
    Mapped m(body, {{1, "STS.64 [R10], R2"}, {2, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(0, 4, kAll, 0, 4, trace::Op::kStore);
    m.run();
    CHECK(m.counts.kept == 1);
  }
  SECTION("one that stands for two ways is theirs, not nobody's") {
    Mapped m(R"(
  @%p1 bra ELSE;
  st.shared.u32 [%r10], %r1;
  bra END;
ELSE:
  st.shared.u32 [%r10], %r2;
END:
  ret;)",
             {{3, "STS [R10], R2"}, {4, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(1, 4, 0xffff, 0, 4, trace::Op::kStore);
    m.run();
    CHECK(m.counts.kept == 1);
  }
}

TEST_CASE("variables in shared memory that one instruction was to load for two are loaded by two") {
  const std::string variables = ".shared .u32 first;\n.shared .u32 second;\n";
  const auto body = [](const char* between) {
    return std::string(
               "\n  ld.shared.u32 %r1, [first];\n  setp.eq.s32 %p1, %r1, 0;\n"
               "  @%p1 bra OUT;\n") +
           between + "  ld.shared.u32 %r2, [second];\n  st.shared.u32 [%r12], %r2;\nOUT:\n  ret;";
  };
  SECTION("the second one for all lanes, before it is known which of them need it") {
    Mapped m(body(""),
             {{0, "LDS R1, [UR4+0x8]"},
              {0, "LDS R2, [UR4]"},
              {2, "@P1 EXIT"},
              {4, "STS [R12], R2"},
              {5, "EXIT"}},
             variables);
    REQUIRE(m.why.empty());
    m.access(0, 4, kAll, 8, 0);
    m.access(3, 4, 0xff, 0, 0);
    m.access(4, 4, 0xff, 64, 4, trace::Op::kStore);
    CHECK(m.run() == "0/4 10/4 30/4");
    CHECK(m.counts.kept == 0);
  }
  SECTION("not across a barrier") {
    const Mapped m(body("  barrier.sync 0;\n"),
                   {{0, "LDS R1, [UR4+0x8]"},
                    {0, "LDS R2, [UR4]"},
                    {2, "@P1 EXIT"},
                    {3, "BAR.SYNC.DEFER_BLOCKING 0x0"},
                    {5, "STS [R12], R2"},
                    {6, "EXIT"}},
                   variables);
    CHECK(m.why.find("2 times 'ld.shared.u32'") != std::string::npos);
  }
}

TEST_CASE("what only a warp runs whose lanes have parted is not what it runs together") {
  Mapped m(R"(
  barrier.sync 0;
  st.shared.u32 [%r12], %r1;
  ret;)",
           {{0, "BRA.DIV UR8, 0x40"},
            {0, "BAR.SYNC.DEFER_BLOCKING 0x0"},
            {1, "STS [R12], R1"},
            {2, "EXIT"},
            {0, "WARPSYNC.COLLECTIVE.ALL 0x60"},
            {0, "BAR.SYNC.DEFER_BLOCKING R12, R12"},
            {0, "BRA 0x20"}});
  REQUIRE(m.why.empty());
  m.access(0, 0, kAll, 0, 0, trace::Op::kBarrier, trace::Space::kNone);
  m.access(1, 4, kAll, 0, 4, trace::Op::kStore);
  CHECK(m.run() == "10/0 20/4");
}

TEST_CASE("a load of which a part is used is as narrow as its instruction") {
  SECTION("the lower half of a register") {
    Mapped m(R"(
  ld.global.u64 %rd2, [%rd1];
  cvt.u32.u64 %r1, %rd2;
  st.shared.u32 [%r12], %r1;
  ret;)",
             {{0, "LDG.E R1, desc[UR4][R2.64]"}, {2, "STS [R12], R1"}, {3, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(0, 8, kAll, 4096, 8, trace::Op::kLoad, trace::Space::kGlobal);
    CHECK(m.run() == "0/4");
    CHECK(m.records[0].base == 4096);
    CHECK(m.records[0].stride == 8);
  }
  SECTION("which half is not known where both are looked at") {
    const Mapped m(R"(
  ld.global.u64 %rd2, [%rd1];
  shr.u64 %rd3, %rd2, 32;
  st.shared.u64 [%r12], %rd3;
  ret;)",
                   {{0, "LDG.E R1, desc[UR4][R2.64]"}, {2, "STS.64 [R12], R1"}, {3, "EXIT"}});
    CHECK(m.why.find("'ld.global.u64' in line") != std::string::npos);
    CHECK(m.why.find("split") != std::string::npos);
  }
  SECTION("one of the halves that the register is taken to pieces of") {
    const auto body = [](const char* used) {
      return std::string(
                 "\n  ld.global.u32 %r1, [%rd1];\n  mov.b32 {%rs1, %rs2}, %r1;\n"
                 "  st.shared.u16 [%r12], ") +
             used + ";\n  ret;";
    };
    const auto run = [&](const char* used) {
      Mapped m(body(used),
               {{0, "LDG.E.U16 R1, desc[UR4][R2.64]"}, {2, "STS.U16 [R12], R1"}, {3, "EXIT"}}, "",
               "  .reg .b16 %rs<4>;\n");
      REQUIRE(m.why.empty());
      m.access(0, 4, kAll, 4096, 8, trace::Op::kLoad, trace::Space::kGlobal);
      CHECK(m.run() == "0/2");
      return m.records[0].base;
    };
    CHECK(run("%rs1") == 4096);
    CHECK(run("%rs2") == 4098);
  }
  SECTION("the second of two registers") {
    const char* body = R"(
  ld.global.v2.u64 {%rd2, %rd3}, [%rd1];
  st.shared.u64 [%r12], %rd3;
  ret;)";
    Mapped m(body,
             {{0, "LDG.E.64 R4, desc[UR4][R2.64+0x8]"}, {1, "STS.64 [R12], R4"}, {2, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(0, 16, kAll, 4096, 16, trace::Op::kLoad, trace::Space::kGlobal);
    std::uint64_t at[32];
    for (std::uint64_t l = 0; l < 32; ++l) at[l] = 8192 + l * l * 16;
    trace::Record r = pack_lanes(kAll, at, m.lanes);
    r.site = m.records[0].site;
    m.records.push_back(r);
    CHECK(m.run() == "0/8 0/8");
    CHECK(m.records[0].base == 4104);
    CHECK(lane_address(m.records[1], 3, m.lanes) == 8192 + 9 * 16 + 8);
  }
}

TEST_CASE("a load of several words of which some are used may become several instructions") {
  const char* body = R"(
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
  add.f32 %f5, %f1, %f2;
  add.f32 %f5, %f5, %f3;
  st.global.f32 [%rd2], %f5;
  ret;)";
  SECTION("each is a part of it, and all are by the same lanes") {
    Mapped m(body, {{0, "LDG.E R8, desc[UR4][R10.64+0x18]"},
                    {0, "LDG.E.64 R12, desc[UR4][R10.64+0x10]"},
                    {1, "FADD R1, R12, R13"},
                    {3, "STG.E desc[UR4][R2.64], R5"},
                    {4, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(0, 16, 0xff, 4096, 16, trace::Op::kLoad, trace::Space::kGlobal);
    m.access(0, 16, 0x0f, 8192, 16, trace::Op::kLoad, trace::Space::kGlobal);
    CHECK(m.run() == "0/4 10/8 0/4 10/8");
    CHECK(m.records[0].base == 4104);
    CHECK(m.records[1].base == 4096);
    CHECK(m.records[2].mask == 0x0f);
    CHECK(m.counts.kept == 0);
  }
  SECTION("not where it is open which words they are") {
    const Mapped m(body, {{0, "LDG.E R8, desc[UR4][R10.64+0x4]"},
                          {0, "LDG.E R12, desc[UR4][R10.64]"},
                          {3, "STG.E desc[UR4][R2.64], R5"},
                          {4, "EXIT"}});
    CHECK(m.why.find("was split") != std::string::npos);
  }
  SECTION("not in two places") {
    const Mapped m(body, {{0, "LDG.E R8, desc[UR4][R10.64+0x8]"},
                          {1, "@P0 EXIT"},
                          {0, "LDG.E.64 R12, desc[UR4][R10.64]"},
                          {3, "STG.E desc[UR4][R2.64], R5"},
                          {4, "EXIT"}});
    CHECK(m.why.find("was split") != std::string::npos);
  }
}

TEST_CASE("of copies on ways that exclude each other the first stands for all") {
  const char* body = R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra OTHER;
  mov.u32 %r2, 5;
OTHER:
  barrier.sync 0;
  st.shared.u32 [%r12], %r2;
  ret;)";
  const auto why = [&](const std::vector<Line>& code) { return Mapped(body, code).why; };
  CHECK(why({{1, "@P0 BRA 0x40"},
             {3, "BAR.SYNC.DEFER_BLOCKING 0x0"},
             {4, "STS [R12], R2"},
             {5, "EXIT"},
             {3, "BAR.SYNC.DEFER_BLOCKING 0x0"},
             {4, "STS [R12], R3"},
             {5, "EXIT"}})
            .empty());
  // The one leads to the other.
  CHECK(why({{1, "@P0 BRA 0x20"},
             {3, "BAR.SYNC.DEFER_BLOCKING 0x0"},
             {3, "BAR.SYNC.DEFER_BLOCKING 0x0"},
             {4, "STS [R12], R2"},
             {5, "EXIT"}})
            .find("2 times 'barrier.sync'") != std::string::npos);
}

TEST_CASE("texture accesses have no line of their own, and go by their order") {
  const char* body = R"(
  add.f32 %f1, %f2, %f3;
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}];
  add.f32 %f1, %f4, %f3;
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}];
  ret;)";
  Mapped m(body, {{0, "FADD R1, R2, R3"},
                  {2, "TEX.LL RZ, R5, R4, R0, UR4, 0x0, 2D, 0x1"},
                  {0, "TEX.LL RZ, R5, R4, R0, UR4, 0x0, 2D, 0x1"},
                  {4, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(1, 4, kAll, 4096, 4, trace::Op::kLoad, trace::Space::kTexture);
  m.access(3, 4, kAll, 8192, 4, trace::Op::kLoad, trace::Space::kTexture);
  CHECK(m.run() == "10/4 20/4");
  CHECK(m.records[0].base == 4096);
  const Mapped n(body, {{0, "TEX.LL RZ, R5, R4, R0, UR4, 0x0, 2D, 0x1"}, {4, "EXIT"}});
  CHECK(n.why.find("1 texture accesses for 2") != std::string::npos);
  // Two iterations at a time.
  Mapped u(R"(
AGAIN:
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}];
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f1}];
  setp.ne.f32 %p1, %f4, %f5;
  @%p1 bra AGAIN;
  ret;)",
           {{2, "TEX.LL RZ, R5, R4, R0, UR4, 0x0, 2D, 0x1"},
            {2, "TEX.LL RZ, R6, R4, R0, UR4, 0x0, 2D, 0x1"},
            {2, "TEX.LL RZ, R7, R4, R0, UR4, 0x0, 2D, 0x1"},
            {2, "TEX.LL RZ, R8, R4, R0, UR4, 0x0, 2D, 0x1"},
            {3, "@P1 BRA 0x0"},
            {2, "@!P2 TEX.LL RZ, R5, R4, R0, UR4, 0x0, 2D, 0x1"},
            {2, "@!P2 TEX.LL RZ, R6, R4, R0, UR4, 0x0, 2D, 0x1"},
            {4, "EXIT"}});
  REQUIRE(u.why.empty());
  for (std::uint32_t i = 0; i < 3; ++i) {
    u.access(0, 4, kAll, 64 * i, 4, trace::Op::kLoad, trace::Space::kTexture);
    u.access(1, 4, kAll, 64 * i, 4, trace::Op::kLoad, trace::Space::kTexture);
    if (i < 2) u.again(3, kAll);
  }
  CHECK(u.run() == "0/4 10/4 20/4 30/4 50/4 60/4");
}

TEST_CASE("a texture access that has another one's line goes by its order too") {
  Mapped m(R"(
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];
  tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f2}, [%rd1, {%f1, %f2}];
  st.shared.f32 [%r10], %f5;
  ret;)",
           {{1, "MOV R4, R8"},  // an operand of the second
            {1, "TEX.LL RZ, R6, R4, R0, UR4, 0x0, 2D, 0x1"},
            {1, "TEX.LL RZ, R6, R4, R0, UR4, 0x0, 2D, 0x1"},
            {2, "STS [R2], R6"},
            {3, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 4096, 4, trace::Op::kLoad, trace::Space::kTexture);
  m.access(1, 4, kAll, 8192, 4, trace::Op::kLoad, trace::Space::kTexture);
  CHECK(m.run() == "10/4 20/4");
}

TEST_CASE("texture accesses that a short branch guards go by their guards") {
  Mapped m(R"(
  add.f32 %f1, %f2, %f3;
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}];
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra OUT;
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f1}];
OUT:
  ret;)",
           {{0, "@!P1 TEX.LL RZ, R5, R4, R0, UR4, 0x0, 2D, 0x1"},
            {0, "TEX.LL RZ, R6, R4, R0, UR4, 0x0, 2D, 0x1"},
            {5, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(1, 4, kAll, 4096, 4, trace::Op::kLoad, trace::Space::kTexture);
  m.access(4, 4, 0xff, 8192, 4, trace::Op::kLoad, trace::Space::kTexture);
  CHECK(m.run() == "0/4 10/4");
  CHECK(m.records[0].base == 8192);
}

TEST_CASE("an atomic that the memory cannot do goes round until each lane has had its turn") {
  const char* body = R"(
  atom.shared.add.f32 %f1, [%r10], %f2;
  ret;)";
  const std::vector<Line> code{{0, "LDS R10, [R6]"},
                               {0, "FADD R11, R5, R10"},
                               {0, "ATOMS.CAST.SPIN R11, [R6], R10, R11"},
                               {0, "ISETP.EQ.U32.AND P1, PT, R11, 0x1, PT"},
                               {0, "@!P1 BRA 0x0"},
                               {1, "EXIT"}};
  SECTION("at once, where their words are different") {
    Mapped m(body, code);
    REQUIRE(m.why.empty());
    m.access(0, 4, kAll, 0, 4, trace::Op::kAtomic);
    CHECK(m.run() == "0/4 20/4");
    CHECK(m.site(0).op == trace::Op::kLoad);
    CHECK(m.site(1).op == trace::Op::kAtomic);
    CHECK(m.records[1].mask == kAll);
  }
  SECTION("one after the other, where they are the same") {
    Mapped m(body, code);
    std::uint64_t at[32] = {};
    for (std::uint64_t l = 0; l < 32; ++l) at[l] = l < 3 ? 64 : 4 * l;
    trace::Record r = pack_lanes(kAll, at, m.lanes);
    r.site = m.sites.number_of({0, trace::Op::kAtomic, trace::Space::kShared, 4});
    m.records.push_back(r);  // lane 16 is at 64 as well
    CHECK(m.run() == "0/4 20/4 0/4 20/4 0/4 20/4 0/4 20/4");
    CHECK(m.records[2].mask == (0x6u | 1u << 16));
    CHECK(m.records[7].mask == 1u << 16);
    CHECK(lane_address(m.records[7], 16, m.lanes) == 64);
  }
  SECTION("not where the code has another shape") {
    const Mapped m(body,
                   {{0, "LDS R10, [R6]"}, {0, "ATOMS.CAST.SPIN R11, [R6], R10, R11"}, {1, "EXIT"}});
    CHECK(m.why.find("1 loads and 1 atomics") != std::string::npos);
  }
}

TEST_CASE("functions that a kernel calls are mapped where they are one instruction a statement") {
  const char* functions = R"(
.func slow(.param .b64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  ld.global.u32 %r1, [%rd1];
  ld.global.u32 %r2, [%rd1+4];
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
  const char* body = R"(
  ld.global.u32 %r1, [%rd1];
  { .param .b64 x; st.param.b64 [x], %rd1; call slow, (x); }
  st.global.u32 [%rd1], %r1;
  ret;)";
  Mapped m(body,
           {{0, "LDG.E R1, desc[UR4][R2.64]"},
            {2, "CALL.REL.NOINC 0x40"},
            {3, "STG.E desc[UR4][R2.64], R1"},
            {4, "EXIT"},
            {6, "LDG.E R5, desc[UR4][R4.64]"},
            {7, "LDG.E R6, desc[UR4][R4.64+0x4]"},
            {7, "LDG.E R7, desc[UR4][R4.64+0x4]"},
            {8, "STG.E desc[UR4][R4.64], R5"},
            {9, "RET.REL.NODEC R8 0x0"}},
           functions);
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0, 4, trace::Op::kLoad, trace::Space::kGlobal);
  m.access(6, 4, 1, 512, 4, trace::Op::kLoad, trace::Space::kGlobal);
  m.access(7, 4, 1, 516, 4, trace::Op::kLoad, trace::Space::kGlobal);  // which of the two?
  m.access(8, 4, 1, 512, 4, trace::Op::kStore, trace::Space::kGlobal);
  m.access(3, 4, kAll, 0, 4, trace::Op::kStore, trace::Space::kGlobal);
  CHECK(m.run() == fmt::format("0/4 40/4 {:x}/4 70/4 20/4", m.map.ptx_zone + 16 * 7));
  CHECK(m.counts.kept == 1);
}

TEST_CASE(
    "what a function does stays between what its caller, a function too, does before and after") {
  // The kernel calls both; the caller comes behind the other among the PTX's functions, in front of
  // it in the machine code.
  Mapped m(R"(
  { .param .b64 x; st.param.b64 [x], %rd1; call inner, (x); }
  { .param .b64 y; st.param.b64 [y], %rd1; call outer, (y); }
  ret;)",
           {{1, "CALL.REL.NOINC 0x70"},
            {3, "CALL.REL.NOINC 0x30"},
            {4, "EXIT"},
            {10, "LDG.E R5, desc[UR4][R4.64]", true},
            {12, "CALL.REL.NOINC 0x70"},
            {13, "LDG.E R6, desc[UR4][R4.64+0x4]"},
            {14, "RET.REL.NODEC R8 0x0"},
            {6, "LDG.E R7, desc[UR4][R4.64]", true},
            {7, "STG.E desc[UR4][R4.64], R7"},
            {8, "RET.REL.NODEC R10 0x0"}},
           R"(
.func inner(.param .b64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd1], %r1;
  ret;
}
.func outer(.param .b64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  ld.global.u32 %r1, [%rd1];
  { .param .b64 x; st.param.b64 [x], %rd1; call inner, (x); }
  ld.global.u32 %r2, [%rd1+4];
  ret;
}
)");
  REQUIRE(m.why.empty());
  const auto global = trace::Space::kGlobal;
  for (int round = 0; round < 2; ++round) {
    m.access(10, 4, kAll, 0, 4, trace::Op::kLoad, global);
    m.access(6, 4, kAll, 512, 4, trace::Op::kLoad, global);
    m.access(7, 4, kAll, 512, 4, trace::Op::kStore, global);
    m.access(13, 4, kAll, 4, 4, trace::Op::kLoad, global);
  }
  CHECK(m.run() == "30/4 70/4 80/4 50/4 30/4 70/4 80/4 50/4");
  CHECK(m.counts.kept == 0);
}

TEST_CASE("a load of a function of which a part is used becomes as narrow as its instruction") {
  // A pointer to a function, whose lower half chooses the function.
  const auto mapped = [](const char* use) {
    return Mapped(R"(
  { .param .b64 x; st.param.b64 [x], %rd1; call slow, (x); }
  ret;)",
                  {{1, "CALL.REL.NOINC 0x20"},
                   {2, "EXIT"},
                   {4, "LDG.E R5, desc[UR4][R4.64]"},
                   {6, "RET.REL.NODEC R8 0x0"}},
                  std::string(R"(
.func slow(.param .b64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  ld.global.u64 %rd2, [%rd1];
  )") + use + "\n  ret;\n}\n");
  };
  const auto run = [](Mapped m) {
    REQUIRE(m.why.empty());
    m.access(4, 8, kAll, 512, 8, trace::Op::kLoad, trace::Space::kGlobal);
    const std::string out = m.run();
    return m.counts.kept == 0 ? out : out + " kept";
  };
  CHECK(run(mapped("cvt.u32.u64 %r1, %rd2;")) == "20/4");
  CHECK(run(mapped("shr.u64 %rd3, %rd2, 32;")).ends_with("/8 kept"));
}

TEST_CASE(
    "functions that were linked stand behind the kernel, called by name or through a register") {
  const char* functions = R"(
.func apart(.param .b64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd1+4], %r1;
  ret;
}
)";
  const char* body = R"(
  { .param .b64 x; st.param.b64 [x], %rd1; call apart, (x); }
  ret;)";
  for (const char* call : {"CALL.ABS.NOINC 0x20", "CALL.ABS.NOINC R6"}) {
    INFO(call);
    Mapped m(body,
             {{1, call},
              {2, "EXIT"},
              {4, "LDG.E R1, desc[UR4][R2.64]", true},
              {5, "STG.E desc[UR4][R2.64+0x4], R1"},
              {6, "RET.REL.NODEC R20 `(apart)"}},
             functions);
    REQUIRE(m.why.empty());
    m.access(4, 4, kAll, 4096, 8, trace::Op::kLoad, trace::Space::kGlobal);
    m.access(5, 4, kAll, 4100, 8, trace::Op::kStore, trace::Space::kGlobal);
    CHECK(m.run() == "20/4 30/4");
    CHECK(m.counts.kept == 0);
  }
}

TEST_CASE(
    "functions that call each other through registers make no loop, and uncalled ones matter to "
    "none") {
  const char* functions = R"(
.func apart(.param .b64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  ld.global.u32 %r1, [%rd1];
  ret;
}
.func further(.param .b64 a)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  st.global.u32 [%rd1], 7;
  ret;
}
)";
  const char* body = R"(
  { .param .b64 x; st.param.b64 [x], %rd1; call apart, (x); call further, (x); }
  ret;)";
  Mapped m(body,
           {{1, "CALL.REL.NOINC R6 `(k)"},
            {3, "EXIT"},
            {5, "LDG.E R1, desc[UR4][R2.64]", true},
            {-1, "CALL.REL.NOINC R8 `(k)"},
            {6, "RET.REL.NODEC R20 `(k)"},
            {8, "STG.E desc[UR4][R2.64], R1", true},
            {-1, "CALL.REL.NOINC R8 `(k)"},
            {9, "RET.REL.NODEC R20 `(k)"},
            {-2, "LD.E.64 R8, desc[UR4][R2.64+0x8]", true},
            {-2, "STL [R1], R8"},
            {-2, "RET.REL.NODEC R20 `(k)"}},
           functions);
  INFO(m.why);
  REQUIRE(m.why.empty());
  m.access(5, 4, kAll, 4096, 8, trace::Op::kLoad, trace::Space::kGlobal);
  m.access(8, 4, kAll, 8192, 8, trace::Op::kStore, trace::Space::kGlobal);
  CHECK(m.run() == "20/4 50/4");
  CHECK(m.counts.kept == 0);
}

TEST_CASE("what is loaded and stored to change and copy a tensor map leaves no record") {
  Mapped m(R"(
  ld.shared.u32 %r1, [%r10];
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r10], 0, %rd1;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r10], 128;
  ret;)",
           {{0, "LDS R1, [R10]"},
            {1, "LDS R8, [R10+0x1c]"},
            {1, "STS [R10+0x1c], R8"},
            {1, "STS [R10+0xc], R4"},
            {2, "LDS R5, [R4]"},
            {2, "STG.E desc[UR4][R2.64], R5"},
            {3, "EXIT"}});
  INFO(m.why);
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0, 4);
  CHECK(m.run() == "0/4");
}

TEST_CASE("the iteration that is alone where a condition does not hold is passed where it does") {
  const std::vector<Line> code{{0, "@!P0 LDS R1, [R10]"}, {2, "@P1 BRA 0x60"},
                               {0, "LDS R1, [R10]"},      {0, "LDS R2, [R10+0x4]"},
                               {0, "LDS R3, [R10+0x8]"},  {2, "@P1 BRA 0x20"},
                               {0, "@P0 LDS R1, [R10]"},  {3, "EXIT"}};
  const char* body = R"(
AGAIN:
  ld.shared.u32 %r1, [%r10];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra AGAIN;
  ret;)";
  Mapped m(body, code);
  REQUIRE(m.why.empty());
  for (std::uint32_t i = 0; i < 4; ++i) {
    m.access(0, 4, kAll, 64 * i, 4);
    if (i < 3) m.again(2, kAll);
  }
  CHECK(m.run() == "20/4 30/4 40/4 60/4");
  CHECK(m.counts.kept == 0);
  // The same, passed by a branch.
  Mapped n(body, {{2, "@P0 BRA 0x20"},
                  {0, "LDS R1, [R10]"},
                  {2, "@P1 BRA 0x60"},
                  {0, "LDS R1, [R10]"},
                  {0, "LDS R2, [R10+0x4]"},
                  {2, "@P1 BRA 0x30"},
                  {0, "@P0 LDS R1, [R10]"},
                  {3, "EXIT"}});
  REQUIRE(n.why.empty());
  for (std::uint32_t i = 0; i < 3; ++i) {
    n.access(0, 4, kAll, 64 * i, 4);
    if (i < 2) n.again(2, kAll);
  }
  CHECK(n.run() == "30/4 40/4 60/4");
}

}  // namespace
}  // namespace warpmem::emulate
