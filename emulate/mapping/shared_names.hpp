// Accesses side by side that ptxas first took for one wide one, and then parted again because not
// all of it is used, all go by the name of one statement. The constants in their addresses tell
// which is whose.
#pragma once

#include "emulate/mapping/code_pair.hpp"

namespace warpmem::emulate {

// Gives each such instruction to its statement, where it is certain.
void share_names(CodePair& pair);

}  // namespace warpmem::emulate
