// One access of a warp in time: where and when it runs, and what it cost.
#pragma once

#include <cstdint>

#include "model/access/warp_lanes.hpp"

namespace warpmem::model {

struct AccessTiming {
  int sm = 0;
  std::uint32_t warp_slot = 0;         // on the SM: decides where its local memory lies
  std::uint32_t async_wavefronts = 0;  // of an asynchronous copy, for its shared side
  const WarpLanes* shared = nullptr;   // its shared side, where the trace has it next to it
  std::uint32_t site = 0, warp = 0;    // whose access it is: its static instruction; in the CTA
  std::uint64_t cta = 0;               // … in the grid
  std::uint64_t now = 0;               // cycle in which the access starts
  std::uint64_t tags = 0;              // … in which its tags are looked up, for a store
  std::uint64_t done = 0;              // out: cycle in which its result is there
  std::uint32_t passes = 1;            // out: cycles that it keeps the SM's load/store unit
  std::uint32_t tag_passes = 1;        // out: cycles that it keeps the tag stage
  std::uint64_t held = 0;              // out: cycle in which the store queue has taken it
  std::uint64_t sent = 0;              // out: cycle in which what it writes has left the SM
  std::uint64_t stored = 0;            // out: … in which the L2 has it
  bool left_sm = false;                // out: it went beyond the L1
  std::uint32_t missed = 0;            // out: lines that it asks the L2 for

  // Nothing has happened yet.
  void begin() {
    done = stored = sent = now;
    passes = tag_passes = 1;
    held = 0;
    left_sm = false;
    missed = 0;
  }
};

}  // namespace warpmem::model
