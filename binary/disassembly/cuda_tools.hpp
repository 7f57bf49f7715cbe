// Where this machine has the CUDA toolkit and its tools. Everybody who runs one finds it here.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace warpmem::record {

// The file that the shell would run for `name`, links resolved; empty when there is none.
std::string program_on_path(std::string_view name);

// Folders in which a CUDA toolkit may lie, the likeliest first.
std::vector<std::string> cuda_toolkits();

// What a tool says of itself: "Cuda compilation tools, release 13.0, V13.0.88". Zeros: nothing.
struct ToolVersion {
  int major = 0, minor = 0, build = 0;
  auto operator<=>(const ToolVersion&) const = default;
};
// The first such version in the text, or in a cubin, which names the ptxas that made it.
ToolVersion tool_version_in(std::string_view text);
std::string to_string(const ToolVersion& version);  // "13.0.88"

struct CudaTool {
  std::string path;
  ToolVersion version;
};

// Folders of the Python packages that this process has loaded libraries from, as an emulated
// program has: what a library there writes (PTX 9.5) an older ptxas may not know.
std::vector<std::string> loaded_packages();

// All files of this name, the likeliest first: on the PATH, in a toolkit's folder, and in Python's
// packages, those of the running program and those of this machine (the wheels nvidia-cuda-nvcc and
// nvidia-cuda-nvdisasm, Triton's own). None is run. In an emulated program the ptxas that was put
// in front (emulate/handed_on) is none of them; the one that it stands for is.
std::vector<std::string> cuda_tool_files(const std::string& name);

// The same with their versions, newest first; among equals the likeliest. Each file is asked once.
std::vector<CudaTool> cuda_tools(const std::string& name);

// What the environment variable names, else the newest: a disassembler reads the code of all
// assemblers before it, and an assembler their PTX. Empty: there is none.
std::string find_cuda_tool(const std::string& name, const char* variable);

// nvcc is the user's choice, as it is of a kind with the host's compiler: NVCC, else the first
// file.
std::string find_nvcc_file();

// How to get nvdisasm and ptxas without a toolkit: one sentence for all who miss one.
extern const char* const kGetNvdisasm;
extern const char* const kGetPtxas;

}  // namespace warpmem::record
