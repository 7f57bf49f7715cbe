// Loops that a warp goes round without a record: what the emulator leaves of them in a trace.
#include <unistd.h>

#include <filesystem>
#include <map>

#include "tests/emulate/machine_code.hpp"
#include "tests/emulate/support.hpp"
#include "traces/format/reader.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using trace::Op;

namespace {

struct Seen {
  Op op;
  std::uint32_t line;  // statement of the PTX
  std::uint64_t base;
  bool operator==(const Seen&) const = default;
};

// The records of each warp of what `launch` traces, without its begin and its end.
template <class Launch>
std::vector<std::vector<Seen>> traced(std::uint32_t threads, Launch launch) {
  std::string name = (std::filesystem::temp_directory_path() / "warpmem-rounds-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  REQUIRE(file >= 0);
  ::close(file);
  const Result<void> ok = launch(name);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  auto reader = trace::TraceReader::open(name);
  std::filesystem::remove(name);
  REQUIRE(reader.ok());
  std::vector<std::vector<Seen>> out((threads + 31) / 32);
  for (const std::uint32_t b : reader->launches()[0].blocks) {
    const auto block = reader->decode(b);
    REQUIRE(block.ok());
    for (const trace::Segment& s : block->segments)
      for (std::uint32_t i = 0; i < s.count; ++i) {
        const trace::Record& r = block->records[s.first + i];
        const trace::Site& site = reader->sites(0)[r.site];
        if (site.op == Op::kCtaBegin || site.op == Op::kCtaEnd) continue;
        out[s.warp].push_back({site.op, site.pc / 16, site.op == Op::kRounds ? r.base : 0});
        if (site.op == Op::kRounds) CHECK(r.stride == 0);
      }
  }
  return out;
}

// One CTA of `body`, in which %t is the thread and %o a buffer of its own address.
std::vector<std::vector<Seen>> trace_of(const std::string& body, std::uint32_t threads = 32) {
  Machine m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<10>; .reg .b32 %r<30>; .reg .f32 %f<8>; .reg .b64 %rd<10>; .reg .b32 %t; .reg .b64 %o;
  mov.u32 %t, %tid.x; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %t, 4; add.s64 %o, %rd1, %rd2;
)" + body + "\n  ret;\n}\n");
  m.argument(m.buffer(std::vector<std::uint32_t>(threads)));
  return traced(threads, [&](const std::string& name) {
    return m.launch("k", {1, 1, 1}, {threads, 1, 1}, 0, name);
  });
}

// One warp of machine code, of which R2 and R3 are a buffer's address and R0 the thread.
std::vector<std::vector<Seen>> trace_of_machine_code(const std::string& lines) {
  MachineCodeRun m("S2R R0, SR_TID.X ;\nMOV R2, c[0x0][0x210] ;\nMOV R3, c[0x0][0x214] ;\n" +
                   lines + "EXIT ;\n");
  m.argument(m.buffer(std::vector<std::uint32_t>(64)));
  return traced(32, [&](const std::string& name) { return m.launch({1, 1, 1}, {32, 1, 1}, name); });
}

std::vector<std::uint64_t> rounds_of(const std::vector<Seen>& warp) {
  std::vector<std::uint64_t> out;
  for (const Seen& s : warp)
    if (s.op == Op::kRounds) out.push_back(s.base);
  return out;
}

}  // namespace

TEST_CASE("groups of lanes that name themselves go on together") {
  const auto stores = [](const std::string& together) {
    return trace_of("and.b32 %r1, %t, 1; shl.b32 %r2, 0x55555555, %r1; " + together +
                    " st.global.u32 [%o], %r1;")[0]
        .size();
  };
  CHECK(stores("bar.warp.sync %r2;") == 1);
  CHECK(stores("shfl.sync.idx.b32 %r3, %t, %r1, 31, %r2;") == 1);
  CHECK(stores("setp.gt.u32 %p1, %t, 9; vote.sync.ballot.b32 %r4, %p1, %r2;") == 1);
  CHECK(stores("bar.warp.sync 0xffffffff;") == 1);
}

TEST_CASE(
    "asking an mbarrier again and again is no loop to go round, what is done meanwhile is one") {
  for (const bool works : {false, true}) {
    std::string body = R"(
    .shared .align 8 .b64 bar;
    mov.u32 %r1, bar; setp.ne.u32 %p1, %t, 0; @%p1 bra READY;
    mbarrier.init.shared.b64 [%r1], 1;
READY:
    bar.sync 0;
    setp.lt.u32 %p2, %t, 32; @%p2 bra WORK;
POLL:
    mbarrier.try_wait.parity.shared.b64 %p3, [%r1], 0; STORE @!%p3 bra POLL;
    bra DONE;
WORK:
    mov.b32 %r2, 0;
AGAIN:
    add.s32 %r2, %r2, 1; setp.lt.s32 %p2, %r2, 5000; @%p2 bra AGAIN;
    bar.warp.sync 0xffffffff;
    @%p1 bra DONE;
    mbarrier.arrive.shared.b64 _, [%r1];
DONE:
    st.global.u32 [%o], %r1;)";
    body.replace(body.find("STORE"), 5, works ? "st.global.u32 [%o], %r1;" : "");
    const auto warps = trace_of(body, 64);
    CHECK(rounds_of(warps[0]) == std::vector<std::uint64_t>{4999});
    CHECK(rounds_of(warps[1]).empty());
    if (works) CHECK(warps[1].size() >= 3);
    else CHECK(warps[1].size() == 2);  // the barrier and the store
  }
}

