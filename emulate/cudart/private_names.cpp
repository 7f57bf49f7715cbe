// What the emulator's library exports: each call under a private name, so that nothing of NVIDIA's
// in the same process is taken for it or takes it for its own. The libraries that programs know
// (libcuda.so.1, libcudart.so.13, …) lead here.
#include "emulate/names/stub.hpp"

#define REFUSED(name) WARPMEM_STUB(".globl", warpmem_##name, name)
#define REFUSED_TEXT(name) REFUSED(name)
#define SAME(name, other) REFUSED(name)

// clang-format off
#include "emulate/names/driver.inc"
#include "emulate/names/runtime.inc"
REFUSED(__cudaFindAllocation)
REFUSED(__cudaNote)
