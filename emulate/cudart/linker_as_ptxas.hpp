// nvJitLink of the running program's own packages, as an assembler.
#pragma once

#include <string>

namespace warpmem::cudart {

// A stand-in for ptxas that compiles as nvJitLink does, where a library of the program's brings
// that (and what it compiles no ptxas knows); empty: there is none.
const std::string& linker_as_ptxas();

}  // namespace warpmem::cudart
