// Loops that ptxas changed in ways that do not depend on how many iterations are left: a first
// iteration made alone, bodies that leave nothing over, a first half copied to before the loop. The
// machine code is of the kind that ptxas 13.0 makes for sm_90.
#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"

namespace warpmem::emulate {
namespace {

constexpr const char* kSum = R"(
AGAIN:
  ld.shared.u32 %r1, [%r12];
  add.s32 %r12, %r12, 4;
  setp.ne.s32 %p1, %r12, %r13;
  @%p1 bra AGAIN;
  st.shared.u32 [%r14], %r1;
  ret;)";

// So many iterations, one word further each, and a store.
std::string went(Mapped& m, std::uint32_t iterations) {
  for (std::uint32_t i = 0; i < iterations; ++i) {
    if (i > 0) m.again(3, kAll);
    m.access(0, 4, kAll, 4 * i, 0);
  }
  m.access(4, 4, kAll, 4096, 4, trace::Op::kStore);
  return m.run();
}

TEST_CASE("a loop of a known number of iterations needs no body for those left over") {
  const std::vector<Line> twos = {{0, "LDS R1, [R12]"},
                                  {0, "LDS R2, [R12+0x4]"},
                                  {3, "@P1 BRA 0x0"},
                                  {4, "STS [R14], R1"},
                                  {5, "EXIT"}};
  Mapped m(kSum, twos);
  REQUIRE(m.why.empty());
  CHECK(went(m, 4) == "0/4 10/4 0/4 10/4 30/4");
  CHECK(m.counts.kept == 0);
  // Should one be left all the same, the loop is no certain one.
  Mapped odd(kSum, twos);
  went(odd, 3);
  CHECK(odd.counts.kept == 3);
}

TEST_CASE("what is loaded again in each round, and was loaded before the loop, is no access") {
  // The end of a row; the register of its address is written once, that of what is added up is not.
  const auto body = [](const std::string& end) {
    return "ld.param.u64 %rd1, [p]; add.s64 %rd2, %rd1, 64;\n  ld.global.u32 %r1, [%rd1]; "
           "ld.global.u32 %r2, [%rd2+4];\n"
           "AGAIN:\n  ld.global.u32 %r3, [%rd3]; add.s64 %rd3, %rd3, 4; ld.global.u32 %r2, [" +
           end +
           "];\n"
           "  add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r2; @%p1 bra AGAIN;\n  st.global.u32 "
           "[%rd3], %r3; ret;";
  };
  const std::vector<Line> code = {{2, "LDG.E R1, desc[UR4][R2.64]"},
                                  {3, "LDG.E R5, desc[UR4][R2.64+0x44]"},
                                  {4, "LDG.E R7, desc[UR4][R8.64]"},
                                  {5, "IADD3 R8, P2, R8, 0x4, RZ"},
                                  {9, "@P1 BRA 0x20"},
                                  {10, "STG.E desc[UR4][R8.64], R7"},
                                  {11, "EXIT"}};
  const auto went_round = [&](const std::string& end) {
    Mapped m(body(end), code);
    REQUIRE(m.why.empty());
    const auto load = [&](std::uint32_t s, std::uint64_t at) {
      m.access(s, 4, kAll, at, 0, trace::Op::kLoad, trace::Space::kGlobal);
    };
    load(2, 0x1000), load(3, 0x1044);
    for (int i = 0; i < 3; ++i) {
      load(4, 0x2000 + 4 * static_cast<std::uint64_t>(i)), load(6, 0x1044);
    }
    m.run();
    return m.counts;
  };
  CHECK(went_round("%rd2+4").gone == 3);
  CHECK(went_round("%rd1+68").gone == 3);
  CHECK(went_round("%rd2+4").kept == 0);
  // Another word is none that was loaded.
  CHECK(went_round("%rd2+8").gone == 0);
}

TEST_CASE("a loop whose end falls through to its beginning goes round there") {
  Mapped m(R"(
  bra.uni FIRST;
AGAIN:
  add.u32 %r10, %r10, 4;
FIRST:
  ld.shared.u32 %r1, [%r10];
  setp.ne.u32 %p1, %r10, %r11;
  @%p1 bra AGAIN;
  st.shared.u32 [%r12], %r1;
  ret;)",
           {{2, "LDS R1, [R10]"},
            {4, "@!P1 BRA 0x30"},
            {2, "LDS R1, [R10+0x4]"},
            {5, "STS [R12], R1"},
            {6, "EXIT"}});
  REQUIRE(m.why == "");
  m.access(2, 4, kAll, 0, 0);
  m.again(1, kAll);
  m.access(2, 4, kAll, 4, 0);
  m.access(5, 4, kAll, 4096, 4, trace::Op::kStore);
  CHECK(m.run() == "0/4 20/4 30/4");
  CHECK(m.counts.kept == 0);
}

