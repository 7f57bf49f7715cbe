// What programs would reach at each level of a card's memory: a bandwidth kernel for each,
// replayed.
#pragma once

#include <string>

#include "base/error.hpp"
#include "model/card/card.hpp"

namespace warpmem::sim::probe {

// GB/s; below 0: the card has no such level.
struct Ladder {
  double shared = -1, l1 = -1, l2 = -1, global = -1, host = -1;
};

// `file`: where traces may lie meanwhile.
Result<Ladder> ladder_of(const model::Card& card, const std::string& file);

}  // namespace warpmem::sim::probe
