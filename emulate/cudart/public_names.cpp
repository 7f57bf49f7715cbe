// The names of a library that programs know: each leads to the emulator's own library.
// WARPMEM_NAMES is the list of them.
#include "emulate/names/stub.hpp"

#define REFUSED(name) WARPMEM_STUB(".weak", name, warpmem_##name)
#define REFUSED_TEXT(name) REFUSED(name)
#define SAME(name, other) REFUSED(name)

// clang-format off
#include WARPMEM_NAMES
REFUSED(__cudaFindAllocation)
REFUSED(__cudaNote)
