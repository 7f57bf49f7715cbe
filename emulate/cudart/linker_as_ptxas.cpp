#include "emulate/cudart/linker_as_ptxas.hpp"

#include <unistd.h>

#include <cstdlib>

#include "binary/disassembly/cuda_tools.hpp"

namespace warpmem::cudart {
namespace {

std::string find_linker() {
  const char* const libraries = std::getenv("WARPMEM_EMULATE_LIBRARIES");
  const std::string tool =
      std::string(libraries == nullptr ? "" : libraries) + "/bin/nvjitlink-ptxas";
  if (access(tool.c_str(), X_OK) != 0) return "";
  for (const std::string& folder : record::loaded_packages())
    for (const char* file :
         {"nvidia/cu13/lib/libnvJitLink.so.13", "nvidia/nvjitlink/lib/libnvJitLink.so.12"})
      if (const std::string library = folder + "/" + file; access(library.c_str(), R_OK) == 0) {
        setenv("WARPMEM_EMULATE_NVJITLINK", library.c_str(), 1);
        return tool;
      }
  return "";
}

}  // namespace

const std::string& linker_as_ptxas() {
  static const auto* const path = new std::string(find_linker());
  return *path;
}

}  // namespace warpmem::cudart
