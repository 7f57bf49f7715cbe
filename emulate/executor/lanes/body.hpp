// The operations themselves, put together. Included by portable.cpp and avx2.cpp only, each with
// its own WARPMEM_LANES namespace: the same text compiled for two instruction sets.
//
// Every loop runs over all 32 lanes so that the compiler vectorises it; lanes that are off get
// their old value back. No operation here can trap. Results are the PTX manual's where it defines
// them, and what an H200 gives where it does not (tests/emulate/hardware).
//
// Nothing with external linkage may come out of this but table() and wrapper(): no container, no
// inline function that others share. The linker keeps one copy of those, and it might be the one
// that was compiled for AVX2. A test looks at the symbols.
#include <xmmintrin.h>

#include <cmath>
#include <type_traits>

#include "emulate/executor/half.hpp"
#include "emulate/executor/lanes.hpp"

namespace warpmem::emulate::WARPMEM_LANES {
namespace {

#include "emulate/executor/lanes/rows.hpp"

#include "emulate/executor/lanes/integers.hpp"

#include "emulate/executor/lanes/bits.hpp"

#include "emulate/executor/lanes/video.hpp"

#include "emulate/executor/lanes/floats.hpp"

#include "emulate/executor/lanes/halves.hpp"

#include "emulate/executor/lanes/compare.hpp"

#include "emulate/executor/lanes/convert.hpp"

#include "emulate/executor/lanes/table.hpp"

#include "emulate/executor/lanes/machine.hpp"

}  // namespace

void table(AddHandler add, void* to) {
  add_all({add, to});
  add_machine({add, to});
}
Handler wrapper() { return with_mode; }

}  // namespace warpmem::emulate::WARPMEM_LANES
