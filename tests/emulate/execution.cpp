// Control flow and synchronisation.
#include "tests/emulate/one_cta.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

TEST_CASE("lanes that took different ways meet at the post-dominator") {
  const auto d = run_cta(R"(
    setp.lt.u32 %p1, %t, 10; @%p1 bra LOW;
    setp.lt.u32 %p2, %t, 20; @%p2 bra MIDDLE;
    mov.b32 %d, 300; bra MEET;
LOW: mov.b32 %d, 100; bra MEET;
MIDDLE: mov.b32 %d, 200;
MEET: activemask.b32 %r1; popc.b32 %r2, %r1; add.s32 %d, %d, %r2;)",
                         32);
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == (i < 10 ? 132u : i < 20 ? 232u : 332u));
}

TEST_CASE("a loop runs as often as each lane asks and ends with all lanes together") {
  const auto d = run_cta(R"(
    mov.b32 %r1, 0;
LOOP: setp.ge.u32 %p1, %r1, %t; @%p1 bra OUT; add.s32 %d, %d, %r1; add.s32 %r1, %r1, 1; bra LOOP;
OUT: activemask.b32 %r3; setp.ne.b32 %p2, %r3, 0xffffffff; @%p2 mov.b32 %d, 9999;)",
                         64);
  for (u32 i = 0; i < 64; ++i) CHECK(d[i] == i * (i - 1) / 2);
}

TEST_CASE("sides of a branch that may both leave the loop go round together as long as they stay") {
  // Lane i leaves after round i; the sides go back to the loop's beginning each by itself.
  const auto d = run_cta(R"(
    mov.b32 %r2, 0; mov.b32 %r5, 0; and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1;
LOOP: activemask.b32 %r3; shl.b32 %r4, 0xffffffff, %r2; setp.ne.b32 %p2, %r3, %r4; @%p2 mov.b32 %r5, 1000;
    @%p1 bra ODD;
    setp.ge.u32 %p2, %r2, %t; @%p2 bra END; add.u32 %r2, %r2, 1; bra LOOP;
ODD: setp.ge.u32 %p3, %r2, %t; @%p3 bra END; add.u32 %r2, %r2, 1; bra LOOP;
END: activemask.b32 %r3; setp.ne.b32 %p2, %r3, 0xffffffff; @%p2 mov.b32 %r5, 2000; add.u32 %d, %r2, %r5;)",
                         32);
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == i);
}

TEST_CASE("lanes meet where ways join, whoever passes by on another way") {
  // (a && x) || (b && !x): an H100 makes one store of it, and one load of b for all that come there
  // (kernels/micro/shapes.cu, either: 8,192 stores and 32,768 loads of 8,192 warps).
  const auto d = run_cta(R"(
    mov.b32 %r7, 0;
    and.b32 %r1, %t, 2; setp.eq.u32 %p1, %r1, 0; @%p1 bra SECOND;
    and.b32 %r2, %t, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra STORE;
SECOND: activemask.b32 %r3; popc.b32 %r7, %r3;
    and.b32 %r4, %t, 4; setp.eq.u32 %p3, %r4, 0; @%p3 bra END;
    and.b32 %r5, %t, 1; setp.ne.u32 %p4, %r5, 0; @%p4 bra END;
STORE: activemask.b32 %r6; popc.b32 %d, %r6; mad.lo.u32 %d, %r7, 100, %d;
END: activemask.b32 %r3; setp.ne.b32 %p5, %r3, 0xffffffff; @%p5 mov.b32 %d, 9999;)",
                         32);
  for (u32 i = 0; i < 32; ++i) {
    const bool x = i & 1, a = i & 2, b = i & 4;
    CHECK(d[i] == (a && x ? 16u : b && !x ? 2416u : 0u));
  }
}

