// What is asked of ptxas, what is read from its answer, and what becomes of a warp's records. Needs
// no CUDA: the machine code of the kernels below is what ptxas 13.0 makes of their kind for sm_90.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"
#include "tests/emulate/support.hpp"
#include "isa/flow/code_flow.hpp"
#include "emulate/ptx/parser.hpp"
#include "emulate/mapping/lane_addresses.hpp"
#include "emulate/mapping/machine_code.hpp"
#include "emulate/mapping/sass_trace.hpp"
#include "emulate/mapping/site_map.hpp"
#include "emulate/mapping/tagged_ptx.hpp"
#include "emulate/mapping/toolkit.hpp"

namespace warpmem::emulate {
namespace {

constexpr const char* kTwo = R"(
.version 9.0
.target sm_90
.address_size 64
.file 1 "a.cu"
.func twice()
{
  .reg .b32 %r<2>;
  add.s32 %r1, %r1, %r1;
  ret;
}
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .loc 1 7 3
  ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];
  setp.eq.s32 %p1, %r1, 0;
AGAIN:
  @%p1 bra AGAIN;
  ret;
}
)";

TEST_CASE("every statement of the PTX claims a line of its own, the last before it") {
  auto module = parse_ptx("a.ptx", kTwo);
  REQUIRE(module);
  const TaggedPtx tagged = tag_statements(*module);
  REQUIRE(tagged.first_line == std::vector<std::uint32_t>{1, 3});
  CHECK(tagged.text.find(".loc 2 1 0\nadd.s32") != std::string::npos);
  CHECK(tagged.text.find(".loc 2 4 0\nld.global.u32") != std::string::npos);
  CHECK(tagged.text.find(".loc 2 6 0\n@%p1 bra") != std::string::npos);
  CHECK(tagged.text.find(".file 2 \"" + tagged.file + "\"") != std::string::npos);
  // It is still the same program, and the lines are those that were promised.
  auto again = parse_ptx("b.ptx", tagged.text);
  REQUIRE(again);
  for (std::size_t f = 0; f < module->functions.size(); ++f) {
    const Function &a = module->functions[f], &b = again->functions[f];
    REQUIRE(a.body.size() == b.body.size());
    for (std::size_t s = 0; s < a.body.size(); ++s) {
      CHECK(a.body[s].opcode == b.body[s].opcode);
      CHECK(b.body[s].file == 2);
      CHECK(b.body[s].line == tagged.first_line[f] + s);
    }
  }
}

// A kernel beside kTwo's that no ptxas can make: it wants more shared memory than any GPU has.
const std::string kThree = std::string(kTwo) + R"(
.visible .entry too_much(.param .u64 p)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>; .shared .align 4 .b8 huge[400000];
  { ld.param.u64 %rd1, [p]; }
  mov.u32 %r1, huge; st.global.u32 [%rd1], %r1;
  ret;
}
)";

TEST_CASE("a kernel is assembled alone: others keep their names, no body and no lines") {
  auto module = parse_ptx("a.ptx", kThree);
  REQUIRE(module);
  const Function* k = module->function_named.at("k");
  const TaggedPtx tagged = tag_statements(*module, k);
  CHECK(tagged.first_line == tag_statements(*module).first_line);
  CHECK(tagged.text.find("huge") == std::string::npos);
  CHECK(tagged.text.find(".loc 2 4 0\nld.global.u32") != std::string::npos);
  auto again = parse_ptx("b.ptx", tagged.text);
  REQUIRE(again);
  REQUIRE(again->functions.size() == 3);
  CHECK(again->functions[0].body.size() == 1);  // k does not call it
  CHECK(again->functions[1].body.size() == k->body.size());
  REQUIRE(again->functions[2].body.size() == 1);
  CHECK(again->functions[2].body[0].opcode == "ret");
  auto plain = parse_ptx("c.ptx", text_of(*module, k));
  REQUIRE(plain);
  CHECK(plain->functions[2].body.size() == 1);
  auto whole = parse_ptx("d.ptx", text_of(*module));
  REQUIRE(whole);
  CHECK(whole->functions[2].body.size() == 4);
}

