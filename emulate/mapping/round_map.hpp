// How often a loop without accesses went round (trace::Op::kRounds) becomes rounds of the machine
// code's loops that hold its statements and lie in those of the loop around it. How many iterations
// one of them takes at a time is how often it has the same arithmetic instruction for one
// statement, for most statements. This is for the time that it takes, and never a reason not to
// map.
#pragma once

#include <vector>

#include "emulate/mapping/code_pair.hpp"
#include "emulate/mapping/site_map.hpp"

namespace warpmem::emulate {

// By statement: SiteMap::rounds.
std::vector<std::vector<MappedRounds>> map_rounds(const CodePair& p);

}  // namespace warpmem::emulate
