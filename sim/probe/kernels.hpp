// Kernels of microbenchmarks, as ptxas would compile them.
#pragma once

#include "sim/probe/probe_trace.hpp"

namespace warpmem::sim::probe {

// Where loads look: through the L1, or past it (.cg).
enum class Through : std::uint8_t { kL1, kPastL1 };

// Loads that go round: each lane's next address is what the load before it brought, or is worked
// out from that (`indexed`).
Kernel chase(Through through, bool indexed);
Kernel shared_chase();
// Rounds of so many loads outstanding at a time, `bytes` a lane.
Kernel read_rounds(std::uint32_t unroll, std::uint32_t bytes, Through through = Through::kL1);
Kernel shared_rounds(std::uint32_t unroll);
// So many loads of 8 bytes a thread, and then a store of what they make, or none.
Kernel stream(std::uint32_t loads, bool stores);

}  // namespace warpmem::sim::probe
