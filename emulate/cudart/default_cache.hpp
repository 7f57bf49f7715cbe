// Which caches loads and stores go through where the code does not say: ptxas is told (-dlcm=cg,
// -dscm=wb), and the PTX alone does not show it.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::cudart {

// The PTX with the operators that ptxas's options put where it has none. Loads of read-only data
// (.nc) and accesses that are ordered are left alone, as ptxas leaves them.
std::string with_default_caches(std::string ptx, std::string_view options);

}  // namespace warpmem::cudart
