// Every other call of cuBLAS: it says its name and fails, so that a program that never makes it
// still loads.
#include <cstdio>

#include "emulate/names/refusals.hpp"

namespace {

long refused(const char* name, const void* caller) {
  if (warpmem::names::first_call(name))
    std::fprintf(stderr, "warpmem: %s is not emulated: it returns CUBLAS_STATUS_NOT_SUPPORTED%s\n",
                 name, warpmem::names::asked_for_by(caller).c_str());
  return 15;
}

}  // namespace

// clang-format off
#include "emulate/names/cublas.inc"
