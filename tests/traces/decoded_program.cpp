// A program decoded: which lines are machine code, which PTX, and what each says without its text.
#include "isa/decoded_program.hpp"

#include "isa/access.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::trace;

namespace {

SassInstruction sass(const char* text) { return *DecodedLine(text).sass(); }
ptx::Instruction ptx_of(const char* text) { return *DecodedLine(text).ptx(); }

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : " ") + one;
  return out;
}

}  // namespace

TEST_CASE("lines of a program are machine code, PTX or neither") {
  Program p;
  p.level = Level::kPtxSass;
  p.code = {{0x00, "LDG.E R4, desc[UR4][R2.64]"},
            {0x10, "???"},
            {0x30, "@%p1 ld.global.f32 %f1, [%rd1];"}};
  const DecodedProgram code(p);
  REQUIRE(code.size() == 3);
  CHECK(code[0].sass());
  CHECK_FALSE(code[0].ptx());
  CHECK_FALSE(code[1].sass());
  CHECK_FALSE(code[1].ptx());
  CHECK(code[2].ptx());
  CHECK(code.line_at(0x30) == 2u);
  CHECK_FALSE(code.line_at(0x20));
  p.level = Level::kPtx;  // then whatever it looks like
  CHECK(DecodedProgram(p)[0].ptx());
}

TEST_CASE("opcodes and modifiers are those of the table, and others keep their names") {
  const SassInstruction load = sass("LDG.E.128.CONSTANT R4, [R2.64]");
  CHECK(load.opcode == Opcode::kLDG);
  CHECK(load.has(Modifier::k128));
  CHECK(load.has(Modifier::kCONSTANT));
  CHECK_FALSE(load.has(Modifier::k64));
  CHECK(load.name() == "LDG");
  CHECK(load.modifier_names() == std::vector<std::string_view>{"E", "128", "CONSTANT"});
  const SassInstruction other = sass("NEWOP.SOMEHOW R1, R2");
  CHECK(other.opcode == Opcode::kUnknown);
  CHECK(other.name() == "NEWOP");
  CHECK(other.modifiers.none());
  CHECK_FALSE(other.is_plain());
  CHECK(sass("NOP").is_plain());
  for (std::size_t i = 1; i < static_cast<std::size_t>(Opcode::kCount); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    CHECK(opcode_named(form_of(opcode).name) == opcode);
  }
}

TEST_CASE("what an instruction is asked for") {
  CHECK(sass("DFMA R2, R4, R6, R8").is_double());
  CHECK_FALSE(sass("FFMA R2, R4, R6, R8").is_double());
  CHECK(sass("UTMALDG.2D [UR4], [UR8]").by_tensor_map());
  CHECK_FALSE(sass("UBLKCP.S.G [UR12], [UR8], UR4").by_tensor_map());
  CHECK(sass("STL [R1+0x8c], R4 (*\"SpillRefill\"*)").spill);
  CHECK_FALSE(sass("STL [R1+0x8c], R4").spill);
  CHECK(sass("MOV R20, 32@lo((_ZN6CircleD0Ev + .L_x_12@srel))").counted_from == "_ZN6CircleD0Ev");
  CHECK(sass("MOV R20, 0x8").counted_from.empty());
  const SassInstruction constant = sass("LDC R4, c[0x3][R4+0x10]");
  REQUIRE(constant.constant_operand());
  CHECK(constant.constant_operand()->bank == 3);
  CHECK(constant.constant_operand()->base == 4);
  CHECK_FALSE(sass("MOV R4, R5").constant_operand());
}

TEST_CASE("operands: predicates, and general registers also in addresses") {
  const auto operand = [](const char* text) { return *decode_operand(text); };
  for (const char* text : {"P0", "!PT", "UP1", "PR"}) CHECK(is_predicate(operand(text)));
  for (const char* text : {"R0", "0x1", "[R2]"}) CHECK_FALSE(is_predicate(operand(text)));
  CHECK(general_register(operand("-|R12.H0_H0|")) == 12u);
  CHECK(general_register(operand("desc[UR4][R2.64+0x10]")) == 2u);
  CHECK(general_register(operand("c[0x3][R4+0x10]")) == 4u);
  for (const char* text : {"RZ", "UR4", "0x10", "P0", "[UR4]", "SR_TID.X"})
    CHECK_FALSE(general_register(operand(text)));
  CHECK(general_register(sass("BRX R2 -0xc0").operands[0]) == 2u);
  CHECK(special_named(operand("SR_CTAID.Y")) == Special::kCtaId);
  CHECK(special_named(operand("SRZ")) == Special::kZero);
}

