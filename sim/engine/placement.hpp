// Which SM gets which CTA at the start of a launch (measured: kernels/micro/cta_placement.cu,
// cards/gpus/h200/cta_placement.csv). A grid is shared out evenly before it starts: each SM gets as
// many CTAs as go into the grid whole, a group of SMs in one turn; the small groups of a GPU whose
// GPCs differ in size come round more often until they have theirs ([topology] of the card). What
// is left goes to the small groups, then to the first SM of each TPC, then to the second ones, one
// CTA each. A grid beyond the GPU's room fills it, and the rest goes wherever there is room again.
#pragma once

#include <cstdint>
#include <vector>

#include "model/card/card.hpp"

namespace warpmem::sim {

// SMs of the first CTAs of a grid of `ctas`, as many as there is room for with `per_sm` on each.
std::vector<int> first_placement(const model::Card& card, std::uint32_t per_sm, std::uint64_t ctas);

// When the first CTAs of a grid start, of so many warps each, that go to these SMs.
//
// A grid that finds room whole is shared out before any of it starts. Then all GPCs start theirs at
// the same time, each one after the other: one on each of its SMs (the first SMs of all TPCs before
// the second ones, CPCs by turns), then another on each. Of a grid that does not, CTAs start as
// they are given out, all over the GPU (measured: kernels/micro/cta_start.cu,
// cards/gpus/h200/cta_start.csv; SMs of one GPC have one clock).
struct FirstStarts {
  std::uint64_t shared_out = 0;      // cycles until the first one starts
  std::vector<std::uint64_t> cycle;  // by CTA: after that
};
FirstStarts first_starts(const model::Card& card, const std::vector<int>& sms, std::uint32_t warps,
                         bool whole);

// Cycles by which a warp of an SM's first CTAs starts after the SM's first one, as its scheduler
// does: each fetches instructions and constants for itself, one after the other. Which one comes
// first differs from SM to SM; here it is a draw.
inline std::uint64_t stagger(const model::Card& card, int sm, std::uint32_t warp) {
  const auto draw =
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(sm) * 0x9e3779b97f4a7c15ull >> 32);
  return (warp + draw) % card.numbers().sm_schedulers * card.numbers().launch_stagger_cycles;
}

}  // namespace warpmem::sim
