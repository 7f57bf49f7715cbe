// A kernel of PTX, ready to run.
#pragma once

#include <memory>
#include <string>

#include "emulate/executor/kernel.hpp"

namespace warpmem::emulate {

// The kernel of this name, mangled, or as C++ has it where only one has that. Fails with those that
// there are.
Result<const Function*> find_entry(const Module& module, const std::string& entry);

// Decodes `entry` and what it reaches. Fails at the first instruction that is not supported.
Result<std::unique_ptr<Kernel>> build_kernel(const LoadedModule& module, const std::string& entry);

// What the trace carries of a kernel: its machine code, or its PTX, one line an instruction and
// pc = 16 x its number.
trace::Program describe(const Kernel& kernel);

}  // namespace warpmem::emulate
