// Which SM gets which CTA at the start of a launch: SMs are served a group at a time, and the small
// groups of a GPU whose GPCs differ in size come round more often (model/gpus, [topology]).
#pragma once

#include <cstdint>
#include <vector>

#include "model/card.hpp"

namespace warpmem::sim {

// SMs of the first `limit` CTAs, or of as many as fit when `per_sm` are resident on each.
std::vector<int> first_placement(const model::Card& card, std::uint32_t per_sm, std::uint64_t limit);

}  // namespace warpmem::sim