TEST_CASE("lanes that go round a loop are not waited for where ways join in the round before") {
  const auto d = run_cta(R"(
    mov.b32 %r1, 0; mov.b32 %r7, 0;
LOOP: shr.u32 %r2, %t, %r1; and.b32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra SECOND;
    and.b32 %r4, %r2, 2; setp.ne.u32 %p2, %r4, 0; @%p2 bra ADD;
    and.b32 %r4, %r2, 4; setp.ne.u32 %p2, %r4, 0; @%p2 bra NEXT;
SECOND: and.b32 %r5, %r2, 8; setp.eq.u32 %p3, %r5, 0; @%p3 bra NEXT;
ADD: add.u32 %d, %d, 1;
NEXT: add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, 5; @%p4 bra LOOP;)",
                         32);
  for (u32 i = 0; i < 32; ++i) {
    u32 sum = 0;
    for (u32 r = 0; r < 5; ++r) {
      const u32 v = i >> r;
      sum += (v & 1) && (v & 2) ? 1 : (v & 1) && (v & 4) ? 0 : v >> 3 & 1;
    }
    CHECK(d[i] == sum);
  }
}

TEST_CASE("lanes that exit early are waited for by nobody") {
  const auto d = run_cta(R"(
    setp.lt.u32 %p1, %t, 40; @%p1 exit;
    bar.sync 0; vote.sync.ballot.b32 %d, %p2, 0xffffffff; add.s32 %d, %d, 5;)",
                         64);
  CHECK(d[0] == 0xdddddddd);
  CHECK(d[39] == 0xdddddddd);
  CHECK(d[40] == 5);
  CHECK(d[63] == 5);
}

TEST_CASE("lanes that skip a shuffle which names them go on to the end, and the shuffle happens") {
  const auto d = run_cta(R"(
    setp.ge.u32 %p1, %t, 16; @%p1 bra SKIP;
    shfl.sync.idx.b32 %d, %t, 5, 31, 0xffffffff;
SKIP: add.s32 %d, %d, 1;)",
                         64);
  for (u32 i = 0; i < 64; ++i) CHECK(d[i] == (i < 16 ? 6u : 1u));
}

TEST_CASE("a jump table sends each lane to its own target") {
  const auto d = run_cta(R"(
    and.b32 %r1, %t, 3;
    TABLE: .branchtargets A, B, C, D;
    brx.idx %r1, TABLE;
A: mov.b32 %d, 10; bra MEET;
B: mov.b32 %d, 20; bra MEET;
C: mov.b32 %d, 30; bra MEET;
D: mov.b32 %d, 40;
MEET: activemask.b32 %r3; setp.ne.b32 %p2, %r3, 0xffffffff; @%p2 mov.b32 %d, 9999;)",
                         32);
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == (i % 4 + 1) * 10);
}

TEST_CASE("functions recurse, each lane to its own depth") {
  const std::string fib = R"(
.func (.param .b32 r) fib(.param .b32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<9>;
  ld.param.u32 %r1, [n]; setp.lt.s32 %p1, %r1, 2; @%p1 bra BASE;
  add.s32 %r2, %r1, -1;
  { .param .b32 p0; st.param.b32 [p0], %r2; .param .b32 q0; call.uni (q0), fib, (p0); ld.param.b32 %r3, [q0]; }
  add.s32 %r2, %r1, -2;
  { .param .b32 p0; st.param.b32 [p0], %r2; .param .b32 q0; call.uni (q0), fib, (p0); ld.param.b32 %r4, [q0]; }
  add.s32 %r1, %r3, %r4;
BASE: st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) twice(.param .b32 n) { .reg .b32 %r<3>; ld.param.u32 %r1, [n]; shl.b32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
.global .u64 table[2] = {fib, twice};
)";
  const auto d = run_cta(
      "{ .param .b32 p0; st.param.b32 [p0], %t; .param .b32 q0; call.uni (q0), fib, (p0); "
      "ld.param.b32 %d, [q0]; }",
      12, fib);
  const u32 expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (u32 i = 0; i < 12; ++i) CHECK(d[i] == expected[i]);
  SECTION("through pointers that differ from lane to lane") {
    const auto e = run_cta(R"(
      and.b32 %r1, %t, 1; mul.wide.u32 %rd1, %r1, 8; mov.u64 %rd2, table; add.s64 %rd1, %rd1, %rd2; ld.global.u64 %rd3, [%rd1];
      { .param .b32 p0; st.param.b32 [p0], %t; .param .b32 q0; P: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (q0), %rd3, (p0), P; ld.param.b32 %d, [q0]; })",
                           12, fib);
    for (u32 i = 0; i < 12; ++i) CHECK(e[i] == (i % 2 ? 2 * i : expected[i]));
  }
}

