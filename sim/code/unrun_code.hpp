// Code of a recorded kernel that none of the launch's warps has run. An instruction that the
// recorder sees leaves a record whenever some lane runs it; where it has none, neither it nor what
// leads to nowhere else has been run, and a branch that may go there has always gone the other
// path. So sines of small numbers do without the code for large ones, and a loop that computes
// nothing else is known for one without accesses (static_flow.hpp).
#pragma once

#include <vector>

#include "sim/code/code.hpp"

namespace warpmem::sim {

// `traced`: by line, whether the launch has records of it. Branches of `code` that may go to what
// was not run lose that path.
void cut_unrun(const trace::DecodedProgram& program, const std::vector<bool>& traced,
               std::vector<CodeLine>& code);

}  // namespace warpmem::sim
