// Where a kernel's code invalidations the L1, as its records see it.
//
// CCTL.IVALL forgets what the SM's L1 holds of global memory, whoever brought it; lines of local
// memory stay. ptxas puts it behind what acquires beyond the CTA: fences, loads, atomics, the
// barrier of a cluster (measured on an H200: kernels/micro/l1_fences.cu, driver 580, CUDA 13.0,
// 2026-11-23; what ptxas 13.0 makes of each). It leaves no record of its own.
#pragma once

#include <span>
#include <vector>

#include "isa/decoded_program.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

// The L1 is emptied just before what a site does, or just behind it.
struct L1Invalidation {
  bool before = false, behind = false;
};

// By site. Goes with an access that acquires, else with the next one that no warp comes to in
// another path, else with the one that it came from; what has neither is left out.
std::vector<L1Invalidation> l1_invalidations(std::span<const trace::Site> sites,
                                             const trace::DecodedProgram& program);

}  // namespace warpmem::sim
