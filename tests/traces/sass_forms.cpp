// Every instruction that nvdisasm prints of kernels/ compiled for sm_75 to sm_120
// (make_sass_forms.py) is known, and its memory accesses go to the space and have the width that
// the mnemonic says.
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "isa/sass/forms.hpp"
#include "isa/sass/instruction.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::trace;

namespace {

std::string space_of(const SassInstruction& i) {
  if (i.generic) return "generic";
  switch (i.space) {
    case Space::kGlobal: return "global";
    case Space::kLocal: return "local";
    case Space::kShared: return "shared";
    case Space::kConstant: return "constant";
    case Space::kTexture: return "texture";
    case Space::kSurface: return "surface";
    case Space::kRemoteShared: return "remote";
    default: return "";
  }
}

}  // namespace

TEST_CASE("no instruction of the kernels is unknown on any compute capability from 7.5 to 12.0") {
  std::ifstream in(WARPMEM_SASS_FORMS);
  std::string line;
  std::getline(in, line);
  REQUIRE(line == "form,space,bytes,capabilities");
  std::set<std::string> capabilities;
  std::size_t memory = 0;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string form, space, bytes, on, one;
    std::getline(cells, form, ','), std::getline(cells, space, ','),
        std::getline(cells, bytes, ',');
    while (cells >> one) capabilities.insert(one);
    INFO(line);
    CHECK(opcode_named(form.substr(0, form.find('.'))) != Opcode::kUnknown);
    const auto decoded = decode_instruction(form + " R4, [R2.64] ;");
    REQUIRE(decoded.ok());
    if (space.empty()) continue;
    ++memory;
    CHECK(decoded->is_memory());
    CHECK(space_of(*decoded) == space);
    CHECK(decoded->bytes == std::stoul(bytes));
  }
  CHECK(capabilities ==
        std::set<std::string>{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"});
  CHECK(memory >= 120);
}

TEST_CASE("what no GPU has is no known opcode") {
  CHECK(opcode_named("FROBNICATE") == Opcode::kUnknown);
  CHECK(opcode_named("") == Opcode::kUnknown);
  CHECK(opcode_named("LDG") == Opcode::kLDG);
  CHECK(opcode_named("UFADD") == Opcode::kUFADD);
}
