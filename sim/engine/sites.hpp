// What the engine does with each static instruction, worked out once a launch from the record's
// site and the instruction's own text.
#pragma once

#include <cstdint>
#include <vector>

#include "model/card/card.hpp"
#include "model/system/access_plan.hpp"
#include "sim/code/emptying.hpp"
#include "isa/program.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

using model::AccessPlan;
using model::Action;

// For the card's GPU: what it lacks is left out (lacking.hpp).
std::vector<AccessPlan> plan_sites(const model::Card& card, std::span<const trace::Site> sites,
                                   const trace::Program& program);

}  // namespace warpmem::sim