TEST_CASE("a barrier orders shared memory between warps") {
  const auto d = run_cta(R"(
    .shared .align 4 .b8 tile[512];
    mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.s32 %r3, %r1, %r2; st.shared.u32 [%r3], %t;
    bar.sync 0;
    xor.b32 %r4, %t, 127; shl.b32 %r4, %r4, 2; add.s32 %r4, %r1, %r4; ld.shared.u32 %d, [%r4];)",
                         128);
  for (u32 i = 0; i < 128; ++i) CHECK(d[i] == (i ^ 127));
}

TEST_CASE("who comes last to a barrier does not run ahead of those that waited there") {
  // Nothing stands between the loads and the store: on a GPU all warps load long before.
  const auto d = run_cta(R"(
    bar.sync 0; ld.shared.u32 %d, [seed]; setp.ne.u32 %p1, %t, 127; @%p1 bra SKIP;
    add.s32 %r1, %d, 9; st.shared.u32 [seed], %r1;
SKIP: bar.sync 0; ld.shared.u32 %r2, [seed]; shl.b32 %r2, %r2, 8; add.s32 %d, %d, %r2;)",
                         128, ".shared .align 4 .u32 seed;");
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(d[i] == 9u << 8);
}

TEST_CASE("between barriers all warps read before one writes, and write before one reads again") {
  // A pipeline of threads, each of which takes what its neighbour put there a step ago.
  // As code for debugging has it, the address alone says where it is.
  const std::string space = GENERATE("shared", "global", "generic");
  const bool generic = space == "generic";
  std::string body = R"(
    ADDRESS mad.wide.u32 %rd1, %t, 4, %rd1; st.SPACE.u32 [%rd1], %t;
    bar.sync 0;
    mov.u32 %r4, 0;
AGAIN:
    mov.u32 %r2, 1000; setp.eq.u32 %p1, %t, 0; @%p1 bra FIRST; ld.SPACE.u32 %r2, [%rd1 + -4];
FIRST:
    add.u32 %r2, %r2, 1; st.SPACE.u32 [%rd1], %r2; bar.sync 0;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 40; @%p2 bra AGAIN;
    ld.SPACE.u32 %d, [%rd1]; bar.sync 0;
    shl.b32 %r3, %t, 1; st.SPACE.u32 [%rd1], %r3;
    xor.b32 %r6, %t, 96; sub.u32 %r6, %r6, %t; mad.wide.s32 %rd2, %r6, 4, %rd1;
    ld.SPACE.u32 %r3, [%rd2]; mad.lo.u32 %d, %r3, 10000, %d;)";
  for (std::size_t at; (at = body.find(".SPACE")) != body.npos;)
    body.replace(at, 6, generic ? "" : "." + space);
  body.replace(body.find("ADDRESS"), 7, generic ? "cvta.shared.u64 %rd1, s;" : "mov.u64 %rd1, s;");
  const auto d =
      run_cta(body, 128, std::string(generic ? ".shared" : "." + space) + " .align 4 .b8 s[512];");
  for (u32 i = 0; i < 128; ++i) CHECK(d[i] == (i ^ 96) * 20000 + (i < 40 ? 1001 + i : i));
}

