// What is asked of ptxas. Needs no CUDA.
#include "emulate/toolkit/toolkit.hpp"

#include "tests/catch.hpp"

namespace warpmem::emulate {
namespace {

constexpr const char* kNothing =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";

TEST_CASE("of a program's options for ptxas those that shape the code are kept") {
  CHECK(code_options("-dlcm=cg -O2  -maxrregcount=24 --generate-line-info ") ==
        std::vector<std::string>{"-dlcm=cg", "-O2", "-maxrregcount=24"});
  CHECK(code_options("").empty());
  CHECK(code_options("  -arch=sm_75 -v ").empty());
}

TEST_CASE("the source's lines are kept where PTX names any") {
  CHECK(with_lines({"-O2"}, ".loc 1 7 3") == std::vector<std::string>{"-O2", "-lineinfo"});
  CHECK(with_lines({}, kNothing).empty());
}

TEST_CASE("PTX is assembled for the card, but for what only one architecture runs") {
  CHECK(assembled_arch("sm_75", 90) == "sm_90");
  CHECK(assembled_arch("sm_90a", 90) == "sm_90a");
  CHECK(assembled_arch("", 86) == "sm_86");
}

TEST_CASE("a ptxas that cannot be started or refuses the PTX is an error, not a crash") {
  CHECK(assemble("/no/such/ptxas", kNothing, "sm_90", {}).error().kind == ErrorKind::kEnvironment);
  CHECK(assemble("/bin/false", kNothing, "sm_90", {}).error().kind == ErrorKind::kEnvironment);
  CHECK_FALSE(is_kept("/bin/false", kNothing, "sm_90", {}));
}

TEST_CASE("machine code says what a kernel takes, and an unknown kernel takes nothing") {
  const Toolkit tools = find_toolkit();
  if (tools.ptxas.empty()) {
    WARN("there is no ptxas here");
    return;
  }
  const auto code = assemble(tools.ptxas, kNothing, "sm_90", {});
  REQUIRE(code);
  const auto found = resources_of(*code, "k");
  REQUIRE(found);
  CHECK(found->registers > 0);
  CHECK(found->static_shared == 0);
  CHECK(!resources_of(*code, "other"));
  CHECK(!resources_of({}, "k"));
}

}  // namespace
}  // namespace warpmem::emulate
