// Atomics, memory, faults, limits and what a kernel prints.
#include "tests/emulate/one_cta.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

TEST_CASE("atomics act on every lane, in lane order") {
  Machine m(one_cta("atom.global.add.u32 %d, [%o+256], 2;"));
  const u64 out = m.buffer(std::vector<u32>(65, 0));
  m.argument(out);
  REQUIRE(m.launch("k", {1, 1, 1}, {64, 1, 1}).ok());
  const auto v = m.read<u32>(out, 65);
  CHECK(v[64] == 128);
  CHECK(v[1] == 2);
  CHECK(v[63] == 126);
  const auto inc = run_cta(".shared .u32 n; atom.shared.inc.u32 %d, [n], 3;", 8);
  CHECK(inc[7] == 3);
  CHECK(inc[4] == 0);
  CHECK(
      run_cta(".shared .u32 n; atom.shared.max.s32 %d, [n], %t; bar.sync 0; ld.shared.u32 %d, [n];",
              32)[0] == 31);
}

TEST_CASE("vectors, small types and generic addresses") {
  const auto d = run_cta(R"(
    .shared .align 16 .b8 tile[64]; .local .align 8 .b8 stack[16];
    mov.u64 %rd1, tile; cvta.shared.u64 %rd2, %rd1; mov.b32 %r1, 1; mov.b32 %r2, 0xfffffff2;
    st.v4.u32 [%rd2+16], {%r1, %r2, %r1, %r2}; ld.shared.v2.u32 {%r3, %r4}, [tile+24];
    mov.u64 %rd3, stack; cvta.local.u64 %rd4, %rd3; st.u32 [%rd4+8], %t; ld.local.u32 %r5, [stack+8];
    ld.shared.s8 %r6, [tile+20]; ld.shared.u8 %r7, [tile+20];
    add.s32 %d, %r3, %r4; add.s32 %d, %d, %r5; sub.s32 %r6, %r7, %r6; add.s32 %d, %d, %r6;)",
                         32);
  for (u32 i = 0; i < 32; ++i) CHECK(d[i] == 1u + 0xfffffff2u + i + 256u);
}

TEST_CASE("faults name the thread, the address and what is near") {
  const Error out = fail_cta("add.s64 %rd1, %o, 400; ld.global.u32 %d, [%rd1];");
  has(out.message, "out-of-bounds global load of 4 bytes at 0x");
  has(out.message, "272 bytes behind the end of an allocation of 128 B");
  has(out.message, "thread (0,0,0) of CTA (0,0,0)");
  has(out.place, "test.ptx:");
  has(fail_cta("mov.b64 %rd1, 0; st.global.u32 [%rd1], %d;").message, "a null pointer");
  has(fail_cta("add.s64 %rd1, %o, 2; ld.global.u32 %d, [%rd1];").message,
      "misaligned load of 4 bytes");
  has(fail_cta(".shared .b8 s[16]; ld.shared.u32 %d, [s+4096];").message,
      "the CTA has 16 bytes of shared memory");
  has(fail_cta("trap;").message, "executed trap");
  has(fail_cta("shfl.sync.idx.b32 %d, %t, 0, 31, -1; setp.lt.u32 %p1, %t, 3; @%p1 "
               "shfl.sync.idx.b32 %d, %t, 0, 31, -1; bar.sync 0;")
          .message,
      "names lanes 0xfffffff8");
}

TEST_CASE(
    "a barrier waits for threads: lanes that are through, and meet nobody, end without the "
    "others") {
  const auto d = run_cta(R"(
    mov.b32 %r1, %t;
LOOP: setp.ge.u32 %p1, %r1, 112; @%p1 bra OUT;
    add.s32 %d, %d, 1; bar.sync 0; add.s32 %r1, %r1, 48; bra LOOP;
OUT: add.s32 %d, %d, 100;)",
                         48);
  for (u32 i = 0; i < 48; ++i) CHECK(d[i] == (i < 16 ? 103u : 102u));
}

