#include "binary/disassembly/cuda_tools.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <system_error>

#include "base/tool_run.hpp"

namespace warpmem::record {

const char* const kGetNvdisasm =
    "get nvdisasm, a package of its own beside the CUDA Toolkit (apt-get install "
    "cuda-nvdisasm-13-0, or "
    "python3 -m pip install nvidia-cuda-nvdisasm), or name it in WARPMEM_NVDISASM";
const char* const kGetPtxas =
    "get ptxas, a part of the CUDA Toolkit (or python3 -m pip install nvidia-cuda-nvcc), or name "
    "it in "
    "WARPMEM_PTXAS";

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Of a list such as PATH; empty ones are left out.
std::vector<std::string> folders_of(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool can_run(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> out;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = found.gl_pathc; i-- > 0;) out.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return out;
}

// Where Python keeps packages: `root`/lib/python3.11/site-packages, and Debian's names for it.
void add_packages_below(const fs::path& root, std::vector<std::string>& out) {
  for (const char* lib : {"lib", "lib64", "local/lib"})
    for (const char* folder : {"site-packages", "dist-packages"})
      for (const std::string& one : matches((root / lib / "python3*" / folder).string()))
        out.push_back(one);
}

std::vector<std::string> python_packages() {
  std::vector<std::string> out = loaded_packages();
  std::error_code none;
  // What ./demo installed lies beside the command, or beside the folder of the emulated runtime.
  Dl_info own{};
  if (dladdr(kGetNvdisasm, &own) != 0 && own.dli_fname != nullptr) {
    const fs::path folder = fs::canonical(own.dli_fname, none).parent_path();
    if (!none) out.push_back(folder / "python"), out.push_back(folder.parent_path() / "python");
  }
  if (const fs::path exe = fs::read_symlink("/proc/self/exe", none); !none)
    out.push_back(exe.parent_path() / "python");
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string root = variable(name); !root.empty()) add_packages_below(root, out);
  for (const std::string& folder : folders_of(variable("PYTHONPATH"))) out.push_back(folder);
  for (const fs::path folder : folders_of(variable("PATH"))) {
    if (!can_run(folder / "python3")) continue;
    add_packages_below(folder.parent_path(), out);
    if (folder.filename() == "shims")  // pyenv's
      for (const std::string& root : matches((folder.parent_path() / "versions/*").string()))
        add_packages_below(root, out);
  }
  if (const std::string home = variable("HOME"); !home.empty())
    add_packages_below(home + "/.local", out);
  add_packages_below("/usr", out);
  return out;
}

// The one that `warpmem emulate` puts in front of a program's ptxas; empty: there is none.
std::string stand_in_folder() {
  const std::string libraries = variable("WARPMEM_EMULATE_LIBRARIES");
  std::error_code none;
  return libraries.empty() ? "" : fs::weakly_canonical(fs::path(libraries) / "bin", none).string();
}

ToolVersion ask(const std::string& file) {
  static std::mutex lock;
  static std::map<std::string, ToolVersion> known;
  const std::lock_guard held(lock);
  const auto [at, first] = known.try_emplace(file);
  if (!first) return at->second;
  if (const auto ran = run_tool({file, "--version"}, ToolOutput::kStdout); ran)
    at->second = tool_version_in(ran->text);
  return at->second;
}

}  // namespace

std::string program_on_path(std::string_view name) {
  for (const fs::path folder : folders_of(variable("PATH"))) {
    const fs::path file = folder / name;
    if (!can_run(file)) continue;
    std::error_code none;
    const fs::path real = fs::canonical(file, none);
    return none ? file : real;
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
  for (const std::string& folder : matches("/usr/local/cuda-*")) result.push_back(folder);
  for (const char* folder : {"/opt/cuda", "/usr/lib/nvidia-cuda-toolkit", "/usr/lib/cuda"}) {
    result.emplace_back(folder);
  }
  return result;
}

ToolVersion tool_version_in(std::string_view text) {
  constexpr std::string_view kBefore = "Cuda compilation tools, release ";
  ToolVersion version;
  const std::size_t at = text.find(kBefore);
  if (at == text.npos) return version;
  const std::size_t v = text.find(", V", at);
  const char* here = text.data() + (v == text.npos ? at + kBefore.size() : v + 3);
  const char* const end = text.data() + text.size();
  for (int* part : {&version.major, &version.minor, &version.build}) {
    here = std::from_chars(here, end, *part).ptr;
    if (here == end || *here != '.') break;
    ++here;
  }
  return version;
}

std::string to_string(const ToolVersion& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.build);
}

std::vector<std::string> loaded_packages() {
  std::vector<std::string> out;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    for (const std::string_view name : {"/site-packages/", "/dist-packages/"}) {
      const std::size_t begin = line.find('/'), at = line.find(name);
      if (at == line.npos) continue;
      const std::string folder = line.substr(begin, at + name.size() - 1 - begin);
      if (std::ranges::find(out, folder) == out.end()) out.push_back(folder);
    }
  return out;
}

std::vector<std::string> cuda_tool_files(const std::string& name) {
  std::vector<std::string> out;
  const std::string ours = stand_in_folder(), stands_for = variable("WARPMEM_EMULATE_PTXAS");
  const auto add = [&](fs::path file) {
    std::error_code none;
    if (!can_run(file)) return;
    if (const fs::path real = fs::canonical(file, none); !none) file = real;
    if (!ours.empty() && file.parent_path() == ours) {
      file = stands_for;
      if (!can_run(file)) return;
    }
    if (std::ranges::find(out, file.string()) == out.end()) out.push_back(file);
  };
  for (const fs::path folder : folders_of(variable("PATH"))) add(folder / name);
  for (const fs::path toolkit : cuda_toolkits()) add(toolkit / "bin" / name);
  for (const fs::path packages : python_packages()) {
    for (const std::string& file : matches((packages / "nvidia/*/bin" / name).string())) add(file);
    add(packages / "triton/backends/nvidia/bin" / name);
    if (name == "ptxas") add(packages / "triton/backends/nvidia/bin/ptxas-blackwell");
  }
  return out;
}

std::vector<CudaTool> cuda_tools(const std::string& name) {
  const std::vector<std::string> files = cuda_tool_files(name);
  std::vector<CudaTool> out;
  for (const std::string& file : files)
    out.push_back({file, files.size() == 1 ? ToolVersion{} : ask(file)});
  std::ranges::stable_sort(out, std::ranges::greater{}, &CudaTool::version);
  return out;
}

std::string find_cuda_tool(const std::string& name, const char* variable) {
  if (const char* file = std::getenv(variable); file != nullptr) return file;
  const std::vector<CudaTool> tools = cuda_tools(name);
  return tools.empty() ? "" : tools.front().path;
}

std::string find_nvcc_file() {
  if (const char* file = std::getenv("NVCC"); file != nullptr && *file != 0) return file;
  const std::vector<std::string> files = cuda_tool_files("nvcc");
  return files.empty() ? "" : files.front();
}

}  // namespace warpmem::record
