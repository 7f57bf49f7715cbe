// The cache operators that ptxas gives to loads and stores that say none (-dlcm, -dscm), written
// into the PTX itself.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::ptx {

// `load`, `store`: "cg", "ca" …; empty: those stay as they are.
std::string with_default_operators(std::string ptx, std::string_view load, std::string_view store);

}  // namespace warpmem::ptx
