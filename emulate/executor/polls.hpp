// Loops that do nothing but ask an mbarrier whether it is done: how often they go round is a matter
// of time, which the emulator does not know, so a trace says nothing of it.
#pragma once

#include "emulate/executor/code.hpp"

namespace warpmem::emulate {

// Code::polls, of code whose flow is known.
void find_polls(Code& code);

}  // namespace warpmem::emulate
