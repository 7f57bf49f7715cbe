// The functions of a CUDA runtime that was linked into a program or a library.
#pragma once

#include <vector>

#include "binary/elf/elf_file.hpp"

namespace warpmem::audit {

// By the symbol table. Where that was stripped, by the names: each function of the runtime refers
// to its own, which it hands to profilers. Empty: there is no runtime in it.
std::vector<cudart::ElfFunction> runtime_within(const cudart::ElfFile& elf);

}  // namespace warpmem::audit
