// The tools of the CUDA toolkit that fit what the running program compiles with.
#pragma once

#include "emulate/mapping/toolkit.hpp"

namespace warpmem::cudart {

// Of the machine's tools and of those in the program's own site-packages the newest, as a library
// there may write PTX that an older ptxas does not know. A tool that a variable names
// (WARPMEM_PTXAS, …) comes before all. What is newest is asked once.
emulate::Toolkit program_toolkit();

// A stand-in for ptxas that compiles as nvJitLink does, where a library of the program's brings
// that (and what it compiles no ptxas knows); empty: there is none.
const std::string& linker_as_ptxas();

}  // namespace warpmem::cudart
