// What becomes of a warp's records where a loop was unrolled: the machine code of the kernels below
// is what ptxas 13.0 makes of their kind for sm_90.
#include <fmt/format.h>

#include "emulate/mapping/lane_addresses.hpp"
#include "emulate/mapping/sass_trace.hpp"
#include "emulate/mapping/site_map.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"
#include "tests/emulate/support.hpp"

namespace warpmem::emulate {
namespace {

// Four iterations at a time, then two, then one, as ptxas does it.
struct Unrolled : Mapped {
  Unrolled()
      : Mapped(R"(
AGAIN:
  ld.shared.u32 %r1, [%r10];
  add.u32 %r10, %r10, 4;
  setp.ne.u32 %p1, %r10, %r11;
  @%p1 bra AGAIN;
  st.shared.u32 [%r12], %r1;
  ret;)",
               {{2, "ISETP.GT.AND P0, PT, R4, 0x3, PT"},
                {3, "@!P0 BRA 0x70"},
                {0, "LDS R1, [R10]"},
                {0, "LDS R3, [R10+0x8]"},  // out of order
                {0, "LDS R2, [R10+0x4]"},
                {0, "LDS R4, [R10+0xc]"},
                {3, "@P0 BRA 0x20"},
                {2, "ISETP.GT.AND P0, PT, R4, 0x1, PT"},
                {3, "@!P0 BRA 0xb0"},
                {0, "LDS R1, [R10]"},
                {0, "LDS R2, [R10+0x4]"},
                {3, "@!P1 BRA 0xe0"},
                {0, "LDS R1, [R10]"},
                {3, "@P1 BRA 0xc0"},
                {4, "STS [R12], R1"},
                {5, "EXIT"}}) {}
  // Lane l goes round iterations(l) times.
  template <class F>
  void go(F iterations) {
    for (std::uint32_t i = 0;; ++i) {
      std::uint32_t now = 0, on = 0;
      for (std::uint32_t l = 0; l < 32; ++l) {
        now |= (i < iterations(l) ? 1u : 0u) << l;
        on |= (i + 1 < iterations(l) ? 1u : 0u) << l;
      }
      if (now == 0) break;
      access(0, 4, now, 4 * i, 256);
      if (on) again(3, on);
    }
  }
};

TEST_CASE("iterations go to the bodies of an unrolled loop as many at a time as are left") {
  Unrolled m;
  REQUIRE(m.why.empty());
  m.go([](std::uint32_t) { return 11u; });
  m.access(4, 4, kAll, 0, 4, trace::Op::kStore);
  CHECK(m.run() == "20/4 30/4 40/4 50/4 20/4 30/4 40/4 50/4 90/4 a0/4 c0/4 e0/4");
  CHECK(m.counts.kept == 0);
  CHECK(m.records[1].base == 8);  // the instruction with [R10+0x8] is the third iteration's
  CHECK(m.records[2].base == 4);
  CHECK(m.records[10].base == 40);
}

TEST_CASE("lanes with fewer iterations meet the others in the next body") {
  Unrolled m;
  m.go([](std::uint32_t l) { return l < 16 ? 6u : 4u + l % 2; });
  CHECK(m.run() == "20/4 30/4 40/4 50/4 90/4 a0/4 c0/4");
  CHECK(m.records[4].mask == 0xffffu);
  CHECK(m.records[6].mask == 0xaaaa0000u);
  CHECK(m.counts.kept == 0);
}

TEST_CASE("lanes of one body may be in different iterations") {
  Unrolled m;
  m.go([](std::uint32_t l) { return l == 0 ? 6u : 2u; });
  CHECK(m.run() == "20/4 30/4 40/4 50/4 90/4 a0/4");
  CHECK(m.records[4].mask == kAll);
  CHECK(lane_address(m.records[4], 0, m.lanes) == 16);
  CHECK(lane_address(m.records[4], 1, m.lanes) == 256);
}

// --- rounds of loops without accesses -----------------------------------------------------------

// Four iterations at a time in 0x10 … 0x60, single ones in 0x80 … 0x90.
struct UnrolledArithmetic : Mapped {
  UnrolledArithmetic()
      : Mapped(R"(
AGAIN:
  fma.rn.f32 %f1, %f1, %f2, %f3;
  add.s32 %r1, %r1, 1;
  setp.ne.s32 %p1, %r1, %r2;
  @%p1 bra AGAIN;
  st.shared.f32 [%r12], %f1;
  ret;)",
               {{2, "ISETP.GT.AND P0, PT, R4, 0x3, PT"},
                {0, "FFMA R1, R1, R2, R3"},
                {1, "IADD3 R4, R4, -0x4, RZ"},
                {0, "FFMA R1, R1, R2, R3"},
                {0, "FFMA R1, R1, R2, R3"},
                {0, "FFMA R1, R1, R2, R3"},
                {3, "@P0 BRA 0x10"},
                {3, "@!P1 BRA 0xa0"},
                {0, "FFMA R1, R1, R2, R3"},
                {3, "@P1 BRA 0x80"},
                {4, "STS [R12], R1"},
                {5, "EXIT"}}) {}
  // "pc x rounds" of what comes out.
  std::string rounds_out() {
    run();
    std::string out;
    for (std::size_t i = 0; i < records.size(); ++i)
      if (site(i).op == trace::Op::kRounds)
        out += fmt::format("{}{:x} x {}", out.empty() ? "" : ", ", site(i).pc, records[i].base);
    for (const trace::Record& r : records) CHECK(r.stride == 0);
    return out;
  }
};