TEST_CASE("the first iteration is made before the loop, whose bodies take the others") {
  const auto code = [](const char* first) {
    return std::vector<Line>{
        {0, first},          {0, "LDS R1, [R12+0x4]"}, {0, "LDS R2, [R12+0x8]"},
        {3, "@P1 BRA 0x10"}, {4, "STS [R14], R1"},     {5, "EXIT"}};
  };
  // A block of its own: something leads to behind it.
  Mapped m(kSum, code("LDS R1, [R12]"));
  REQUIRE(m.why.empty());
  CHECK(went(m, 5) == "0/4 10/4 20/4 10/4 20/4 40/4");
  CHECK(m.counts.kept == 0);
  const Mapped guarded(kSum, code("@P2 LDS R1, [R12]"));
  CHECK(guarded.why.find("its largest body does not repeat") != std::string::npos);
}

TEST_CASE("all records of a bulk copy go to its instruction, however the loop was unrolled") {
  const char* body = R"(
AGAIN:
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
  add.s32 %r12, %r12, 4;
  setp.ne.s32 %p1, %r12, %r13;
  @%p1 bra AGAIN;
  st.shared.u32 [%r14], %r1;
  ret;)";
  Mapped m(body, {{0, "UTMALDG.2D [UR8], [UR6]"},
                  {0, "UTMALDG.2D [UR16], [UR6]"},
                  {3, "@P1 BRA 0x0"},
                  {4, "STS [R14], R1"},
                  {5, "EXIT"}});
  INFO(m.why);
  REQUIRE(m.why.empty());
  const auto put = [&](trace::Op op, trace::Space space, std::uint32_t bytes, trace::Piece piece) {
    m.records.push_back(trace::piece_record(2, 0x100 * m.records.size(), piece));
    m.records.back().site = m.sites.number_of({0, op, space, bytes});
  };
  using trace::Op, trace::Space, trace::Piece;
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (i > 0) m.again(3, 4);
    const bool outside = i == 2;  // its first row
    if (!outside) put(Op::kBulkRead, Space::kGlobal, 64, Piece::kFirst);
    put(Op::kBulkWrite, Space::kShared, 64, outside ? Piece::kFirst : Piece::kFurther);
    put(Op::kBulkRead, Space::kGlobal, 32, Piece::kFurther);
    put(Op::kBulkWrite, Space::kShared, 64, Piece::kFurther);
  }
  m.access(4, 4, kAll, 4096, 4, trace::Op::kStore);
  CHECK(m.run() ==
        "0/64 0/64 0/32 0/64 10/64 10/64 10/32 10/64 "
        "0/64 0/32 0/64 10/64 10/64 10/32 10/64 30/4");
  CHECK(m.counts.kept == 0);
  CHECK(piece_of(m.records[0]) == Piece::kFirst);
  CHECK(piece_of(m.records[1]) == Piece::kFurther);
  CHECK(piece_of(m.records[4]) == Piece::kFirst);
  CHECK(piece_of(m.records[8]) == Piece::kFirst);
}

// head: a load and a barrier; tail: a store.
constexpr const char* kHalf = R"(
  bra.uni HEAD;
TAIL:
  st.shared.u32 [%r12], %r1;
HEAD:
  ld.shared.u32 %r1, [%r13];
  barrier.sync 0;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra TAIL;
  st.shared.u32 [%r14], %r1;
  ret;)";
const std::vector<Line> kHalfCode = {{2, "LDS R1, [R13]"}, {3, "BAR.SYNC.DEFER_BLOCKING 0x0"},
                                     {5, "@!P1 BRA 0x70"}, {1, "STS [R12], R1"},
                                     {2, "LDS R1, [R13]"}, {3, "BAR.SYNC.DEFER_BLOCKING 0x0"},
                                     {5, "@P1 BRA 0x30"},  {6, "STS [R14], R1"},
                                     {7, "EXIT"}};

