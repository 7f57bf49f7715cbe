// An access of a warp, divided by a card's rules, as it is drawn.
#pragma once

#include "model/card/card.hpp"
#include "model/system/access_division.hpp"
#include "results/lane_access.hpp"
#include "sim/engine/sites.hpp"

namespace warpmem::sim {

model::AccessRules access_rules_of(const model::Card& card);

// Of local memory: a word of 4 bytes of each lane, where the warp has it.
LaneAccess lane_access(const model::WarpAccess& access, const AccessPlan& plan,
                       const model::AccessRules& rules, const model::CardNumbers& card);

}  // namespace warpmem::sim
