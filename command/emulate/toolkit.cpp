#include "command/emulate/toolkit.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "binary/disassembly/cuda_tools.hpp"

namespace warpmem::command {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The toolkit whose nvcc the program would run; empty: there is none.
fs::path own_toolkit() {
  std::error_code none;
  for (const fs::path folder : record::cuda_toolkits())
    if (fs::exists(folder / "bin/nvcc", none)) return folder;
  return {};
}

// Links to all that is in `from`, but for `without`.
void link_all(const fs::path& from, const fs::path& to, const std::string& without,
              std::error_code& error) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error))
    if (!error && entry.path().filename() != without)
      fs::create_symlink(fs::absolute(entry.path()), to / entry.path().filename(), error);
}

}  // namespace

Result<std::vector<std::string>> handed_on_toolkit(const std::string& folder,
                                                   const std::string& libraries) {
  const fs::path ptxas = fs::path(libraries) / "bin/ptxas", toolkit = fs::path(folder) / "cuda",
                 real = own_toolkit();
  std::error_code error;
  fs::create_directories(toolkit / "bin", error);
  if (!error && !real.empty()) link_all(real, toolkit, "bin", error);
  if (!error && !real.empty()) link_all(real / "bin", toolkit / "bin", "ptxas", error);
  for (const char* name : {"ptxas", "ptxas-blackwell"})
    if (!error) fs::create_symlink(ptxas, toolkit / "bin" / name, error);
  if (error)
    return Error{ErrorKind::kResources, "no folder of tools can be made: " + error.message(),
                 toolkit.string(), "set TMPDIR to a folder that can be written"};

  const std::string bin = (toolkit / "bin").string();
  std::vector<std::string> out{"PATH=" + bin + ":" + variable("PATH"),
                               "TRITON_PTXAS_PATH=" + bin + "/ptxas",
                               "TRITON_PTXAS_BLACKWELL_PATH=" + bin + "/ptxas-blackwell"};
  if (!real.empty())
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
      out.push_back(std::string(name) + "=" + toolkit.string());
  // Lines of the source: no instruction changes by them.
  if (!real.empty())
    out.push_back("NVCC_APPEND_FLAGS=" + variable("NVCC_APPEND_FLAGS") + " -lineinfo");
  if (!variable("NVCC").empty() && !real.empty()) out.push_back("NVCC=" + bin + "/nvcc");
  // What libraries compiled in runs on a GPU has no PTX in it: they get other folders to keep what
  // they compile in.
  if (const std::string home = variable("HOME"), set = variable("XDG_CACHE_HOME");
      !home.empty() || !set.empty()) {
    const std::string cache = (set.empty() ? home + "/.cache" : set) + "/warpmem/";
    for (const auto& [name, of] :
         {std::pair("CUPY_CACHE_DIR", "cupy"), std::pair("PYCUDA_CACHE_DIR", "pycuda"),
          std::pair("WARP_CACHE_PATH", "warp")}) {
      if (!variable(name).empty()) continue;
      fs::create_directories(cache + of, error);  // what cannot be made, the library says
      out.push_back(std::string(name) + "=" + cache + of);
    }
  }
  if (variable("CUTE_DSL_LINEINFO").empty())
    out.push_back("CUTE_DSL_LINEINFO=1");  // lines of the Python file
  // CUTLASS's DSL has a ptxas in it, and writes PTX where it is asked to.
  if (variable("CUTE_DSL_DUMP_DIR").empty()) {
    fs::create_directories(fs::path(folder) / "ptx", error);
    out.push_back("CUTE_DSL_DUMP_DIR=" + folder + "/ptx");
    out.push_back("CUTE_DSL_KEEP_PTX=1");
    out.push_back("WARPMEM_EMULATE_PTX_FOLDER=" + folder + "/ptx");
  } else {
    out.push_back("WARPMEM_EMULATE_PTX_FOLDER=" + variable("CUTE_DSL_DUMP_DIR"));
  }
  // For our ptxas: which one it stands for.
  std::string stands_for = real.empty() ? "" : (real / "bin/ptxas").string();
  if (stands_for.empty() || !fs::exists(stands_for, error))
    stands_for = record::find_cuda_tool("ptxas", "WARPMEM_PTXAS");
  out.push_back("WARPMEM_EMULATE_PTXAS=" + stands_for);
  out.push_back("WARPMEM_EMULATE_TRITON_PTXAS=" + variable("TRITON_PTXAS_PATH"));
  out.push_back("WARPMEM_EMULATE_TRITON_PTXAS_BLACKWELL=" +
                variable("TRITON_PTXAS_BLACKWELL_PATH"));
  return out;
}

}  // namespace warpmem::command
