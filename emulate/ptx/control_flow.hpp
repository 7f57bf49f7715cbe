// A function's control-flow graph and where its branches' paths meet again: the immediate
// post-dominator of the branch's block.
#pragma once

#include "emulate/executor/code.hpp"

namespace warpmem::emulate {

// Sets Inst::reconverge of every branch, and Inst::leader where a block begins.
void find_reconvergence(Code& code);
// Code::flow.
void find_loops(Code& code);

}  // namespace warpmem::emulate
