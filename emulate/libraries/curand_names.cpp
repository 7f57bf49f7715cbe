// Every other call of cuRAND: it says its name and fails, so that a program that never makes it
// still loads.
#include <cstdio>

#include "emulate/names/refusals.hpp"

namespace {

long refused(const char* name, const void* caller) {
  if (warpmem::names::first_call(name))
    std::fprintf(stderr, "warpmem: %s is not emulated: it returns CURAND_STATUS_TYPE_ERROR%s\n",
                 name, warpmem::names::asked_for_by(caller).c_str());
  return 103;
}

}  // namespace

// clang-format off
#include "emulate/names/curand.inc"
