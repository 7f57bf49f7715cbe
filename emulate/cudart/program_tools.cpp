#include "emulate/cudart/program_tools.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/tool_run.hpp"

namespace warpmem::cudart {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Where the program's libraries come from.
const std::set<std::string>& site_packages() {
  static const auto* const all = [] {
    auto* found = new std::set<std::string>;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      for (const char* name : {"/site-packages/", "/dist-packages/"}) {
        const std::size_t begin = line.find('/'), at = line.find(name);
        if (at != line.npos)
          found->insert(line.substr(begin, at + std::string_view(name).size() - 1 - begin));
      }
    return found;
  }();
  return *all;
}

// "release 13.5, V13.5.37": 13, 5, 37
std::tuple<int, int, int> version_of(const std::string& tool) {
  const auto said = run_tool({tool, "--version"}, ToolOutput::kStdout);
  const std::size_t at = said && said->good ? said->text.find(", V") : std::string::npos;
  if (at == std::string::npos) return {0, 0, 0};
  const char* next = said->text.c_str() + at + 3;
  int part[3] = {0, 0, 0};
  for (int& number : part) {
    char* end = nullptr;
    number = static_cast<int>(std::strtol(next, &end, 10));
    next = *end == '.' ? end + 1 : end;
  }
  return {part[0], part[1], part[2]};
}

// The newest of the machine's own and of those in the packages; of equals the machine's.
std::string newest(const std::string& own, std::initializer_list<const char*> packaged) {
  std::vector<std::string> candidates;
  if (!own.empty()) candidates.push_back(own);
  for (const std::string& folder : site_packages())
    for (const char* file : packaged)
      if (const std::string path = folder + "/" + file; access(path.c_str(), X_OK) == 0)
        candidates.push_back(path);
  if (candidates.size() < 2) return candidates.empty() ? "" : candidates[0];
  return *std::max_element(
      candidates.begin(), candidates.end(),
      [](const std::string& a, const std::string& b) { return version_of(a) < version_of(b); });
}

}  // namespace

emulate::Toolkit program_toolkit() {
  emulate::Toolkit tools = emulate::find_toolkit();
  if (std::getenv("WARPMEM_PTXAS") == nullptr) {
    // The first ptxas on the program's path is ours, which stands for this one.
    static const auto* const ptxas = new std::string(newest(
        std::getenv("WARPMEM_EMULATE_PTXAS") ? variable("WARPMEM_EMULATE_PTXAS") : tools.ptxas,
        {"nvidia/cu13/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas",
         "triton/backends/nvidia/bin/ptxas-blackwell", "triton/backends/nvidia/bin/ptxas"}));
    tools.ptxas = *ptxas;
  }
  if (std::getenv("WARPMEM_NVDISASM") == nullptr) {
    static const auto* const nvdisasm = new std::string(
        newest(tools.nvdisasm, {"nvidia/cu13/bin/nvdisasm", "nvidia/cuda_nvdisasm/bin/nvdisasm",
                                "triton/backends/nvidia/bin/nvdisasm"}));
    tools.nvdisasm = *nvdisasm;
  }
  return tools;
}

const std::string& linker_as_ptxas() {
  static const auto* const path = [] {
    auto* found = new std::string;
    for (const std::string& folder : site_packages())
      for (const char* file :
           {"nvidia/cu13/lib/libnvJitLink.so.13", "nvidia/nvjitlink/lib/libnvJitLink.so.12"})
        if (const std::string library = folder + "/" + file;
            found->empty() && access(library.c_str(), R_OK) == 0) {
          const std::string tool = variable("WARPMEM_EMULATE_LIBRARIES") + "/bin/nvjitlink-ptxas";
          if (access(tool.c_str(), X_OK) != 0) continue;
          setenv("WARPMEM_EMULATE_NVJITLINK", library.c_str(), 1);
          *found = tool;
        }
    return found;
  }();
  return *path;
}

}  // namespace warpmem::cudart
