// How control goes through machine code: its blocks and loops, for what a trace says of the rounds
// of loops that leave no record.
#pragma once

#include "emulate/executor/code.hpp"

namespace warpmem::emulate {

// Line by line of the code. A call comes back behind itself; where a jump through a register goes
// is not known, and loops that it closes are none here.
trace::CodeFlow machine_flow(const Code& code);

}  // namespace warpmem::emulate