TEST_CASE("rounds of a loop become those of the loops that its iterations went to") {
  SECTION("once through") {
    UnrolledArithmetic m;
    REQUIRE(m.why.empty());
    m.rounds(3, 102, 1);  // 103 iterations: 25 times four, then three
    CHECK(m.rounds_out() == "60 x 24, 90 x 2");
    CHECK(m.counts.mapped == 0);  // they are no accesses
  }
  SECTION("several times, as many iterations each") {
    UnrolledArithmetic m;
    m.rounds(3, 10 * 102, 10);
    CHECK(m.rounds_out() == "60 x 240, 90 x 20");
  }
  SECTION("few: the larger loop is not gone round") {
    UnrolledArithmetic m;
    m.rounds(3, 2, 1);
    CHECK(m.rounds_out() == "90 x 2");
  }
  SECTION("before the access that follows them") {
    UnrolledArithmetic m;
    m.rounds(3, 102, 1);
    m.access(4, 4, kAll, 0, 0, trace::Op::kStore);
    CHECK(m.run() == "60/0 90/0 a0/4");
  }
}

TEST_CASE("what 64-bit integers become says nothing of how often a loop was unrolled") {
  Mapped m(R"(
AGAIN:
  mul.lo.s64 %rd1, %rd1, 3;
  shr.u64 %rd2, %rd1, 1;
  setp.ne.s64 %p1, %rd2, 1;
  @%p1 bra AGAIN;
  st.shared.u32 [%r12], %r1;
  ret;)",
           {{0, "IMAD R4, R4, 0x3, RZ"},
            {0, "IMAD.WIDE.U32 R2, R2, 0x3, RZ"},
            {0, "IMAD.IADD R3, R3, 0x1, R4"},
            {1, "SHF.R.U64 R6, R2, 0x1, R3"},
            {1, "SHF.R.U32.HI R7, RZ, 0x1, R3"},
            {2, "ISETP.NE.U32.AND P0, PT, R6, 0x1, PT"},
            {3, "ISETP.NE.AND.EX P0, PT, R7, RZ, PT, P0"},
            {3, "@P0 BRA 0x0"},
            {4, "STS [R12], R1"},
            {5, "EXIT"}});
  REQUIRE(m.why.empty());
  m.rounds(3, 100, 1);
  m.run();
  REQUIRE(m.records.size() == 1);
  CHECK(m.site(0).pc == 0x70);
  CHECK(m.records[0].base == 100);
}

TEST_CASE("fences that a cluster's barrier brings along are no further copies of a loop") {
  // Two barriers a round, and two rounds in one of the machine code.
  std::vector<Line> code;
  for (int barrier : {0, 2, 0, 2})
    for (const auto& [s, text] : {std::pair{0, "MEMBAR.ALL.GPU"},
                                  {0, "ERRBAR"},
                                  {0, "CGAERRBAR"},
                                  {0, "UCGABAR_ARV"},
                                  {1, "UCGABAR_WAIT"},
                                  {1, "CCTL.IVALL"}})
      code.push_back({barrier + s, text});
  code.insert(code.end(), {{4, "VIADD R1, R1, 0x2"},
                           {5, "ISETP.NE.AND P0, PT, R1, R2, PT"},
                           {6, "@P0 BRA 0x0"},
                           {7, "STS [R12], R1"},
                           {8, "EXIT"}});
  Mapped m(R"(
AGAIN:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  add.s32 %r1, %r1, 1;
  setp.ne.s32 %p1, %r1, %r2;
  @%p1 bra AGAIN;
  st.shared.u32 [%r12], %r1;
  ret;)",
           code);
  REQUIRE(m.why.empty());
  m.rounds(6, 199, 1);
  m.run();
  REQUIRE(m.records.size() == 1);
  CHECK(m.records[0].base == 99);
}

TEST_CASE("rounds of a loop that became straight code leave nothing") {
  Mapped m(
      R"(
AGAIN:
  fma.rn.f32 %f1, %f1, %f2, %f3;
  add.s32 %r1, %r1, 1;
  setp.ne.s32 %p1, %r1, 2;
  @%p1 bra AGAIN;
  st.shared.f32 [%r12], %f1;
  ret;)",
      {{0, "FFMA R1, R1, R2, R3"}, {0, "FFMA R1, R1, R2, R3"}, {4, "STS [R12], R1"}, {5, "EXIT"}});
  REQUIRE(m.why.empty());
  m.rounds(3, 1, 1);
  m.access(4, 4, kAll, 0, 0, trace::Op::kStore);
  CHECK(m.run() == "20/4");
}

