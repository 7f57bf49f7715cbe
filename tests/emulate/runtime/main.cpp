// The options that the runtime reads at the first call.
#include "tests/emulate/runtime/h200.hpp"

namespace {

struct Environment {
  Environment() {
    warpmem::cudart::emulate_h200();
    setenv("WARPMEM_EMULATE_MAX_INSTRUCTIONS", "10000000", 1);
    setenv("WARPMEM_EMULATE_LEVEL", "ptx", 1);  // the same with and without a ptxas
  }
};
const Environment kEnvironment;

}  // namespace
