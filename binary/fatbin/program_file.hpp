// A program on disk, before it runs: whether it can be emulated, and if not, how to build it so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::cudart {

struct ProgramFile {
  bool elf = false;              // else a script: what it starts is not known
  bool has_device_code = false;  // a fat binary with functions is embedded
  bool has_ptx = false;
  bool fixed_path = false;  // DT_RPATH: the loader looks there before LD_LIBRARY_PATH
  std::string cudart;       // "libcudart.so.13"; empty: not known, or no CUDA
  bool linked_in = false;   // that runtime is part of the program, which has symbols to find it by
  bool compiles = false;    // it needs NVRTC
  std::vector<std::string> machine_code;  // "sm_90", …
  std::vector<std::string> libraries;     // it needs that bring kernels as machine code only
};

Result<ProgramFile> read_program_file(const std::string& path);

// kUsage, with the flag to rebuild with, for a program whose device code cannot be emulated.
Result<void> check_program_file(const ProgramFile& program, const std::string& path,
                                const std::string& cc);

// What to tell of the libraries it needs; nothing when all can be emulated.
std::optional<Error> about_libraries(const ProgramFile& program, const std::string& path);

// Full path of a command as a shell would find it; empty: there is none.
std::string find_command(const std::string& name);

}  // namespace warpmem::cudart