TEST_CASE("a kernel that is assembled alone has the functions that it may come to, and no others") {
  const std::string ptx = R"(
.version 8.0
.target sm_90
.address_size 64
.func deep() { membar.gl; ret; }
.func shared_by_two() { call deep, (); ret; }
.func of_other() { membar.cta; ret; }
.func in_a_table() { membar.sys; ret; }
.func by_address() { bar.sync 0; ret; }
.func takes_it() { .reg .b64 %rd1; mov.u64 %rd1, by_address; ret; }
.global .align 8 .u64 table[1] = {in_a_table};
.visible .entry k() { call shared_by_two, (); ret; }
.visible .entry other() { call shared_by_two, (); call of_other, (); call takes_it, (); ret; }
)";
  auto module = parse_ptx("a.ptx", ptx);
  REQUIRE(module);
  const Function* k = module->function_named.at("k");
  const auto bodies = [](const std::string& text) {
    auto again = parse_ptx("b.ptx", text);
    REQUIRE(again);
    std::string kept;
    for (const Function& f : again->functions) {
      CHECK(f.has_body);  // ptxas wants each name defined
      if (f.body.size() > 1) kept += std::string(f.name) + " ";
    }
    return kept;
  };
  // Whatever has an address somewhere may be called by anybody, as far as ptxas knows.
  CHECK(bodies(text_of(*module, k)) == "deep shared_by_two in_a_table by_address k ");
  CHECK(bodies(tag_statements(*module, k).text) == "deep shared_by_two in_a_table by_address k ");
  CHECK(tag_statements(*module, k).first_line == tag_statements(*module).first_line);
  CHECK(bodies(text_of(*module)) == "deep shared_by_two of_other in_a_table by_address takes_it k other ");
}

TEST_CASE("what ptxas refuses of one kernel is no matter for another") {
  const Toolkit toolkit = find_toolkit();
  if (toolkit.ptxas.empty()) {
    WARN("there is no ptxas here");
    return;
  }
  auto module = parse_ptx("a.ptx", kThree);
  REQUIRE(module);
  MachineCode code(*module, {.toolkit = toolkit, .arch = "sm_90", .options = {}, .shipped = {}, .units = {}});
  auto of_k = code.resources("k");
  REQUIRE(of_k);
  CHECK(of_k->registers > 0);
  CHECK(!code.resources("too_much"));
}

TEST_CASE("of a program's options for ptxas those that shape the code are kept") {
  CHECK(code_options("-dlcm=cg -O2  -maxrregcount=24 --generate-line-info ") ==
        std::vector<std::string>{"-dlcm=cg", "-O2", "-maxrregcount=24"});
  CHECK(code_options("").empty());
  CHECK(code_options("  -arch=sm_75 -v ").empty());
}

TEST_CASE("PTX is assembled for the card, but for what only one architecture runs") {
  CHECK(assembled_arch("sm_75", 90) == "sm_90");
  CHECK(assembled_arch("sm_90a", 90) == "sm_90a");
  CHECK(assembled_arch("", 86) == "sm_86");
}

TEST_CASE("a ptxas that cannot be started or refuses the PTX is an error, not a crash") {
  CHECK(assemble("/no/such/ptxas", kTwo, "sm_90", {}).error().kind == ErrorKind::kEnvironment);
  CHECK(assemble("/bin/false", kTwo, "sm_90", {}).error().kind == ErrorKind::kEnvironment);
}

// --- mapping ------------------------------------------------------------------------------------

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
    for (const auto& [s, text] : {std::pair{0, "MEMBAR.ALL.GPU"}, {0, "ERRBAR"}, {0, "CGAERRBAR"},
                                  {0, "UCGABAR_ARV"}, {1, "UCGABAR_WAIT"}, {1, "CCTL.IVALL"}})
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

TEST_CASE("a refill of a spilled register goes by the line of the load that needs it, and is none") {
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
