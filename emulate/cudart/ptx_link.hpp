// Links PTX modules into one, as nvlink links their machine code for -rdc=true.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::cudart {

struct PtxUnit {
  std::string name;  // for messages
  std::string text;
};

// One module: variables of all units first, then functions. A declaration gives way to the
// definition of another unit; of several weak definitions the first stays; names that only one unit
// sees and that clash are told apart by a suffix; file numbers of .file and .loc are renumbered.
// Fails when two units define the same visible name, or a unit's braces do not match.
Result<std::string> link_ptx(const std::vector<PtxUnit>& units);

}  // namespace warpmem::cudart