TEST_CASE("a kernel that never ends is stopped, a deadlock names its warps") {
  const Error endless = fail_cta("FOREVER: bra FOREVER;", 32, 10000);
  CHECK(endless.kind == ErrorKind::kResources);
  has(endless.message, "as many as --max-instructions allows");
  const Error stuck = fail_cta("setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 1, 64; bar.sync 0;", 64);
  has(stuck.message, "deadlock");
  has(stuck.message, "CTA (0,0,0) warp 0 lanes 0xffffffff: barrier 1");
}

TEST_CASE("beyond local memory lies an illegal address, also when calls have filled the stack") {
  Machine m(std::string(kHeader) + R"(
.func down(.param .u32 depth)
{
  .local .align 16 .b8 frame[4096]; .reg .b32 %r<4>;
  ld.param.u32 %r1, [depth]; st.local.u32 [frame], %r1; add.u32 %r2, %r1, 1;
  { .param .b32 q; st.param.b32 [q], %r2; call.uni down, (q); }
  ld.local.u32 %r3, [frame]; ret;
}
.visible .entry stack() { .param .b32 q; st.param.b32 [q], 0; call.uni down, (q); ret; }
.visible .entry local(.param .u32 far)
{
  .local .align 16 .b8 own[16]; .reg .b32 %r<3>;
  mov.u32 %r0, own; ld.param.u32 %r1, [far]; add.u32 %r0, %r0, %r1; st.local.u32 [%r0], %r1; ret;
}
)");
  const auto stack = m.launch("stack", {1, 1, 1}, {1, 1, 1});
  REQUIRE(!stack.ok());
  has(stack.error().message, "the stack has overflowed");
  CHECK(m.statistics.fault == FaultKind::kAddress);
  m.argument(std::uint32_t{40'000'000});
  const auto far = m.launch("local", {1, 1, 1}, {1, 1, 1});
  REQUIRE(!far.ok());
  has(far.error().message, "out-of-bounds local store of 4 bytes");
  CHECK(m.statistics.fault == FaultKind::kAddress);
}

TEST_CASE("malloc gives out the heap and no more, and what is freed again") {
  Machine m(std::string(kHeader) + R"(
.extern .func (.param .b64 r) malloc (.param .b64 a);
.extern .func free (.param .b64 a);
.visible .entry k(.param .u64 out, .param .u64 bytes)
{
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [bytes]; mov.u32 %r1, 0;
L: { .param .b64 q; .param .b64 z; st.param.b64 [q], %rd2; call (z), malloc, (q); ld.param.b64 %rd3, [z]; }
  setp.eq.u64 %p1, %rd3, 0; @%p1 bra OUT;
  mov.u64 %rd4, %rd3; st.global.u8 [%rd4], %r1; add.u32 %r1, %r1, 1; bra L;
OUT: st.global.u32 [%rd1], %r1; ret;
}
.visible .entry again(.param .u64 out, .param .u64 bytes)
{
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [bytes]; mov.u32 %r1, 0;
L: { .param .b64 q; .param .b64 z; st.param.b64 [q], %rd2; call (z), malloc, (q); ld.param.b64 %rd3, [z]; }
  setp.eq.u64 %p1, %rd3, 0; @%p1 bra OUT;
  { .param .b64 q; st.param.b64 [q], %rd3; call free, (q); }
  add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra L;
OUT: st.global.u32 [%rd1], %r1; ret;
}
)");
  const u64 out = m.buffer(std::vector<u32>(1));
  m.argument(out), m.argument(u64{1} << 20);
  REQUIRE(m.launch("again", {1, 1, 1}, {1, 1, 1}).ok());
  CHECK(m.read<u32>(out, 1)[0] == 1000);
  CHECK(m.memory().heap_used() == 0);
  REQUIRE(m.launch("k", {1, 1, 1}, {1, 1, 1}).ok());
  CHECK(m.read<u32>(out, 1)[0] == 7);  // each has a header before it
  REQUIRE(m.launch("k", {1, 1, 1}, {1, 1, 1}).ok());
  CHECK(m.read<u32>(out, 1)[0] == 0);  // it is the launches' together
  m.heap_bytes = u64{64} << 20;
  REQUIRE(m.launch("k", {1, 1, 1}, {1, 1, 1}).ok());
  CHECK(m.read<u32>(out, 1)[0] == 56);
}

