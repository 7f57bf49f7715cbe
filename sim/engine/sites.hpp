// What the engine does with each static instruction, worked out once a launch from the record's
// site and the instruction's own text.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system/access_plan.hpp"
#include "sim/code/emptying.hpp"
#include "isa/program.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

using model::AccessPlan;
using model::Action;

std::vector<AccessPlan> plan_sites(std::span<const trace::Site> sites, const trace::Program& program);

}  // namespace warpmem::sim
