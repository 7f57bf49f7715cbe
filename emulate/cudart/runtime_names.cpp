// Every other call of the runtime: a program that makes one learns which, instead of dying in the
// loader.
#include "emulate/names/refusals.hpp"

#include <cstdio>

#include "emulate/cudart/runtime.hpp"

namespace {

long refused(const char* name, const void* caller) {
  if (warpmem::names::first_call(name))
    std::fprintf(stderr, "warpmem: %s is not emulated: it returns cudaErrorNotSupported%s\n", name,
                 warpmem::names::asked_for_by(caller).c_str());
  return warpmem::cudart::remember(warpmem::cudart::kNotSupported);
}

}  // namespace

// clang-format off
#include "emulate/names/runtime.inc"
