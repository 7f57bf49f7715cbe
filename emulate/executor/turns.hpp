// Kernels whose CTAs see each other while they run: they share out work by atomics, take locks,
// wait for flags. What such a kernel does depends on who comes when, so as many CTAs as fit the GPU
// are active at once, and each of them gets its turn when it is the one furthest behind.
//
// Who is furthest behind, a clock of each warp tells: instructions, and for accesses that a warp
// waits for about as many as it could have issued meanwhile (WaitClocks). Barriers set the clocks
// of those that waited to that of the last one to come. A CTA's turn lets its warps get as far
// ahead of where it was as an atomic's answer takes. To atomics and to looks at what others write,
// warps come in the order of their clocks. When a CTA ends, the next one of the grid starts in its
// place, at the time at which it ended. All this depends on the program only.
#pragma once

#include "emulate/executor/cta_groups.hpp"

namespace warpmem::emulate {

// Whether a launch's CTAs take turns.
bool takes_turns(const Running& run);
void run_in_turns(Running& run, CtaGroups& groups);

}  // namespace warpmem::emulate
