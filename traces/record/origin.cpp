#include "traces/record/origin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <type_traits>

namespace warpmem::record {
namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string driver_version() {  // "NVRM version: NVIDIA UNIX … Kernel Module  580.159.04  …"
  std::string version;
  if (std::FILE* file = std::fopen("/proc/driver/nvidia/version", "re")) {
    char line[512];
    if (std::fgets(line, sizeof line, file) != nullptr) {
      for (char* word = std::strtok(line, " "); word != nullptr; word = std::strtok(nullptr, " ")) {
        if (word[0] >= '0' && word[0] <= '9' && std::strchr(word, '.') != nullptr) {
          version = word;
          break;
        }
      }
    }
    std::fclose(file);
  }
  return version;
}

}  // namespace

trace::Origin origin_of(CUdevice device, const RecordOptions& options) {
  trace::Origin origin;
  origin.tool = "warpmem " WARPMEM_VERSION " record";
  origin.command = options.command.empty() ? "" : options.command[0];
  origin.driver = driver_version();
  origin.date = now_utc();
  origin.missing = {"constant loads", "texture and surface accesses", "tensor-map bulk copies",
                    "multicast targets of bulk copies"};
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);  // the program's own
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(driver, name));
    return function != nullptr;
  };
  CUresult (*get_name)(char*, int, CUdevice);
  CUresult (*get_attribute)(int*, CUdevice_attribute, CUdevice);
  CUresult (*get_version)(int*);
  if (driver == nullptr || !find(get_name, "cuDeviceGetName") ||
      !find(get_attribute, "cuDeviceGetAttribute") || !find(get_version, "cuDriverGetVersion")) {
    return origin;
  }
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    return get_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
  };
  char name[128] = "";
  if (get_name(name, sizeof name, device) == CUDA_SUCCESS) origin.gpu = name;
  origin.sms = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  origin.arch = fmt::format("sm_{}{}", attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                            attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  int version = 0;
  if (get_version(&version) == CUDA_SUCCESS) {
    origin.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
  return origin;
}

}  // namespace warpmem::record