TEST_CASE("of a loop whose first half was copied to before it the copy is run first") {
  Mapped m(kHalf, kHalfCode);
  REQUIRE(m.why.empty());
  const auto head = [&](std::uint32_t mask) {
    m.access(2, 4, mask, 0, 4);
    m.access(3, 0, mask, 0, 0, trace::Op::kBarrier, trace::Space::kNone);
  };
  const auto tail = [&](std::uint32_t mask) { m.access(1, 4, mask, 256, 4, trace::Op::kStore); };
  SECTION("then the loop, in the order of the machine code") {
    head(kAll), tail(kAll), head(kAll), tail(0xff), head(0xff);
    m.access(6, 4, kAll, 512, 4, trace::Op::kStore);
    CHECK(m.run() == "0/4 10/0 30/4 40/4 50/0 30/4 40/4 50/0 70/4");
    CHECK(m.counts.kept == 0);
  }
  SECTION("once more when the warp comes there again") {
    head(kAll), tail(kAll), head(kAll);
    m.access(6, 4, kAll, 512, 4, trace::Op::kStore);
    head(kAll);
    CHECK(m.run() == "0/4 10/0 30/4 40/4 50/0 70/4 0/4 10/0");
  }
  SECTION("lanes that come later run it too") {
    head(0xffff), tail(0xffff), head(0xffff), head(0xffff0000);
    CHECK(m.run() == "0/4 10/0 30/4 40/4 50/0 0/4 10/0");
  }
}

TEST_CASE("two sides of a branch that became predicates come in the order of the machine code") {
  // if (p) r = global; else r = shared; another load, which ptxas puts between them; round a loop.
  constexpr const char* kSides = R"(
LOOP:
  @%p1 bra GLOBAL;
  ld.shared.u32 %r1, [%r12];
  bra.uni BOTH;
GLOBAL:
  ld.global.u32 %r1, [%rd2];
BOTH:
  ld.shared.u32 %r2, [%r13+64];
  st.shared.u32 [%r14], %r2;
  setp.ne.s32 %p2, %r2, 0;
  @%p2 bra LOOP;
  ret;)";
  const std::vector<Line> code = {{1, "@!P1 LDS R1, [R12]"},    {4, "LDS R2, [R13+0x40]"},
                                  {3, "@P1 LDG.E R1, [R2.64]"}, {5, "STS [R14], R2"},
                                  {7, "@P2 BRA 0x0"},           {8, "EXIT"}};
  Mapped m(kSides, code);
  REQUIRE(m.why.empty());
  const auto round = [&](bool global_first) {
    const auto global = [&] {
      m.access(3, 4, 1, 4096, 4, trace::Op::kLoad, trace::Space::kGlobal);
    };
    if (global_first) global();
    m.access(1, 4, kAll & ~1u, 0, 4);
    if (!global_first) global();
    m.access(4, 4, kAll, 512, 4);
    m.access(5, 4, kAll, 768, 4, trace::Op::kStore);
  };
  round(true), round(true), round(false);
  CHECK(m.run() == "0/4 10/4 20/4 30/4 0/4 10/4 20/4 30/4 0/4 10/4 20/4 30/4");
}

TEST_CASE("a loop with two halves is left alone when a copy is not of its first") {
  std::vector<Line> code = kHalfCode;
  code[0] = {1, "STS [R12], R1"};
  CHECK(Mapped(kHalf, code).why.find("unrolled in a way") != std::string::npos);
}

