#include "traces/record/environment.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "binary/disassembly/cuda_tools.hpp"
#include "traces/record/environment_variable.hpp"

namespace warpmem::record {
namespace {

namespace fs = std::filesystem;

bool present(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

fs::path own_folder() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

std::string find_recorder() {
  if (const std::string file = environment_variable("WARPMEM_RECORDER"); !file.empty()) {
    return present(file) ? file : "";
  }
  const fs::path own = own_folder();
  for (const fs::path& folder : {own, own / "../lib", own / "../lib/warpmem"}) {
    if (present(folder / "libwarpmem_recorder.so"))
      return (folder / "libwarpmem_recorder.so").lexically_normal();
  }
  return "";
}

std::string find_sanitizer() {
  constexpr const char* kName = "libsanitizer-public.so";
  std::vector<fs::path> folders;
  if (const std::string folder = environment_variable("WARPMEM_SANITIZER_DIR"); !folder.empty()) {
    folders = {folder, fs::path(folder) / "lib", fs::path(folder) / "lib64"};
  } else {
    if (const fs::path tool = program_on_path("compute-sanitizer"); !tool.empty()) {
      folders = {tool.parent_path(), tool.parent_path() / "../compute-sanitizer"};
    }
    for (const std::string& toolkit : cuda_toolkits()) {
      folders.push_back(fs::path(toolkit) / "compute-sanitizer");
      folders.push_back(fs::path(toolkit) / "extras/compute-sanitizer");
    }
  }
  for (const fs::path& folder : folders) {
    if (present(folder / kName)) return (folder / kName).lexically_normal();
  }
  return "";
}

}  // namespace

Result<RecorderFiles> find_recorder_files() {
  RecorderFiles files{find_recorder(), find_sanitizer(),
                      find_cuda_tool("nvdisasm", "WARPMEM_NVDISASM")};
  if (files.recorder.empty()) {
    return Error{ErrorKind::kEnvironment,
                 "the recorder library libwarpmem_recorder.so was not built", "",
                 "build warpmem where the CUDA toolkit is installed (cmake -DWARPMEM_CUDA=ON, or "
                 "traces/record/build.sh), or name the library in WARPMEM_RECORDER"};
  }
  if (files.sanitizer.empty()) {
    return Error{ErrorKind::kEnvironment,
                 "no Compute Sanitizer library (libsanitizer-public.so) was found", "",
                 "install the CUDA toolkit's package cuda-sanitizer-XX-Y (or the Python package "
                 "nvidia-cuda-sanitizer-api), or name its folder in WARPMEM_SANITIZER_DIR"};
  }
  return files;
}

Result<void> check_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) {
    return Error{
        ErrorKind::kEnvironment, "no NVIDIA driver is installed here (libcuda.so.1 was not found)",
        "",
        "record on a machine with an NVIDIA GPU; `warpmem emulate` and `warpmem replay` need none"};
  }
  dlclose(driver);
  for (const char* device :
       {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvgpu", "/dev/nvhost-ctrl-gpu"}) {
    if (present(device)) return {};
  }
  return Error{
      ErrorKind::kEnvironment, "no NVIDIA GPU is visible here (there is no /dev/nvidiactl)", "",
      "in a container, pass the GPU in (docker run --gpus all); `nvidia-smi` should list it"};
}

}  // namespace warpmem::record
