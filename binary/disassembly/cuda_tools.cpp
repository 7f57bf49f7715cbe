#include "binary/disassembly/cuda_tools.hpp"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace warpmem::record {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool present(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

}  // namespace

std::string program_on_path(std::string_view name) {
  const std::string path = variable("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const fs::path file = fs::path(path.substr(at, end - at)) / name;
    if (end > at && access(file.c_str(), X_OK) == 0) {
      std::error_code none;
      const fs::path real = fs::canonical(file, none);
      return none ? file : real;
    }
    at = end + 1;
  }
  return {};
}

std::vector<std::string> cuda_toolkits() {
  std::vector<std::string> result;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string folder = variable(name); !folder.empty()) result.emplace_back(folder);
  }
  if (const fs::path nvcc = program_on_path("nvcc"); !nvcc.empty())
    result.push_back(nvcc.parent_path().parent_path());
  result.emplace_back("/usr/local/cuda");
  glob_t found{};
  if (glob("/usr/local/cuda-*", 0, nullptr, &found) == 0) {
    for (std::size_t i = found.gl_pathc; i-- > 0;) result.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  for (const char* folder : {"/opt/cuda", "/usr/lib/nvidia-cuda-toolkit", "/usr/lib/cuda"}) {
    result.emplace_back(folder);
  }
  return result;
}

std::string find_cuda_tool(const std::string& name, const char* variable) {
  if (const char* file = std::getenv(variable); file != nullptr) return file;
  if (const std::string file = program_on_path(name); !file.empty()) return file;
  for (const fs::path toolkit : cuda_toolkits()) {
    if (present(toolkit / "bin" / name)) return toolkit / "bin" / name;
  }
  return "";
}

}  // namespace warpmem::record
