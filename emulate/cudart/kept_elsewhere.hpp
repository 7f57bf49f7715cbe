// PTX that a compiler wrote into a folder beside the machine code that it made: CUTLASS's DSL,
// whose ptxas is part of it.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace warpmem::cudart {

// The PTX that has the kernels of the cubin, from the folder that WARPMEM_EMULATE_PTX_FOLDER names.
std::optional<std::string> ptx_beside(std::span<const unsigned char> cubin);

}  // namespace warpmem::cudart
