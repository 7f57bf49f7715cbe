// Reads PTX. Everything is checked that does not need an instruction's meaning; unknown opcodes
// are found when the functions that a launch can reach are decoded (decode.hpp).
#pragma once

#include "emulate/executor/syntax.hpp"

namespace warpmem::emulate {

Result<Module> parse_ptx(std::string name, std::string text);

}  // namespace warpmem::emulate
