// Which SM gets which CTA at the start of a launch: SMs are served a group at a time, and the small
// groups of a GPU whose GPCs differ in size come round more often (model/gpus, [topology]).
#pragma once

#include <cstdint>
#include <vector>

#include "model/card.hpp"

namespace warpmem::sim {

// SMs of the first `limit` CTAs, or of as many as fit when `per_sm` are resident on each.
std::vector<int> first_placement(const model::Card& card, std::uint32_t per_sm,
                                 std::uint64_t limit);

// Cycles by which a warp of an SM's first CTAs starts after the SM's first one, as its scheduler
// does: each fetches instructions and constants for itself, one after the other. Which one comes
// first differs from SM to SM; here it is a draw.
inline std::uint64_t stagger(const model::Card& card, int sm, std::uint32_t warp) {
  constexpr std::uint32_t kPerSm = 4;  // schedulers
  const auto draw =
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(sm) * 0x9e3779b97f4a7c15ull >> 32);
  return (warp + draw) % kPerSm * card.numbers().launch_stagger_cycles;
}

}  // namespace warpmem::sim
