// Where ptxas puts a YIELD, lanes part as on an H200, which said the numbers below when
// kernels/micro/parted_loops.cu asked it.
#include <numeric>

#include "emulate/mapping/yields.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

// The PTX of the kernel that is prepared, each statement with what ptxas makes of it as far as it
// matters.
void like_ptxas(Kernel& kernel) {
  const Function& f = *kernel.entry;
  std::vector<MachineInstruction> code;
  const auto add = [&](const char* text, u32 statement) {
    MachineInstruction& in = code.emplace_back();
    in.line.pc = static_cast<u32>(16 * (code.size() - 1)), in.line.text = text,
    in.statement = statement;
  };
  for (u32 s = 0; s < f.body.size(); ++s) {
    const std::string_view op = f.body[s].opcode;
    const bool swaps = op.starts_with("atom") && op.find("cas") != op.npos;
    if (swaps)
      add("YIELD", kNoStatement), add("MOV R4, R5", kNoStatement),
          add("ATOMG.E.CAS.STRONG.GPU PT, R0, [R2], R4, R5", s);
    else if (op.starts_with("ld.volatile"))
      add("LDG.E.STRONG.SYS R4, desc[UR4][R2.64]", s), add("IADD3 R1, R1, 0x1, RZ", kNoStatement),
          add("YIELD", kNoStatement);
    else if (op.starts_with("bra")) add("BRA 0x0", s);
    else add("MOV R1, R2", s);
  }
  mark_yields(kernel, code);
}

// A lock: tries of each thread.
const char* const kLock = R"(
.visible .entry k(.param .u64 lock, .param .u64 tries, .param .u32 lanes) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %x<4>;
  ld.param.u64 %x0, [lock]; ld.param.u64 %x1, [tries]; ld.param.u32 %r5, [lanes];
  mov.u32 %r1, %tid.x; mul.wide.u32 %x2, %r1, 4; add.u64 %x1, %x1, %x2; mov.b32 %r2, 0;
  setp.ge.u32 %p1, %r1, %r5; @%p1 bra OUT;
TRY: add.u32 %r2, %r2, 1; atom.global.cas.b32 %r3, [%x0], 0, 1; setp.ne.b32 %p0, %r3, 0; @%p0 bra TRY;
  membar.gl; ld.global.u32 %r4, [%x0+128]; add.u32 %r4, %r4, 1; st.global.u32 [%x0+128], %r4; membar.gl;
  atom.global.exch.b32 %r3, [%x0], 0; st.global.u32 [%x1], %r2;
OUT: ret; })";

// Lane l waits for lane l - 1: how often it looked in vain.
const char* const kChain = R"(
.visible .entry k(.param .u64 flags, .param .u64 tries) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %x<4>;
  ld.param.u64 %x0, [flags]; ld.param.u64 %x1, [tries];
  mov.u32 %r1, %tid.x; mul.wide.u32 %x2, %r1, 4; add.u64 %x0, %x0, %x2; add.u64 %x1, %x1, %x2; mov.b32 %r2, -1;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra GO;
LOOK: add.u32 %r2, %r2, 1; ld.volatile.global.u32 %r3, [%x0-4]; setp.eq.b32 %p0, %r3, 0; @%p0 bra LOOK;
GO: mov.b32 %r4, 1; st.volatile.global.u32 [%x0], %r4; st.global.u32 [%x1], %r2; ret; })";

// Lane l goes round l mod 8 times more; then which lanes it is together with, and behind
// bar.warp.sync.
const char* const kRounds = R"(
.visible .entry k(.param .u64 words, .param .u64 masks) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %x<4>;
  ld.param.u64 %x0, [words]; ld.param.u64 %x1, [masks];
  mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7; mul.wide.u32 %x2, %r1, 4; add.u64 %x1, %x1, %x2; add.u64 %x0, %x0, %x2;
AGAIN: ld.volatile.global.u32 %r3, [%x0]; sub.u32 %r2, %r2, %r3; setp.ge.s32 %p0, %r2, 0; @%p0 bra AGAIN;
  activemask.b32 %r4; st.global.u32 [%x1], %r4;
  bar.warp.sync -1; activemask.b32 %r4; st.global.u32 [%x1+128], %r4; ret; })";

u32 tries_of_lock(u32 lanes, u32 warps) {
  Machine m(std::string(kHeader) + kLock);
  m.prepare = like_ptxas;
  m.options.max_instructions = 2'000'000;
  const u64 lock = m.buffer(std::vector<u32>(64)), tries = m.buffer(std::vector<u32>(32 * warps));
  m.argument(lock), m.argument(tries), m.argument(lanes);
  REQUIRE(m.launch("k", {1, 1, 1}, {32 * warps, 1, 1}));
  const auto words = m.read<u32>(lock, 64);
  CHECK(words[32] == lanes);
  const auto each = m.read<u32>(tries, 32 * warps);
  return std::accumulate(each.begin(), each.end(), 0u);
}

}  // namespace

TEST_CASE(
    "lanes of a warp that want one lock try once for each that had it before, as on an H200") {
  CHECK(tries_of_lock(4, 1) == 10);
  CHECK(tries_of_lock(32, 1) == 528);
}

TEST_CASE("warps that want one lock try about as often as on an H200") {
  const u32 tries = tries_of_lock(128, 4);  // there 27,600, of 128 lanes in 4 warps
  CHECK(tries > 24'000);
  CHECK(tries < 32'000);
}

TEST_CASE("a lane that waits for another one of its warp looks once for each before it") {
  Machine m(std::string(kHeader) + kChain);
  m.prepare = like_ptxas;
  m.options.max_instructions = 100'000;
  const u64 flags = m.buffer(std::vector<u32>(32)), tries = m.buffer(std::vector<u32>(32));
  m.argument(flags), m.argument(tries);
  REQUIRE(m.launch("k", {1, 1, 1}, {32, 1, 1}));
  const auto each = m.read<u32>(tries, 32);
  for (u32 l = 1; l < 32; ++l) CHECK(each[l] == l);
}

TEST_CASE(
    "who leaves a loop with a YIELD goes on alone, until an instruction takes the whole warp") {
  for (const bool yields : {true, false}) {
    Machine m(std::string(kHeader) + kRounds);
    if (yields) m.prepare = like_ptxas;
    const u64 words = m.buffer(std::vector<u32>(32, 1)), masks = m.buffer(std::vector<u32>(64));
    m.argument(words), m.argument(masks);
    REQUIRE(m.launch("k", {1, 1, 1}, {32, 1, 1}));
    const auto got = m.read<u32>(masks, 64);
    for (u32 l = 0; l < 32; ++l) {
      CHECK(got[l] == (yields ? 0x01010101u << (l % 8) : ~0u));
      CHECK(got[32 + l] == ~0u);
    }
  }
}