TEST_CASE("a kernel is stopped when somebody asks for it, whatever its instructions cost") {
  for (const char* body :
       {"L: bra L;", "L: call f, (); bra L;", "L: ld.volatile.global.u32 %r1, [%rd1]; bra L;"}) {
    Machine m(std::string(kHeader) +
              ".func f() { .local .align 4 .b8 t[100000]; ret; }\n.visible .entry k(.param .u64 "
              "p)\n{ .reg .b32 %r<3>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [p];\n" +
              body + "\nret; }\n");
    m.argument(m.buffer(std::vector<u32>(64)));
    int asked = 0;
    m.options.interrupted = [&] { return ++asked > 3; };
    const auto ran = m.launch("k", {1, 1, 1}, {32, 1, 1});
    REQUIRE(!ran.ok());
    CHECK(ran.error().kind == ErrorKind::kInterrupted);
    CHECK(m.statistics.warp_instructions < 1'000'000);  // asked often
  }
}

TEST_CASE(
    "printf keeps widths and precisions, cuts short numbers, and returns how many arguments it "
    "took") {
  const std::string format = "%6s|%-4s|%.3s|%hd|%5d|%llx|%s|%d";
  std::string bytes;
  for (const char c : format) bytes += std::to_string(static_cast<int>(c)) + ", ";
  Machine m(std::string(kHeader) + R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[] = {)" +
            bytes + R"(0};
.global .align 1 .b8 word[] = {97, 98, 99, 100, 0};
.visible .entry k(.param .u64 out)
{
  .local .align 8 .b8 stack[56]; .reg .b32 %r<5>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out]; mov.u64 %rd2, stack; cvta.local.u64 %rd3, %rd2; mov.u64 %rd4, word; cvta.global.u64 %rd4, %rd4;
  st.local.u64 [stack], %rd4; st.local.u64 [stack+8], %rd4; st.local.u64 [stack+16], %rd4;
  mov.b32 %r1, 70000; st.local.u32 [stack+24], %r1; mov.b32 %r1, 42; st.local.u32 [stack+28], %r1;
  mov.b64 %rd5, 255; st.local.u64 [stack+32], %rd5; mov.b64 %rd5, 0; st.local.u64 [stack+40], %rd5; mov.b32 %r1, -3; st.local.u32 [stack+48], %r1;
  { .param .b64 p0; .param .b64 p1; .param .b32 q; mov.u64 %rd6, text; cvta.global.u64 %rd6, %rd6; st.param.b64 [p0], %rd6; st.param.b64 [p1], %rd3; call.uni (q), vprintf, (p0, p1); ld.param.b32 %r2, [q]; }
  st.global.u32 [%rd1], %r2;
  ret;
})");
  const std::uint64_t out = m.buffer(ramp(1));
  m.argument(out);
  const auto ok = m.launch("k", {1, 1, 1}, {1, 1, 1});
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  CHECK(m.printed == "  abcd|abcd|abc|4464|   42|ff|(null)|-3");
  CHECK(m.read<std::uint32_t>(out, 1)[0] == 8);
}

TEST_CASE("printf formats its arguments, and CTAs that wait for later ones get them") {
  Machine m(std::string(kHeader) + R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[11] = {37, 100, 32, 37, 46, 49, 102, 32, 33, 10, 0};
.visible .entry k(.param .u64 flag)
{
  .local .align 8 .b8 stack[16]; .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x; ld.param.u64 %rd1, [flag]; setp.eq.u32 %p1, %r1, 1; @%p1 bra SIGNAL;
WAIT: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;
  mov.u64 %rd2, stack; cvta.local.u64 %rd3, %rd2; st.local.u32 [stack], %r2; mov.b64 %rd4, 0d3FF8000000000000; st.local.u64 [stack+8], %rd4;
  { .param .b64 p0; .param .b64 p1; .param .b32 q; mov.u64 %rd5, text; st.param.b64 [p0], %rd5; st.param.b64 [p1], %rd3; call.uni (q), vprintf, (p0, p1); }
  ret;
SIGNAL: mov.b32 %r3, 7; st.global.u32 [%rd1], %r3; ret;
})");
  m.argument(m.buffer(ramp(1)));
  const auto ok = m.launch("k", {2, 1, 1}, {1, 1, 1});
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  CHECK(m.printed == "7 1.5 !\n");
}
