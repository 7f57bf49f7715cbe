// Every other call of the driver API: it says its name and fails.
#include <cstdio>

#include "emulate/names/refusals.hpp"

namespace {

long refused(const char* name, const void* caller) {
  if (warpmem::names::first_call(name))
    std::fprintf(stderr, "warpmem: %s is not emulated: it returns CUDA_ERROR_NOT_SUPPORTED%s\n",
                 name, warpmem::names::asked_for_by(caller).c_str());
  return 801;
}

}  // namespace

// clang-format off
#include "emulate/names/driver.inc"
