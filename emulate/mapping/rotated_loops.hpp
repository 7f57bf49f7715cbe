// Loops whose first half was copied to before them: while (true) { head; if (done) break; tail; }
// becomes head; while (!done) { tail; head; }. So does a loop of which the first iteration was made
// alone; it has no tail. Statements of the head are two instructions then, the first for whoever
// comes to the loop, the second for the times after.
#pragma once

#include <vector>

#include "emulate/mapping/code_pair.hpp"
#include "emulate/mapping/site_map.hpp"

namespace warpmem::emulate {

// Maps the statements of such loops; sites' positions must be known. By statement: was it mapped
// here? Loops that are not certain are left to others.
std::vector<bool> map_rotated_loops(const CodePair& pair, SiteMap& map);

}  // namespace warpmem::emulate