TEST_CASE("an mbarrier begins anew when all that waited at the old one have seen it end") {
  const std::string anew = GENERATE("init.shared.b64 [b], 256", "inval.shared.b64 [b]");
  const auto d = run_cta(R"(
    setp.ne.u32 %p1, %t, 0; @%p1 bra A; mbarrier.init.shared.b64 [b], 128;
A:  bar.sync 0;
    mbarrier.arrive.shared.b64 %rd1, [b];
W:  mbarrier.test_wait.shared.b64 %p2, [b], %rd1; @!%p2 bra W;
    @%p1 bra C; mbarrier.)" + anew +
                             R"(;
C:  bar.sync 0; mov.u32 %d, 7;)",
                         128, ".shared .align 8 .b64 b;");
  for (const u32 v : d) CHECK(v == 7);
}

TEST_CASE("barriers reduce and count: bar.red, and named barriers for some warps") {
  const auto d = run_cta("setp.lt.u32 %p1, %t, 5; bar.red.popc.u32 %d, 0, %p1;", 96);
  for (const u32 v : d) CHECK(v == 5);
  const auto e = run_cta(
      "setp.ge.u32 %p1, %t, 64; @%p1 bra REST; bar.sync 1, 64; mov.b32 %d, 1; REST: bar.sync 0;",
      96);
  CHECK(e[0] == 1);
  CHECK(e[95] == 0);
}

TEST_CASE("a warp-synchronous lock with diverged lanes ends: every part gets its turn") {
  const auto d = run_cta(R"(
    .shared .align 4 .u32 lock; .shared .align 4 .u32 count;
TRY: atom.shared.cas.b32 %r1, [lock], 0, 1; setp.ne.b32 %p1, %r1, 0; @%p1 bra TRY;
    ld.shared.u32 %r2, [count]; add.s32 %r2, %r2, 1; st.shared.u32 [count], %r2; atom.shared.exch.b32 %r3, [lock], 0;
    bar.sync 0; ld.shared.u32 %d, [count];)",
                         64);
  for (const u32 v : d) CHECK(v == 64);
}

TEST_CASE("shuffles, votes, matches and redux") {
  CHECK(run_cta("shfl.sync.down.b32 %d, %t, 4, 31, -1;", 32)[3] == 7);
  CHECK(run_cta("shfl.sync.down.b32 %d, %t, 4, 31, -1;", 32)[30] == 30);
  CHECK(run_cta("shfl.sync.up.b32 %d, %t, 4, 0, -1;", 32)[3] == 3);
  CHECK(run_cta("shfl.sync.up.b32 %d, %t, 4, 0, -1;", 32)[9] == 5);
  CHECK(run_cta("shfl.sync.bfly.b32 %d, %t, 5, 31, -1;", 32)[8] == 13);
  CHECK(run_cta("shfl.sync.idx.b32 %d, %t, 2, 0x181f, -1;", 32)[12] == 10);  // segments of 8
  CHECK(run_cta("shfl.sync.down.b32 %d|%p1, %t, 4, 31, -1; selp.b32 %d, 1, 0, %p1;", 32)[28] == 0);
  CHECK(run_cta("setp.lt.u32 %p1, %t, 3; vote.sync.ballot.b32 %d, %p1, -1;", 32)[9] == 7);
  CHECK(run_cta("setp.lt.u32 %p1, %t, 3; vote.sync.any.pred %p2, %p1, -1; selp.b32 %d, 1, 0, %p2;",
                32)[9] == 1);
  CHECK(run_cta("and.b32 %r1, %t, 1; match.any.sync.b32 %d, %r1, -1;", 32)[2] == 0x55555555);
  CHECK(run_cta("redux.sync.add.s32 %d, %t, -1;", 32)[0] == 496);
  CHECK(run_cta("sub.s32 %r1, 5, %t; redux.sync.min.s32 %d, %r1, -1;", 32)[0] ==
        static_cast<u32>(-26));
}

