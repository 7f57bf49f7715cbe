// Kernels that read what their other CTAs write, with nothing that makes them wait for it: a thread
// that sums up what all CTAs have just written. They lack a barrier, and come out right on a GPU
// because the others are done long before.
#pragma once

#include "emulate/executor/syntax.hpp"

namespace warpmem::emulate {

// Whether the function stores to memory that it knows by a parameter (or a variable's name) at a
// place that hangs on the CTA's number, and further on loads from the same at one that does not,
// nor on anything that was loaded. By the order of statements, of one function, and by registers:
// what goes through local memory is not followed.
bool reads_across(const Function& function);

}  // namespace warpmem::emulate