TEST_CASE("an iteration made alone may have branches, and loops of its own") {
  Mapped m(R"(
OUTER:
  ld.shared.u32 %r1, [%r12];
INNER:
  ld.shared.u32 %r2, [%r13];
  setp.ne.s32 %p1, %r2, 0;
  @%p1 bra INNER;
  setp.ne.s32 %p2, %r1, 0;
  @%p2 bra OUTER;
  ret;)",
           {{0, "LDS R1, [R12]"},
            {1, "LDS R2, [R13]"},
            {3, "@P1 BRA 0x10"},
            {0, "LDS R1, [R12]"},
            {1, "LDS R2, [R13]"},
            {3, "@P1 BRA 0x40"},
            {5, "@P2 BRA 0x30"},
            {6, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0, 4);
  m.access(1, 4, kAll, 256, 4);
  m.access(1, 4, kAll, 256, 4);
  m.access(0, 4, kAll, 0, 4);
  m.access(1, 4, kAll, 256, 4);
  m.access(0, 4, kAll, 0, 4);
  CHECK(m.run() == "0/4 10/4 10/4 30/4 40/4 30/4");
}

// x[4i+1] … x[4i+4], two iterations at a time: the last word of the one comes with the first words
// of the next.
constexpr const char* kWords = R"(
AGAIN:
  ld.shared.u32 %r1, [%r12+4];
  ld.shared.u32 %r2, [%r12+8];
  ld.shared.u32 %r3, [%r12+12];
  ld.shared.u32 %r4, [%r12+16];
  add.s32 %r12, %r12, 16;
  setp.ne.s32 %p1, %r12, %r13;
  @%p1 bra AGAIN;
  st.shared.u32 [%r14], %r1;
  ret;)";

std::vector<Line> words_code(const char* last) {
  return {{0, "LDS.128 R4, [R12]"}, {0, "LDS.128 R8, [R12+0x10]"}, {3, last},
          {6, "@P1 BRA 0x0"},       {7, "STS [R14], R1"},          {8, "EXIT"}};
}

std::string went_words(Mapped& m) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    if (i > 0) m.again(6, kAll);
    for (std::uint32_t w = 0; w < 4; ++w) m.access(w, 4, kAll, 16 * i + 4 * w + 4, 256);
  }
  m.access(7, 4, kAll, 4096, 4, trace::Op::kStore);
  return m.run();
}

TEST_CASE("loads of several iterations of an unrolled loop may become one") {
  Mapped m(kWords, words_code("LDS R1, [R12+0x20]"));
  REQUIRE(m.why.empty());
  CHECK(went_words(m) == "0/16 10/16 20/4 0/16 10/16 20/4 40/4");
  CHECK(m.counts.kept == 0);
  CHECK(m.counts.merged == 10);
  CHECK(m.records[0].base == 0);
  CHECK(m.records[1].base == 16);
  CHECK(m.records[2].base == 32);
  CHECK(m.records[5].base == 64);
}

TEST_CASE(
    "an instruction of an unrolled loop whose bytes no iteration asks for is no certain one") {
  Mapped m(kWords, words_code("LDS R1, [R12+0x2c]"));
  REQUIRE(m.why.empty());
  went_words(m);
  CHECK(m.counts.kept == 4);
}

TEST_CASE("of a loop that became straight code the last iteration leaves in its middle") {
  Mapped m(R"(
  bra.uni HEAD;
TAIL:
  st.shared.u32 [%r12], %r1;
HEAD:
  ld.shared.u32 %r1, [%r13];
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra TAIL;
  st.shared.u32 [%r14], %r1;
  ret;)",
           {{2, "LDS R1, [R13]"},
            {1, "STS [R12], R1"},
            {2, "LDS R2, [R13+0x4]"},
            {1, "STS [R12], R2"},
            {2, "LDS R3, [R13+0x8]"},
            {5, "STS [R14], R3"},
            {6, "EXIT"}});
  REQUIRE(m.why.empty());
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (i > 0) m.access(1, 4, kAll, 512, 0, trace::Op::kStore), m.again(1, kAll);
    m.access(2, 4, kAll, 4 * i, 0);
  }
  m.access(5, 4, kAll, 4096, 4, trace::Op::kStore);
  CHECK(m.run() == "0/4 10/4 20/4 30/4 40/4 50/4");
  CHECK(m.counts.kept == 0);
}

TEST_CASE("a loop that became straight code shares loads with what stands before it") {
  Mapped m(R"(
  ld.shared.u32 %r1, [%r12];
AGAIN:
  ld.shared.u32 %r2, [%r13+4];
  ld.shared.u32 %r3, [%r13+8];
  st.shared.u32 [%r14], %r3;
  ld.shared.u32 %r4, [%r13+12];
  add.s32 %r13, %r13, 16;
  setp.ne.s32 %p1, %r13, %r11;
  @%p1 bra AGAIN;
  st.shared.u32 [%r14+4], %r4;
  ret;)",
           {{0, "LDS.128 R4, [R12]"},
            {1, "LDS.128 R8, [R12+0x10]"},
            {3, "STS [R14], R6"},
            {1, "LDS.128 R16, [R12+0x20]"},
            {3, "STS [R14], R10"},
            {3, "STS [R14], R18"},
            {8, "STS [R14+0x4], R19"},
            {9, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0, 0);
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (i > 0) m.again(7, kAll);
    m.access(1, 4, kAll, 16 * i + 4, 0);
    m.access(2, 4, kAll, 16 * i + 8, 0);
    m.access(3, 4, kAll, 4096, 4, trace::Op::kStore);
    m.access(4, 4, kAll, 16 * i + 12, 0);
  }
  m.access(8, 4, kAll, 4100, 4, trace::Op::kStore);
  CHECK(m.run() == "0/16 10/16 20/4 30/16 40/4 50/4 60/4");
  CHECK(m.counts.kept == 0);
  CHECK(m.records[1].base == 16);
}

