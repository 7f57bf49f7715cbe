// Calls of the driver's own functions (malloc, free, vprintf) go through a register that holds an
// address out of constant bank 4, which the disassembler prints without the function's name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/program.hpp"

namespace warpmem::record {

// Puts the names to the calls: "CALL.ABS.NOINC R2" becomes "CALL.ABS.NOINC R2 `(malloc)". `names`:
// by offset in constant bank 4 (Cubin::driver_functions). Follows registers along straight code
// only; a call that it cannot follow stays as it is.
void name_driver_calls(std::vector<trace::Instruction>& code,
                       const std::map<std::uint32_t, std::string>& names);

}  // namespace warpmem::record
