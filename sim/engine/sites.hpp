// What the engine does with each static instruction, worked out once a launch from the record's
// site and the instruction itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/decoded_program.hpp"
#include "model/access/access_plan.hpp"
#include "model/card/card.hpp"
#include "sim/code/l1_invalidation.hpp"
#include "traces/format/record.hpp"

namespace warpmem::sim {

using model::AccessPlan;
using model::Action;

// For the card's GPU: what it lacks is left out (lacking.hpp).
std::vector<AccessPlan> plan_sites(const model::Card& card, std::span<const trace::Site> sites,
                                   const trace::DecodedProgram& program);

// Where an instruction stands: "app.cu:12", or "pc 0x0120" where the line is not known.
std::string place_of(const trace::Program& program, std::uint32_t pc);

}  // namespace warpmem::sim