TEST_CASE("loads of straight code say by their addresses how many iterations they are of") {
  // The first iteration's come with the word before the loop, so that the statement has two for
  // three of them.
  Mapped m(R"(
  ld.shared.u32 %r1, [%r12];
AGAIN:
  ld.shared.u32 %r2, [%r13+4];
  ld.shared.u32 %r3, [%r13+8];
  ld.shared.u32 %r4, [%r13+12];
  ld.shared.u32 %r5, [%r13+16];
  add.s32 %r13, %r13, 16;
  setp.ne.s32 %p1, %r13, %r11;
  @%p1 bra AGAIN;
  st.shared.u32 [%r14], %r4;
  ret;)",
           {{0, "LDS.128 R4, [R12]"},
            {1, "LDS.128 R8, [R12+0x10]"},
            {1, "LDS.128 R16, [R12+0x20]"},
            {4, "LDS R20, [R12+0x30]"},
            {8, "STS [R14], R19"},
            {9, "EXIT"}});
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0, 0);
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (i > 0) m.again(7, kAll);
    for (std::uint32_t w = 0; w < 4; ++w) m.access(1 + w, 4, kAll, 16 * i + 4 * w + 4, 0);
  }
  m.access(8, 4, kAll, 4096, 4, trace::Op::kStore);
  CHECK(m.run() == "0/16 10/16 20/16 30/4 40/4");
  CHECK(m.counts.kept == 0);
}

TEST_CASE("iterations with branches may stand one after the other") {
  Mapped m(R"(
AGAIN:
  setp.ne.s32 %p2, %r1, %r2;
  @%p2 bra PASS;
  ld.shared.u32 %r3, [%r12];
  st.shared.u32 [%r13], %r3;
PASS:
  bar.sync 0;
  add.s32 %r1, %r1, 1;
  setp.ne.s32 %p1, %r1, 2;
  @%p1 bra AGAIN;
  ret;)",
           {{1, "@P0 BRA 0x30"},
            {2, "LDS R1, [R12]"},
            {3, "STS [R13], R1"},
            {4, "BAR.SYNC.DEFER_BLOCKING 0x0"},
            {1, "@P1 BRA 0x70"},
            {2, "LDS R1, [R12+0x4]"},
            {3, "STS [R13+0x4], R1"},
            {4, "BAR.SYNC.DEFER_BLOCKING 0x0"},
            {8, "EXIT"}});
  REQUIRE(m.why.empty());
  const auto go = [&](std::uint32_t mask, std::uint64_t at) {
    m.access(2, 4, mask, at, 4);
    m.access(3, 4, mask, 256 + at, 4, trace::Op::kStore);
  };
  const auto meet = [&](std::uint32_t mask) {
    m.access(4, 0, mask, 0, 0, trace::Op::kBarrier, trace::Space::kNone);
  };
  SECTION("for some lanes") {
    go(0xff, 0), meet(kAll), m.again(7, kAll), go(0xff00, 4), meet(kAll);
    CHECK(m.run() == "10/4 20/4 30/0 50/4 60/4 70/0");
    CHECK(m.records[3].mask == 0xff00);
  }
  SECTION("not for all iterations") {
    meet(kAll), m.again(7, kAll), go(kAll, 4), meet(kAll);
    CHECK(m.run() == "30/0 50/4 60/4 70/0");
  }
  SECTION("and be left") {
    go(kAll, 0), meet(kAll);
    CHECK(m.run() == "10/4 20/4 30/0");
  }
  CHECK(m.counts.kept == 0);
}

}  // namespace
}  // namespace warpmem::emulate
