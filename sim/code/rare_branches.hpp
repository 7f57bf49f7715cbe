// Branches that numbers out of the ordinary take: infinite ones, those that are none, or too small
// to be kept in full. Functions of <cmath> have code for them that hardly any warp runs.
#pragma once

#include <vector>

#include "sim/code/code.hpp"

namespace warpmem::sim {

// By line of `code`, of machine code: is it such a branch? Seen from what its guard was compared
// with.
std::vector<bool> rare_branches(const trace::DecodedProgram& program,
                                const std::vector<CodeLine>& code);

}  // namespace warpmem::sim
