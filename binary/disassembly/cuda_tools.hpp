// Where this machine has the CUDA toolkit and its tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpmem::record {

// The file that the shell would run for `name`, links resolved; empty when there is none.
std::string program_on_path(std::string_view name);

// Folders in which a CUDA toolkit may lie, the likeliest first.
std::vector<std::string> cuda_toolkits();

// A tool of the CUDA toolkit: what the environment variable names, else the first on the PATH or in
// a toolkit's folder. Empty: there is none.
std::string find_cuda_tool(const std::string& name, const char* variable);

}  // namespace warpmem::record
