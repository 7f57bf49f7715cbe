// Who waits for whom: which accesses take a warp's clock how far, and where a warp's turn ends
// because others come first.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

// Where CTAs take turns: what an access adds to its warp's clock.
std::uint64_t wait_for(const WaitClocks& clocks, const Access& a);
// … and whether others come first; then the warp's turn is over.
bool comes_later(Running& run, Warp& warp, const Access& a, std::uint64_t ahead);
// True: what the warp has found there is what it found when it looked last, or one of the last
// times.
bool looks_again(Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t bytes,
                 const Lanes& host);
// Whether a warp's turn is over, so that it keeps the pace of the CTA's others.
bool changes_pace(Running& run, Warp& warp, const Access& a, const std::byte* frame,
                  std::uint32_t mask, bool stores);
inline bool waits_for_others(Running& run, Warp& warp, const Access& a, const std::byte* frame,
                             std::uint32_t mask, bool stores = false) {
  if (warp.shared_pace == Warp::Pace::kReadsAgain && warp.global_pace == Warp::Pace::kReadsAgain)
    return false;
  return changes_pace(run, warp, a, frame, mask, stores);
}

}  // namespace warpmem::emulate