TEST_CASE("lanes that name the same lanes act together, whoever is beside them") {
  const auto d = run_cta(R"(
    and.b32 %r1, %t, 1; shl.b32 %r2, 0x55555555, %r1;
    redux.sync.add.u32 %r3, %t, %r2; setp.gt.u32 %p1, %t, 9; vote.sync.ballot.b32 %r4, %p1, %r2;
    popc.b32 %r4, %r4; shl.b32 %r4, %r4, 16; or.b32 %d, %r3, %r4;)",
                         32);
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == (i % 2 ? 256u : 240u) + (11u << 16));
}

TEST_CASE(
    "lanes on both sides of a branch that name each other act together, each with its own values") {
  // As an H200 does: cards/gpus/h200/parted_warps.csv.
  const auto parted = [](const std::string& one, const std::string& other, u32 split) {
    return run_cta("setp.lt.u32 %p1, %t, " + std::to_string(split) +
                       "; and.b32 %r1, %t, 3; add.s32 %r6, %t, 100; @%p1 bra ONE; " + other +
                       " activemask.b32 %r7; bra END; ONE: " + one +
                       " activemask.b32 %r7; END: popc.b32 %r7, %r7; shl.b32 %r7, %r7, 16; add.s32 "
                       "%d, %d, %r7;",
                   32);
  };
  for (const u32 split : {1u, 2u, 16u, 31u}) {
    const auto at = [&](u32 lane) {
      return (lane < split ? split : 32 - split) << 16;
    };  // they are apart again
    const auto idx = parted("shfl.sync.idx.b32 %d, %t, 20, 31, -1;",
                            "shfl.sync.idx.b32 %d, %r6, 0, 31, -1;", split);
    const auto down = parted("shfl.sync.down.b32 %d, %t, 1, 31, -1;",
                             "shfl.sync.down.b32 %d, %r6, 1, 31, -1;", split);
    const auto inside =
        parted("shfl.sync.up.b32 %r2|%p2, %t, 2, 0, -1; selp.b32 %d, 1, 0, %p2;",
               "shfl.sync.up.b32 %r3|%p3, %t, 2, 0, -1; selp.b32 %d, 1, 0, %p3;", split);
    const auto ballot = parted(
        "setp.ne.u32 %p2, %r1, 0; vote.sync.ballot.b32 %d, %p2, -1; popc.b32 %d, %d;",
        "setp.eq.u32 %p3, %r1, 0; vote.sync.ballot.b32 %d, !%p3, -1; popc.b32 %d, %d;", split);
    const auto all = parted("vote.sync.all.pred %p2, %p1, -1; selp.b32 %d, 1, 0, %p2;",
                            "vote.sync.any.pred %p3, %p1, -1; selp.b32 %d, 1, 0, %p3;", split);
    const auto sum = parted("redux.sync.add.u32 %d, %t, -1;",
                            "mov.b32 %r2, %t; redux.sync.add.u32 %d, %r2, -1;", split);
    const auto same =
        parted("match.any.sync.b32 %d, %r1, -1; popc.b32 %d, %d;",
               "mov.b32 %r2, %r1; match.any.sync.b32 %d, %r2, -1; popc.b32 %d, %d;", split);
    for (u32 i = 0; i < 32; ++i) {
      const auto held = [&](u32 lane) { return lane < split ? lane : lane + 100; };
      CHECK(idx[i] == held(i < split ? 20 : 0) + at(i));
      CHECK(down[i] == held(std::min(i + 1, 31u)) + at(i));
      CHECK(inside[i] == (i >= 2) + at(i));
      CHECK(ballot[i] == 24 + at(i));
      CHECK(all[i] == (i >= split) + at(i));
      CHECK(sum[i] == 496 + at(i));
      CHECK(same[i] == 8 + at(i));
    }
  }
}

