// Shared-memory passes (wavefronts) on compute capability 7.0 and later: 32 banks of 4 bytes.
//
// Rules, held against an H200 in 2,306 lane patterns without a difference (kernels/micro/
// shared_banks.cu, driver 580, CUDA 13.0, 2026-11-21 and 2026-11-23):
//  - a load or store of 4 bytes a lane is one group of 32 lanes, of 8 bytes two of 16, of 16 bytes
//    four of 8; a group takes as many passes as its fullest bank has distinct words;
//  - a wide LOAD is served in groups of twice as many lanes when every active lane n has the
//  address
//    of lane n^1, or every one that of n^2, all over the warp (inactive partners do not matter);
//  - a matrix load or store takes its rows eight at a time, 16 bytes each;
//  - an atomic that returns a value serves one lane a bank and pass, even on the same word; a
//    compare-and-swap takes two passes for each; a reduction (POPC.INC) behaves as a store;
//  - an attempt to store (ATOMS.CAST, of which ptxas makes loops for sums of floats) serves one
//  lane
//    a bank in two passes, and the others fail: with 8 bytes a lane, each half-warp by itself.
//
// The profiler has two counts. l1tex__data_pipe_lsu_wavefronts_mem_shared is what the unit does.
// memory_l1_wavefronts_shared is worked out from the addresses, by code that the profiler puts into
// the kernel, and of wide loads it says something else:
//  - neighbouring groups are joined two by two, each such pair of groups by itself, and only where
//    the joined one is without a conflict;
//  - of 16 bytes, the first half-warp: where lane 31 is inactive it is joined whatever its
//  addresses
//    are, and where it is active a lane whose partner is inactive counts as one of another address;
//  - of 16 bytes, one word for all active lanes takes a pass for every 16 of them.
#pragma once

#include <cstdint>

#include "model/access/access.hpp"
#include "model/access/banks.hpp"
#include "model/access/shared_kind.hpp"

namespace warpmem::model {

struct SharedPasses {
  int taken = 0;     // by the unit
  int reported = 0;  // memory_l1_wavefronts_shared
  int groups = 0;    // of lanes that are served together: the passes without any conflict
  bool operator==(const SharedPasses&) const = default;
};

// Addresses are byte offsets in the CTA's window, aligned to `bytes`. kMatrix: active lanes hold
// row addresses, `bytes` is 16. No active lane: all zero.
SharedPasses shared_passes(const WarpAccess& access, SharedKind kind);
// The same for other banks: as many lanes are served together as all banks give a word to in a
// pass.
SharedPasses shared_passes(const WarpAccess& access, SharedKind kind, const Banks& banks);
// Distinct words that lanes [first, first + lanes) want of the bank of which they want most.
int words_in_fullest_bank(const WarpAccess& access, int first, int lanes, const Banks& banks);

}  // namespace warpmem::model
