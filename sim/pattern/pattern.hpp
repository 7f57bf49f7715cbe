// An access pattern on a card: each of its accesses goes through the card's memory system, warp
// after warp, and what it counted is told.
#pragma once

#include "model/card/card.hpp"
#include "results/explanation.hpp"
#include "sim/pattern/evaluate.hpp"

namespace warpmem::sim::pattern {

constexpr std::uint64_t kMostWarps = 1 << 16;  // of a pattern: it is the pattern that counts

// An access of one warp, to be drawn.
struct Drawn {
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;
};

// Sites in the order of the text; `examples` of each has the accesses of the warp to be drawn.
Result<std::vector<SiteTraffic>> on_card(const Program& program, const Shape& shape,
                                         const model::Card& card, const Drawn& drawn);

}  // namespace warpmem::sim::pattern
