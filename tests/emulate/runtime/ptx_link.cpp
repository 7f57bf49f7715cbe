#include "emulate/cudart/ptx_link.hpp"

#include "emulate/ptx/parser.hpp"
#include "emulate/ptx/program.hpp"
#include "tests/catch.hpp"

namespace warpmem::cudart {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

const PtxUnit kMain{"main", kHead + R"(
.file 1 "main.cu"
.extern .func (.param .b32 r) twice(.param .b32 p);
.extern .global .align 4 .u32 bias;
.global .align 1 .b8 $str[3] = {109, 10, 0};
.visible .entry go(.param .u64 go_param_0)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  .loc 1 7 3
  ld.param.u64 %rd1, [go_param_0];
  ld.global.u32 %r1, [bias];
  mov.u64 %rd2, $str;
  { .param .b32 a; .param .b32 b;
  st.param.b32 [a], %r1;
  call.uni (b), twice, (a);
  ld.param.b32 %r2, [b]; }
  st.global.u32 [%rd1], %r2;
  ret;
})"};

const PtxUnit kOther{"other", ".version 8.3\n.target sm_80\n.address_size 64\n" + std::string(R"(
.file 1 "other.cu"
.visible .global .align 4 .u32 bias = 21;
.global .align 1 .b8 $str[3] = {111, 10, 0};
.weak .func shared_by_all() { ret; }
.visible .func (.param .b32 r) twice(.param .b32 p)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .loc 1 3 1
  mov.u64 %rd1, $str;
  ld.param.b32 %r1, [p];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
})")};

TEST_CASE("functions and variables of one unit are found by another") {
  auto text = link_ptx({kMain, kOther});
  REQUIRE(text);
  auto module = emulate::parse_ptx("linked.ptx", *text);
  INFO(*text);
  if (!module) FAIL(module.error().text());
  CHECK(module->version_major == 8);
  CHECK(module->version_minor == 3);
  CHECK(module->function_named.at("twice")->has_body);
  CHECK(!module->variable_named.at("bias")->is_extern);
}

TEST_CASE("names that each unit keeps for itself do not clash, and source lines keep their file") {
  auto text = link_ptx({kMain, kOther});
  REQUIRE(text);
  auto module = emulate::parse_ptx("linked.ptx", *text);
  REQUIRE(module);
  CHECK(module->variable_named.contains("$str__unit0"));
  CHECK(module->variable_named.contains("$str__unit1"));
  CHECK(module->files == std::vector<std::string>{"", "main.cu", "other.cu"});
  CHECK(module->function_named.at("go")->body.at(0).file == 1);
  CHECK(module->function_named.at("twice")->body.at(0).file == 2);
}

TEST_CASE("of weak functions the first one stays, and a second visible one is an error") {
  auto text = link_ptx({kMain, kOther, {"third", kHead + ".weak .func shared_by_all() { ret; }"}});
  REQUIRE(text);
  CHECK(text->find("shared_by_all") == text->rfind("shared_by_all"));
  auto twice = link_ptx({kOther, {"again", kHead + ".visible .func twice() { ret; }"}});
  REQUIRE(!twice);
  CHECK(twice.error().message.find("twice") != std::string::npos);
}

TEST_CASE("a unit that is cut short is refused with its name") {
  auto text = link_ptx({kMain, {"short", kHead + ".visible .func f() {"}});
  REQUIRE(!text);
  CHECK(text.error().place.find("short") != std::string::npos);
}

}  // namespace
}  // namespace warpmem::cudart
