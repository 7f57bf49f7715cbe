// Of libcudart.so.12 and .13 (WARPMEM_CUDART) the calls that are not the same in both.
#include "emulate/names/stub.hpp"

#define WARPMEM_OF(version, name) WARPMEM_OF_(version, name)
#define WARPMEM_OF_(version, name) WARPMEM_STUB(".globl", name, warpmem_##version##_##name)
#define VERSIONED(name) WARPMEM_OF(WARPMEM_CUDART, name)

// clang-format off
#include "emulate/names/versioned.inc"
// clang-format on

extern "C" {

void warpmem_runtime_is(int version);
[[noreturn]] void warpmem_leave(int status);

// A program that leaves by these runs no destructors, and its trace has to be closed.
void _exit(int status) { warpmem_leave(status); }
void _Exit(int status) { warpmem_leave(status); }
}

namespace {
__attribute__((constructor)) void say_which() { warpmem_runtime_is(WARPMEM_CUDART); }
}  // namespace
