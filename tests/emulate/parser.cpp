// PTX that parses, and PTX that does not: what is said, and where.
#include "emulate/ptx/program.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;

namespace {

Error parse_error(const std::string& body) {
  auto m = parse_ptx("bad.ptx", kHeader + body);
  REQUIRE(!m.ok());
  return m.error();
}
Error build_error(const std::string& body, const std::string& entry = "k") {
  auto module = parse_ptx("bad.ptx", kHeader + body);
  if (!module) FAIL(module.error().text());
  auto memory = Memory::create(1u << 30);
  REQUIRE(memory.ok());
  auto loaded = LoadedModule::load(std::move(module).value(), *memory);
  if (!loaded) return loaded.error();
  auto kernel = build_kernel(**loaded, entry);
  REQUIRE(!kernel.ok());
  return kernel.error();
}
bool says(const Error& e, const std::string& part) {
  INFO(e.text());
  const bool found = e.text().find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("blanks may stand before an instruction's modifiers") {
  const auto module =
      parse_ptx("test.ptx", std::string(test::kHeader) +
                                ".visible .entry k() { .reg .b32 %r<4>; lop3 .b32 %r1, %r2, %r3, "
                                "5, 106; add .s32\n.sat %r1, %r2, %r3; ret ; }");
  REQUIRE(module.ok());
  CHECK(module->functions[0].body[0].opcode == "lop3.b32");
  CHECK(module->functions[0].body[1].opcode == "add.s32.sat");
}

TEST_CASE("an error names file, line, column and points at the place") {
  const Error e =
      parse_error(".visible .entry k()\n{\n\t.reg .b32 %r<4>;\n\tadd.s32 %r1, %r2 %r3;\n}\n");
  CHECK(e.kind == ErrorKind::kMalformed);
  CHECK(e.place == "bad.ptx:7:19");
  CHECK(e.message ==
        "expected ',' or ';' instead of '%r3'\n    \tadd.s32 %r1, %r2 %r3;\n    \t                 "
        "^");
}

TEST_CASE("sizes of arrays do not wrap, and what no GPU has is refused where it stands") {
  const std::pair<const char*, const char*> kSpaces[] = {
      {".global", "1 TiB"}, {".shared", "16 MiB"}, {".const", "64 KiB"}};
  for (const auto& [space, most] : kSpaces)
    for (const char* size :
         {"[4294967296][4294967296]", "[1099511627777]", "[18446744073709551615]", "[-1]",
          "[65536][65536][65536][65536]", "[1048576][2097152]"}) {
      const std::string declared = std::string(space) + " .align 4 .b8 t" + size + ";";
      const Error e = parse_error(declared);
      INFO(declared << ": " << e.text());
      CHECK(e.message.starts_with("'t' is larger than "));
      CHECK(e.place.starts_with("bad.ptx:4:"));
      CHECK_FALSE(e.fix.empty());
      if (std::string(size) == "[1048576][2097152]") says(e, most);
    }
  for (const char* inside :
       {".local .b8 t[4294967296][4294967296];", ".local .b8 t[17179869184];",
        ".local .b8 t[4294967296];", ".local .b64 t[65537];",
        ".param .b8 t[4294967296][4294967296];", ".param .b8 t[4294967296];"}) {
    const Error e = parse_error(std::string(".entry k() { ") + inside + " ret; }");
    INFO(inside << ": " << e.text());
    CHECK(e.message.starts_with("'t' is larger than "));
    CHECK_FALSE(e.fix.empty());
  }
  says(parse_error(".entry k(.param .b8 t[4294967296][4294967296]) { ret; }"),
       "'t' is larger than");
  says(build_error(".entry k(.param .b8 a[32000], .param .b8 b[32000]) { ret; }"),
       "more than 32,764 bytes of parameters");
  says(build_error(".entry k() { .local .b8 a[400000]; .local .b8 b[400000]; ret; }"),
       "more than 512 KiB of local memory");
  says(build_error(".shared .b8 a[16777216]; .shared .b8 b[16]; .entry k() { ret; }"),
       "more than any GPU has");
  says(build_error(".global .b8 a[8589934592]; .entry k() { ret; }"),
       "the GPU has no memory for 'a' of 8 GiB");
}

TEST_CASE("malformed PTX is refused with its reason") {
  says(parse_error(".visible .entry k()\n{\n ret;\n"), "the body of 'k' is never closed");
  says(parse_error(".entry k() { bra NOWHERE; }"), "there is no label 'NOWHERE' in 'k'");
  says(parse_error(".entry k() { A: A: ret; }"), "label 'A' is defined twice");
  says(parse_error(".entry k() { @%p1 ret; }"), "this register is not declared");
  says(parse_error(".entry k() { .reg .b32 %r<2>; @%r1 ret; }"),
       "a guard must be a .pred register");
  says(parse_error(".entry k() { .reg .b99 %r<2>; }"), "'.b99' is not a type");
  says(parse_error(".global .align 3 .b8 x[4];"), "an alignment must be a power of two");
  says(parse_error(".global .b8 x[2] = {1, 2, 3};"), "has more values than elements");
  says(parse_error(".entri k() {}"), "did you mean .entry?");
  says(parse_error(".entry k() {} .entry k() {}"), "function 'k' is defined twice");
  says(parse_error(".entry k() { .reg .b32 %r<99999999>; }"), "is too large");
  auto none = parse_ptx("x.ptx", "");
  REQUIRE(!none.ok());
  says(none.error(), "it has no .version directive");
}

TEST_CASE("what an instruction cannot have is found before anything runs") {
  says(build_error(".entry k() { .reg .b32 %r<4>; add.s32 %r1, %r2; }"),
       "add.s32 needs 3 operands, not 2");
  says(build_error(".entry k() { .reg .b32 %r<4>; .reg .b64 %rd<4>; add.s32 %r1, %r2, %rd1; }"),
       "a register of 64 bits cannot be a .s32 operand");
  says(build_error(".entry k() { .reg .b32 %r<4>; frobnicate.s32 %r1, %r2; }"),
       "the emulator does not support frobnicate.s32");
  says(build_error(".entry k() { .reg .b32 %r<4>; add.s32.wobble %r1, %r2, %r3; }"),
       "does not support add.s32.wobble");
  says(build_error(".entry k() { .reg .b32 %r<4>; mov.u32 %r1, %wobble; }"),
       "'%wobble' is neither a declared register nor a special register");
  says(build_error(".entry k() { .reg .b32 %r<4>; mov.u32 %r1, x; }"), "'x' is not declared");
  says(build_error(".extern .func f; .entry k() { call f; }"), "has no body in this file");
  says(build_error(".entry kernel() { ret; }", "kernal"), "did you mean 'kernel'?");
}

TEST_CASE("names in inner braces hide outer ones, and labels may repeat there") {
  Machine m(elementwise("u32", "u32", "", "", R"(
    mov.b32 %d, %a;
    { .reg .pred p; .reg .b32 t; mov.b32 t, 3; AGAIN: add.s32 %d, %d, 1; sub.s32 t, t, 1; setp.ne.s32 p, t, 0; @p bra AGAIN; }
    { .reg .pred p; .reg .b32 t; mov.b32 t, 2; AGAIN: add.s32 %d, %d, 10; sub.s32 t, t, 1; setp.ne.s32 p, t, 0; @p bra AGAIN; }
  )"));
  const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(1)),
                      in = m.buffer(std::vector<std::uint32_t>{100});
  m.argument(out), m.argument(in), m.argument(in), m.argument(in), m.argument(1u);
  REQUIRE(m.launch("k", {1, 1, 1}, {32, 1, 1}).ok());
  CHECK(m.read<std::uint32_t>(out, 1)[0] == 123);
}

TEST_CASE("every truncation of a kernel is parsed or refused, never more") {
  const std::string text = shipped("vector_copy.ptx");
  for (std::size_t n = 0; n < text.size(); n += 7) {
    auto m = parse_ptx("cut.ptx", text.substr(0, n));
    if (!m) CHECK(!m.error().message.empty());
  }
}

TEST_CASE("wherever PTX is cut short, the error says that it may have been") {
  const std::string whole = R"(
.version 8.0
.target sm_90
.address_size 64
.file 1 "a.cu"
.global .align 4 .u32 table[2] = {1, 2};
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }
.visible .entry k(.param .u64 p)
.maxntid 128, 1, 1
{
  .reg .pred %q<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; setp.gt.u32 %q1, %r1, 4;
  @!%q1 bra DONE;
  { .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; call.uni (y), twice, (x); ld.param.b32 %r2, [y]; }
  st.global.v2.u32 [%rd1 + 8], {%r1, %r2};
DONE:
  ret;
}
)";
  REQUIRE(parse_ptx("a.ptx", whole));
  std::size_t refused = 0;
  for (std::size_t n = whole.find(".file"); n < whole.size(); ++n) {
    auto cut = parse_ptx("a.ptx", whole.substr(0, n));
    if (cut) continue;  // between two functions, or before a list's next member
    ++refused;
    INFO(whole.substr(n > 30 ? n - 30 : 0, std::min<std::size_t>(n, 30)) << "\n"
                                                                         << cut.error().text());
    CHECK(cut.error().text().find("cut short") != std::string::npos);
  }
  CHECK(refused > 500);
}