TEST_CASE("a loop without accesses leaves one record, before the next access") {
  const auto warps = trace_of(R"(
    mov.b32 %r1, 0;
AGAIN:
    add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 100; @%p1 bra AGAIN;
    st.global.u32 [%o], %r1;)",
                              64);
  const std::vector<Seen> expected = {{Op::kRounds, 7, 99}, {Op::kStore, 8, 0}};
  CHECK(warps[0] == expected);
  CHECK(warps[1] == expected);
}

TEST_CASE("a loop that is passed once leaves nothing, nor does one with an access in each round") {
  const auto once = trace_of(R"(
    mov.b32 %r1, 99;
AGAIN:
    add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 100; @%p1 bra AGAIN;
    st.global.u32 [%o], %r1;)");
  CHECK(once[0] == std::vector<Seen>{{Op::kStore, 8, 0}});
  const auto accesses = trace_of(R"(
    mov.b32 %r1, 0;
AGAIN:
    st.global.u32 [%o], %r1;
    add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 5; @%p1 bra AGAIN;)");
  CHECK(accesses[0] == std::vector<Seen>(5, {Op::kStore, 5, 0}));
}

TEST_CASE("a warp goes round for as long as one of its lanes does") {
  // Lane l leaves after l + 1 rounds.
  const auto warps = trace_of(R"(
    mov.b32 %r1, 0;
AGAIN:
    add.s32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %t; @%p1 bra AGAIN;
    st.global.u32 [%o], %r1;)",
                              64);
  CHECK(rounds_of(warps[0]) == std::vector<std::uint64_t>{31});
  CHECK(rounds_of(warps[1]) == std::vector<std::uint64_t>{63});
}

TEST_CASE("nested loops leave a record each, the inner one with all its rounds") {
  const auto warps = trace_of(R"(
    mov.b32 %r1, 0;
OUTER:
    mov.b32 %r2, 0;
INNER:
    add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 6; @%p1 bra INNER;
    add.s32 %r1, %r1, 1; setp.lt.s32 %p2, %r1, 10; @%p2 bra OUTER;
    st.global.u32 [%o], %r1;)");
  CHECK(warps[0] ==
        std::vector<Seen>{{Op::kRounds, 8, 10 * 5}, {Op::kRounds, 11, 9}, {Op::kStore, 12, 0}});
}

TEST_CASE(
    "rounds between accesses of a loop count where they are more than the way from one to the "
    "next") {
  // Every fourth round stores.
  const auto warps = trace_of(R"(
    mov.b32 %r1, 0;
AGAIN:
    and.b32 %r2, %r1, 3; setp.ne.s32 %p2, %r2, 0; @%p2 bra SKIP;
    st.global.u32 [%o], %r1;
SKIP:
    add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 12; @%p1 bra AGAIN;)");
  CHECK(warps[0] == std::vector<Seen>{{Op::kStore, 8, 0},
                                      {Op::kRounds, 11, 4},
                                      {Op::kStore, 8, 0},
                                      {Op::kRounds, 11, 4},
                                      {Op::kStore, 8, 0},
                                      {Op::kRounds, 11, 3}});
}

TEST_CASE("a loop that asks first whether to go on leaves all its rounds") {
  const auto warps = trace_of(R"(
    mov.b32 %r1, 0;
AGAIN:
    setp.ge.s32 %p1, %r1, 20; @%p1 bra DONE;
    add.s32 %r1, %r1, 1; bra AGAIN;
DONE:
    st.global.u32 [%o], %r1;)");
  CHECK(rounds_of(warps[0]) == std::vector<std::uint64_t>{20});
}

TEST_CASE("machine code: a loop without accesses leaves one record, before the next access") {
  const auto warps = trace_of_machine_code(
      "MOV R1, RZ ;\n"
      "BSSY B0, `(.L_end) ;\n"
      ".L_again:\n"
      "IADD3 R1, R1, 0x1, RZ ;\n"
      "ISETP.GT.AND P0, PT, R1, R0, PT ;\n"
      "@!P0 BRA `(.L_again) ;\n"
      "BSYNC B0 ;\n"
      ".L_end:\n"
      "STG.E desc[UR4][R2.64], R1 ;\n");
  // Lane l goes round l times; and the warp as often as the last of them.
  CHECK(warps[0] == std::vector<Seen>{{Op::kRounds, 7, 31}, {Op::kStore, 9, 0}});
}

TEST_CASE(
    "machine code: a loop with an access in each round leaves nothing else, nor does a call") {
  const auto warps = trace_of_machine_code(
      "MOV R1, RZ ;\n"
      ".L_again:\n"
      "STG.E desc[UR4][R2.64], R1 ;\n"
      "IADD3 R1, R1, 0x1, RZ ;\n"
      "MOV R20, 0x80 ;\n"
      "CALL.REL.NOINC `(.L_called) ;\n"
      "ISETP.GT.AND P0, PT, R1, 0x2, PT ;\n"
      "@!P0 BRA `(.L_again) ;\n"
      "EXIT ;\n"
      ".L_called:\n"
      "MOV R21, RZ ;\n"
      "RET.REL.NODEC R20 `(k) ;\n");
  CHECK(warps[0] == std::vector<Seen>(3, {Op::kStore, 4, 0}));
}