TEST_CASE("a shuffle waits for the lanes it names, which come in parts") {
  const auto d = run_cta(R"(
    mov.b32 %r5, 0; setp.ge.u32 %p1, %t, 32; @%p1 bra OTHER;
    setp.ne.u32 %p2, %t, 0; @%p2 bra MEET;
SPIN: ld.volatile.shared.u32 %r1, [flag]; setp.ne.u32 %p3, %r1, 77; @%p3 bra SPIN;
    mov.b32 %r5, 5;
MEET: add.s32 %r6, %t, %r5; shfl.sync.idx.b32 %d, %r6, 0, 31, 0xffffffff;
    activemask.b32 %r7; setp.ne.b32 %p5, %r7, 0xffffffff; @%p5 mov.b32 %d, 9999; bra END;
OTHER: mov.b32 %r2, 0;
COUNT: add.s32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 40000; @%p4 bra COUNT;
    st.volatile.shared.u32 [flag], 77;
END:)",
                         64, ".shared .u32 flag;");
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == 5);
}

// Lane 0 of warp 0 spins until warp 1 has counted far; its others wait behind the loop.
std::string spinning(const std::string& then) {
  return R"(
    setp.ge.u32 %p1, %t, 32; @%p1 bra OTHER;
    mov.b32 %r8, 0;
AGAIN: setp.ne.u32 %p2, %t, 0; @%p2 bra MEET;
SPIN: ld.volatile.shared.u32 %r1, [flag]; setp.le.u32 %p3, %r1, %r8; @%p3 bra SPIN;
MEET: )" +
         then + R"(
    add.s32 %r8, %r8, 1; setp.lt.u32 %p6, %r8, 3; @%p6 bra AGAIN;
    bra END;
OTHER: mov.b32 %r2, 0; mov.b32 %r3, 0;
COUNT: add.s32 %r2, %r2, 1; rem.u32 %r4, %r2, 300000; setp.ne.u32 %p4, %r4, 0; @%p4 bra COUNT;
    add.s32 %r3, %r3, 1; st.volatile.shared.u32 [flag], %r3; setp.lt.u32 %p5, %r3, 3; @%p5 bra COUNT;
END:)";
}

TEST_CASE("lanes wait for one that spins as long as another warp has something to do") {
  const auto d = run_cta(spinning("activemask.b32 %r7; popc.b32 %r7, %r7; add.s32 %d, %d, %r7;"),
                         64, ".shared .u32 flag;");
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == 96);
  SECTION("so that an instruction of the whole warp finds all of it") {
    const auto e =
        run_cta(spinning("movmatrix.sync.aligned.m8n8.trans.b16 %r9, %t; add.s32 %d, %d, %r9;"), 64,
                ".shared .u32 flag;");
    for (u32 i = 0; i < 32;
         ++i) {  // the lower half of each register holds a lane's number, the upper is 0
      const u32 row = i / 4, column = i % 4 * 2;
      const auto turned = [&](u32 r, u32 c) { return r % 2 ? 0 : 4 * c + r / 2; };
      CHECK(e[i] == 3 * (turned(row, column) | turned(row, column + 1) << 16));
    }
  }
}

TEST_CASE("lanes that parted because one of them held the lock meet at what takes a whole warp") {
  const auto d = run_cta(R"(
    mov.b32 %r8, 0;
ROUND: mov.pred %p2, 0;
TRY: atom.shared.cas.b32 %r1, [lock], 0, 1; setp.ne.b32 %p1, %r1, 0; @%p1 bra TRY;
    ld.shared.u32 %r2, [count]; add.s32 %r2, %r2, 1; st.shared.u32 [count], %r2; atom.shared.exch.b32 %r3, [lock], 0;
    movmatrix.sync.aligned.m8n8.trans.b16 %r9, %t; add.s32 %d, %d, %r9;
    add.s32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 4; @%p3 bra ROUND;
    bar.sync 0; ld.shared.u32 %r4, [count]; shl.b32 %r4, %r4, 8; add.s32 %d, %d, %r4;)",
                         96, ".shared .align 4 .u32 lock; .shared .align 4 .u32 count;");
  CHECK(d[0] == (384 << 8) + 4 * (4 << 16));
  for (u32 w = 0; w < 3; ++w)
    CHECK(d[32 * w + 8] == (384 << 8) + 4 * (32 * w + 1 + ((32 * w + 5) << 16)));
}

