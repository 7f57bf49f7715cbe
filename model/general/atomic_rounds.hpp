// The rounds in which a global atomic leaves an L1, for any line length and any index: the rules
// of atomics/atomics.hpp, which does the same for the lines and the index of an H200, faster.
#pragma once

#include "model/atomics/atomics.hpp"
#include "model/general/memory_spec.hpp"

namespace warpmem::model {

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap,
                             const MemorySpec& spec);

}  // namespace warpmem::model
