// What NVBit's sample tool mem_trace prints: a line for each launch, and one for each memory
// instruction of a warp with the addresses of its 32 lanes. Lanes that are off print 0. It says no
// pc, no code and no barrier.
#pragma once

#include "traces/import/import.hpp"

namespace warpmem::imports {

constexpr const char* kNvbitLine = "MEMTRACE: CTX ";

Result<ImportReport> import_nvbit(const ImportRequest& request);

}  // namespace warpmem::imports