TEST_CASE(
    "a barrier counts arrivals: a warp that arrives and then waits for the same phase counts "
    "twice") {
  // Warp 0 alone makes up for 64 threads, before warp 1 gets there: it waits for the value.
  const auto d = run_cta(R"(
    mov.b32 %d, 0;
    setp.ge.u32 %p1, %t, 32; @!%p1 bra FIRST;
SPIN: ld.volatile.shared.u32 %r1, [flag]; setp.ne.u32 %p3, %r1, 77; @%p3 bra SPIN;
    bar.arrive 1, 64; bar.sync 1, 64; mov.b32 %d, 2; bra END;
FIRST: bar.arrive 1, 64; bar.sync 1, 64; st.volatile.shared.u32 [flag], 77; mov.b32 %d, 1;
END: bar.sync 0;)",
                         64, ".shared .u32 flag;");
  for (u32 i = 0; i < 64; ++i) CHECK(d[i] == 1 + i / 32);
}

TEST_CASE(
    "who comes to wait for a phase of the cluster's barrier when others are in the next one waits "
    "no more") {
  // Warp 1 is in the second phase before warp 0, which has arrived in the first, waits for that.
  const auto d = run_cta(R"(
    mov.b32 %d, 0; barrier.cluster.arrive.aligned;
    setp.ge.u32 %p1, %t, 32; @%p1 bra OTHER;
SPIN: ld.volatile.shared.u32 %r1, [flag]; setp.ne.u32 %p3, %r1, 77; @%p3 bra SPIN;
    barrier.cluster.wait.aligned; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.b32 %d, 1; bra END;
OTHER: barrier.cluster.wait.aligned; barrier.cluster.arrive.aligned; st.volatile.shared.u32 [flag], 77;
    barrier.cluster.wait.aligned; mov.b32 %d, 2;
END: bar.sync 0;)",
                         64, ".shared .u32 flag;");
  for (u32 i = 0; i < 64; ++i) CHECK(d[i] == 1 + i / 32);
}

TEST_CASE(
    "a warp that arrives at the cluster's barrier and ends does not stand for one that is still to "
    "come") {
  const auto d = run_cta(R"(
    mov.b32 %d, 0; setp.ge.u32 %p1, %t, 64; @%p1 bra LATE;
    barrier.cluster.arrive; setp.lt.u32 %p2, %t, 32; @%p2 exit;
    barrier.cluster.wait; ld.shared.u32 %d, [value]; bra END;
LATE: mov.b32 %r2, 0;
COUNT: add.s32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 40000; @%p4 bra COUNT;
    st.shared.u32 [value], 5; barrier.cluster.arrive; barrier.cluster.wait; mov.b32 %d, 6;
END:)",
                         96, ".shared .u32 value;");
  for (u32 i = 32; i < 96; ++i) CHECK(d[i] == (i < 64 ? 5 : 6));
}

