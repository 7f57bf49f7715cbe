// How long a warp waits for what, where CTAs take turns (turns.hpp).
#pragma once

#include <cstdint>

namespace warpmem::emulate {

// What a warp's clock is ahead for what it waits for, in instructions that it
// could have issued meanwhile. A card says it.
struct WaitClocks {
  std::uint64_t shared = 0;  // a load or an atomic of shared memory
  std::uint64_t load = 0;    // a load of which others may be on their way too
  std::uint64_t answer = 1;  // a way to the L2 and back whose answer the program needs
  std::uint64_t fence = 0;   // until its stores are in the L2
  // A turn: nobody gets two answers while another one waits for its first.
  std::uint64_t turn() const { return answer; }
  // What a warp may be ahead of the turn's beginning when it comes to what others may see.
  std::uint64_t slack() const { return answer / 8; }
};

}  // namespace warpmem::emulate
