// What is asked of ptxas, and what is read from its answer. Needs no CUDA.
#include <fmt/format.h>

#include "emulate/mapping/machine_code.hpp"
#include "emulate/mapping/tagged_ptx.hpp"
#include "emulate/toolkit/toolkit.hpp"
#include "emulate/ptx/parser.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/support.hpp"

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
  CHECK(bodies(text_of(*module)) ==
        "deep shared_by_two of_other in_a_table by_address takes_it k other ");
}

TEST_CASE("what ptxas refuses of one kernel is no matter for another") {
  const Toolkit toolkit = find_toolkit();
  if (toolkit.ptxas.empty()) {
    WARN("there is no ptxas here");
    return;
  }
  auto module = parse_ptx("a.ptx", kThree);
  REQUIRE(module);
  MachineCode code(
      *module, {.toolkit = toolkit, .arch = "sm_90", .options = {}, .shipped = {}, .units = {}});
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

}  // namespace
}  // namespace warpmem::emulate