TEST_CASE(
    "an mbarrier counts arrivals, those that leave it for good, and bytes that arrive by hand") {
  const auto d = run_cta(R"(
    .shared .align 8 .b64 b; mov.u32 %r9, b;
    mbarrier.init.shared.b64 [%r9], 4;
    mbarrier.arrive.shared.b64 %rd1, [%r9]; mbarrier.pending_count.b64 %r1, %rd1;
    mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [%r9]; mbarrier.arrive.shared.b64 %rd1, [%r9], 2;
    mbarrier.test_wait.shared.b64 %p1, [%r9], %rd1; selp.b32 %r2, 10, 0, %p1;
    mbarrier.arrive.shared.b64 %rd2, [%r9]; mbarrier.pending_count.b64 %r3, %rd2;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 64; mbarrier.arrive.shared.b64 _, [%r9];
    mbarrier.test_wait.shared.b64 %p2, [%r9], %rd2; selp.b32 %r4, 100, 0, %p2;
    mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%r9], 64;
    mbarrier.test_wait.shared.b64 %p3, [%r9], %rd2; selp.b32 %r5, 1000, 0, %p3;
    mad.lo.s32 %d, %r1, 10000, %r2; mad.lo.s32 %d, %r3, 100000, %d; add.s32 %d, %d, %r4; add.s32 %d, %d, %r5;)",
                         1);
  CHECK(d[0] == 300000 + 40000 + 1000 + 0 + 10);
}

TEST_CASE("lanes named that exit are waited for no more; those that never come are told of") {
  const auto d = run_cta(R"(
    setp.lt.u32 %p1, %t, 16; @%p1 bra ACT; exit;
ACT: shfl.sync.idx.b32 %d, %t, 3, 31, 0xffffffff;)",
                         32);
  for (u32 i = 0; i < 16; ++i) CHECK(d[i] == 3);
  const Error e = fail_cta(
      "setp.ge.u32 %p1, %t, 16; @%p1 bra MEET; shfl.sync.idx.b32 %d, %t, 0, 31, 0xffffffff;\nMEET: "
      "bar.sync 0;");
  has(e.text(),
      "lanes 0x0000ffff: its member mask 0xffffffff names lanes 0xffff0000 that do not come");
}

TEST_CASE("lanes that parted at a spin are together again behind the barrier they meet at") {
  const auto d = run_cta(R"(
    setp.ge.u32 %p1, %t, 32; @%p1 bra OTHER;
    setp.ne.u32 %p2, %t, 0; @%p2 bra MEET;
SPIN: ld.volatile.shared.u32 %r1, [flag]; setp.ne.u32 %p3, %r1, 77; @%p3 bra SPIN;
    bra MEET;
OTHER: mov.b32 %r2, 0;
COUNT: add.s32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 40000; @%p4 bra COUNT;
    st.volatile.shared.u32 [flag], 77;
MEET: bar.sync 0; activemask.b32 %d;)",
                         64, ".shared .u32 flag;");
  for (u32 i = 0; i < 64; ++i) CHECK(d[i] == 0xffffffff);
}

TEST_CASE("the clock goes on between two readings of it") {
  const auto d = run_cta(R"(
    mov.u32 %r1, %clock; add.s32 %r2, %t, 1; add.s32 %r2, %r2, 2; mov.u32 %r3, %clock; sub.u32 %d, %r3, %r1;)",
                         32);
  for (const u32 v : d) CHECK(v == 3);
}

TEST_CASE("a CTA that looks for what a later one writes soon lets that one go on") {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; add.s32 %r2, %r2, -1;
  setp.eq.u32 %p1, %r1, %r2; @%p1 bra LAST;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
SPIN: ld.volatile.global.u32 %r3, [%rd2+4]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN;
  add.s32 %r3, %r3, 1; st.volatile.global.u32 [%rd2], %r3; ret;
LAST: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; mov.b32 %r3, 1; st.volatile.global.u32 [%rd2], %r3; ret;
})");
  const u64 out = m.buffer(std::vector<u32>(40));
  m.argument(out);
  REQUIRE(m.launch("k", {40, 1, 1}, {64, 1, 1}).ok());
  CHECK(m.read<u32>(out, 1)[0] == 40);
  CHECK(m.statistics.warp_instructions < 300'000);
}
