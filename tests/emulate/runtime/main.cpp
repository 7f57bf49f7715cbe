// The options that the runtime reads at the first call. Tests run as PTX, the same with and without
// a ptxas; WARPMEM_TEST_LEVEL=sass runs them from machine code, and passes over them (status 77)
// where the tools for it are missing.
#include <cstdlib>
#include <string_view>

#include "emulate/toolkit/toolkit.hpp"
#include "tests/emulate/runtime/h200.hpp"

namespace {

struct Environment {
  Environment() {
    warpmem::cudart::emulate_h200();
    setenv("WARPMEM_EMULATE_MAX_INSTRUCTIONS", "10000000", 1);
    const char* level = std::getenv("WARPMEM_TEST_LEVEL");
    const bool machine_code = level && std::string_view(level) == "sass";
    if (machine_code && !warpmem::emulate::find_toolkit().complete()) std::_Exit(77);
    setenv("WARPMEM_EMULATE_LEVEL", machine_code ? "sass" : "ptx", 1);
  }
};
const Environment kEnvironment;

}  // namespace
