// Shared-memory wavefronts on compute capability 7.0 and later: 32 banks of 4 bytes.
//
// Rules, held against an H200 in 706 lane patterns without a difference (kernels/micro/
// shared_banks.cu; memory_l1_wavefronts_shared, driver 580, CUDA 13.0, 2026-11-21):
//  - a load or store of 4 bytes a lane is one group of 32 lanes, of 8 bytes two of 16, of 16 bytes
//    four of 8; a group takes as many passes as its fullest bank has distinct words;
//  - two neighbouring groups of a wide LOAD are served together in one pass when every active lane
//    n has the address of lane n^1, or every one that of n^2, and the two together have no conflict
//    (inactive partners do not matter). With some lanes of 16 bytes active that is not all: of 168
//    such cases 53 take one pass more or fewer (model/gpus/h200/shared_masks.csv): one word takes a
//    pass for every 16 active lanes wherever they are, and the first half alone merges more than the
//    second; not understood;
//  - a matrix load or store takes its rows eight at a time, 16 bytes each;
//  - an atomic that returns a value serves one lane a bank and pass, even on the same word; a
//    compare-and-swap takes two passes for each; a reduction (POPC.INC) behaves as a store;
//  - an attempt to store (ATOMS.CAST, of which ptxas makes loops for sums of floats) serves one lane
//    a bank in two passes, and the others fail: with 8 bytes a lane, each half-warp by itself.
#pragma once

#include <cstdint>

#include "model/access.hpp"

namespace warpmem::model {

enum class SharedKind : std::uint8_t { kLoad, kStore, kMatrix, kAtomic, kCompareAndSwap, kAttempt, kReduction };

// Wavefronts of one access. Addresses are byte offsets in the CTA's window, aligned to `bytes`.
// kMatrix: active lanes hold row addresses, `bytes` is 16.
int shared_wavefronts(const WarpAccess& access, SharedKind kind);

// The fewest wavefronts that the same lanes could take with the best addresses.
int shared_wavefronts_ideal(const WarpAccess& access, SharedKind kind);

}  // namespace warpmem::model
