// What is asked of ptxas, and what is read from its answer. Needs no CUDA.
#include "tests/catch.hpp"
#include "traces/emulate/parser.hpp"
#include "traces/emulate/sass/tagged_ptx.hpp"
#include "traces/emulate/sass/toolkit.hpp"

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

}  // namespace
}  // namespace warpmem::emulate
