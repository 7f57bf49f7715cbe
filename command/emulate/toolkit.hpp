// What an emulated program finds of NVIDIA's compilers.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::command {

// The variables ("NAME=value") with which the program runs our ptxas in place of NVIDIA's: a CUDA
// toolkit in `folder` that is the machine's own in all else, first in PATH and in CUDA_HOME, and
// Triton's variables. `libraries`: where ours are.
Result<std::vector<std::string>> handed_on_toolkit(const std::string& folder,
                                                   const std::string& libraries);

}  // namespace warpmem::command
