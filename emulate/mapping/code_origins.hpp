// Which PTX statement each machine instruction was made of, and how many copies of the statement
// there are: ptxas unrolls loops and duplicates their tails.
#pragma once

#include <vector>

#include "emulate/mapping/code_pair.hpp"
#include "emulate/mapping/site_map.hpp"

namespace warpmem::emulate {

// By machine instruction: SiteMap::origins.
std::vector<CodeOrigin> code_origins(const CodePair& p);

}  // namespace warpmem::emulate