TEST_CASE("an inner loop that was unrolled as a whole is not the outer one") {
  Mapped m(R"(
OUTER:
  mov.b32 %r1, 0;
INNER:
  fma.rn.f32 %f1, %f1, %f2, %f3;
  add.s32 %r1, %r1, 1;
  setp.ne.s32 %p1, %r1, 2;
  @%p1 bra INNER;
  add.s32 %r2, %r2, 1;
  setp.ne.s32 %p2, %r2, %r3;
  @%p2 bra OUTER;
  st.shared.f32 [%r12], %f1;
  ret;)",
           {{1, "FFMA R1, R1, R2, R3"},
            {1, "FFMA R1, R1, R2, R3"},
            {5, "IADD3 R5, R5, 0x1, RZ"},
            {6, "ISETP.NE.AND P0, PT, R5, R6, PT"},
            {7, "@P0 BRA 0x0"},
            {8, "STS [R12], R1"},
            {9, "EXIT"}});
  REQUIRE(m.why.empty());
  m.rounds(4, 10, 10);
  m.rounds(7, 9, 1);
  m.run();
  REQUIRE(m.records.size() == 1);
  CHECK(m.site(0).pc == 0x40);
  CHECK(m.records[0].base == 9);
}

TEST_CASE("one run of an unrolled loop ends where the loop around it goes round") {
  Unrolled m;
  m.go([](std::uint32_t) { return 3u; });
  m.access(4, 4, kAll, 0, 4, trace::Op::kStore);
  m.go([](std::uint32_t) { return 3u; });
  CHECK(m.run() == "90/4 a0/4 c0/4 e0/4 90/4 a0/4 c0/4");
}

TEST_CASE("bodies that take one iteration each run in turn") {
  const char* body = R"(
AGAIN:
  ld.shared.u32 %r10, [%r10];
  setp.ne.u32 %p1, %r10, 0;
  @%p1 bra AGAIN;
  ret;)";
  const auto again = [](Mapped& m, std::uint32_t times, std::uint32_t mask) {
    for (std::uint32_t i = 0; i < times; ++i) {
      m.access(0, 4, mask, 64 * i, 4);
      if (i + 1 < times) m.again(2, mask);
    }
  };
  SECTION("one before the loop, two in it") {
    Mapped m(body, {{0, "LDS R1, [R1]"},
                    {2, "@!P0 BRA 0x60"},
                    {0, "LDS R1, [R1]"},
                    {2, "@!P0 BRA 0x60"},
                    {0, "LDS R1, [R1]"},
                    {2, "@P0 BRA 0x20"},
                    {3, "EXIT"}});
    REQUIRE(m.why.empty());
    again(m, 6, kAll);
    CHECK(m.run() == "0/4 20/4 40/4 20/4 40/4 20/4");
    CHECK(m.counts.kept == 0);
  }
  SECTION("lanes that leave do not come back") {
    Mapped m(body, {{0, "LDS R1, [R1]"},
                    {2, "@!P0 BRA 0x40"},
                    {0, "LDS R1, [R1]"},
                    {2, "@P0 BRA 0x0"},
                    {3, "EXIT"}});
    REQUIRE(m.why.empty());
    m.access(0, 4, kAll, 0, 4);
    m.again(2, 0xffu);
    m.access(0, 4, 0xffu, 64, 4);
    m.again(2, 0xfu);
    m.access(0, 4, 0xfu, 128, 4);
    CHECK(m.run() == "0/4 20/4 0/4");
    CHECK(m.records[2].mask == 0xfu);
  }
  SECTION("all of them, when the compiler knows that there are no more") {
    Mapped m(body, {{0, "LDS R1, [R1]"}, {2, "@!P0 BRA 0x30"}, {0, "LDS R1, [R1]"}, {3, "EXIT"}});
    REQUIRE(m.why.empty());
    again(m, 2, kAll);
    CHECK(m.run() == "0/4 20/4");
    m.records.clear();
    again(m, 3, kAll);  // but there are
    m.run();
    CHECK(m.counts.kept == 3);
  }
  SECTION("not when there is a way back from the middle") {
    const Mapped m(body, {{0, "LDS R1, [R1]"},
                          {2, "@P1 BRA 0x0"},
                          {0, "LDS R1, [R1]"},
                          {2, "@P0 BRA 0x0"},
                          {3, "EXIT"}});
    CHECK(m.why.find("do not follow in turn") != std::string::npos);
  }
}

}  // namespace
}  // namespace warpmem::emulate