TEST_CASE("a statement of PTX in its parts") {
  const ptx::Instruction load = ptx_of("@!%p1 ld.global.L2::128B.v2.f32 {%f1,%f2}, [%rd1+4];");
  CHECK(load.guarded);
  CHECK(joined(load.words) == "ld global L2::128B v2 f32");
  CHECK(joined(load.writes) == "%f1 %f2");
  CHECK(joined(load.reads) == "%p1 %rd1");
  CHECK(joined(load.operands) == "{%f1,%f2} [%rd1+4]");
  const ptx::Instruction store = ptx_of("st.shared.u32 [%r1], %r2");
  CHECK(store.writes.empty());
  CHECK(joined(store.reads) == "%r1 %r2");
  const ptx::Instruction special = ptx_of("mov.u32 %r1, %tid.x;");
  CHECK(joined(special.reads) == "%tid");
  CHECK(ptx_of("bra.uni $L__BB0_2; // 0x0140").target == 0x140u);
  CHECK(ptx_of("call.uni (retval0), malloc, (param0);").called() == "malloc");
  CHECK(ptx_of("cp.async.wait_group 12;").leaves_groups() == 12u);
  CHECK_FALSE(ptx_of("cp.async.wait_all;").leaves_groups());
  CHECK(ptx::decode_statement("").words.empty());
  CHECK(ptx::decode_statement("@").words.empty());
}

TEST_CASE("what PTX leaves records of, fences and acquires") {
  for (const char* text :
       {"ld.global.f32 %f1, [%rd1];", "bar.sync 0;", "cp.async.cg.shared.global [%r1], [%rd1], 16;",
        "prefetchu.L1 [%rd1];", "red.global.add.u32 [%rd1], 1;"})
    CHECK(ptx_of(text).leaves_record());
  for (const char* text :
       {"ld.param.u64 %rd1, [p];", "cp.async.commit_group;", "barrier.cluster.wait;",
        "redux.sync.add.s32 %r1, %r2, -1;", "mov.u32 %r1, 0;"})
    CHECK_FALSE(ptx_of(text).leaves_record());
  CHECK(ptx_of("membar.gl;").fences());
  CHECK_FALSE(ptx_of("membar.cta;").fences());
  CHECK_FALSE(ptx_of("fence.proxy.async;").fences());
  CHECK(ptx_of("barrier.cluster.arrive.aligned;").fences());
  CHECK_FALSE(ptx_of("barrier.cluster.arrive.relaxed.aligned;").fences());
  CHECK(ptx_of("ld.acquire.gpu.global.u32 %r1, [%rd1];").acquires());
  CHECK_FALSE(ptx_of("ld.acquire.cta.global.u32 %r1, [%rd1];").acquires());
  CHECK_FALSE(ptx_of("atom.acquire.gpu.shared.add.u32 %r1, [%r2], 1;").acquires());
}

TEST_CASE("both languages say alike what an access asks for") {
  const auto same = [](const char* machine, const char* text) {
    INFO(machine);
    const Access a = access_of(sass(machine)), b = access_of(ptx_of(text));
    CHECK(a.generic == b.generic);
    CHECK(a.scope == b.scope);
    CHECK(a.eviction == b.eviction);
    CHECK(a.read_only == b.read_only);
    CHECK(a.l2_prefetch == b.l2_prefetch);
    CHECK(a.compare_and_swap == b.compare_and_swap);
    CHECK(a.adds_floats == b.adds_floats);
    CHECK(a.bypass == b.bypass);
  };
  same("LDG.E.STRONG.GPU R4, [R2.64]", "ld.relaxed.gpu.global.u32 %r1, [%rd1];");
  same("LDG.E.CONSTANT R4, [R2.64]", "ld.global.nc.u32 %r1, [%rd1];");
  same("LDG.E.EF.LTC128B R4, [R2.64]", "ld.global.L1::evict_first.L2::128B.u32 %r1, [%rd1];");
  same("LD.E R4, [R2.64]", "ld.u32 %r1, [%rd1];");
  same("ATOMG.E.CAS PT, R2, [R4.64], R6, R7", "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;");
  same("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R4", "red.gpu.global.add.f32 [%rd1], %f1;");
  same("LDGSTS.E.BYPASS.128 [R7], [R2.64]", "cp.async.cg.shared.global [%r1], [%rd1], 16;");
}

TEST_CASE("loads and atomics that look at what others write") {
  const auto look = [](const char* text, bool load) { return polls(DecodedLine(text), load); };
  CHECK(look("LDG.E.STRONG.SYS R2, [R4.64]", true));
  CHECK_FALSE(look("LDG.E R2, [R4.64]", true));
  CHECK(look("ATOMG.E.ADD.STRONG.GPU PT, R2, [R4.64], RZ", false));
  CHECK_FALSE(look("ATOMG.E.ADD.STRONG.GPU PT, R2, [R4.64], R6", false));
  CHECK(look("ld.volatile.global.u32 %r1, [%rd1];", true));
  CHECK_FALSE(look("ld.global.u32 %r1, [%rd1];", true));
  CHECK(look("atom.global.add.u32 %r1, [%rd1], 0;", false));
  CHECK_FALSE(look("atom.global.add.u32 %r1, [%rd1], 10;", false));
}
