#include "traces/record/sanitizer_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace warpmem::record {

Result<SanitizerApi> load_sanitizer(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{ErrorKind::kEnvironment,
                 fmt::format("the Compute Sanitizer library cannot be loaded: {}", dlerror()), "",
                 "install the CUDA toolkit's compute-sanitizer, or name its folder in "
                 "WARPMEM_SANITIZER_DIR"};
  }
  SanitizerApi api{};
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol == nullptr && missing == nullptr) missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(api.subscribe, "sanitizerSubscribe");
  find(api.enable_domain, "sanitizerEnableDomain");
  find(api.enable_callback, "sanitizerEnableCallback");
  find(api.add_patches, "sanitizerAddPatches");
  find(api.patch_instructions, "sanitizerPatchInstructions");
  find(api.patch_module, "sanitizerPatchModule");
  find(api.set_launch_callback_data, "sanitizerSetLaunchCallbackData");
  find(api.set_callback_data, "sanitizerSetCallbackData");
  find(api.get_function_pc_and_size, "sanitizerGetFunctionPcAndSize");
  find(api.alloc, "sanitizerAlloc");
  find(api.alloc_host, "sanitizerAllocHost");
  find(api.free, "sanitizerFree");
  find(api.free_host, "sanitizerFreeHost");
  find(api.memcpy_host_to_device_async, "sanitizerMemcpyHostToDeviceAsync");
  find(api.memcpy_device_to_host, "sanitizerMemcpyDeviceToHost");
  find(api.stream_synchronize, "sanitizerStreamSynchronize");
  find(api.get_result_string, "sanitizerGetResultString");
  if (missing != nullptr) {
    return Error{ErrorKind::kEnvironment, fmt::format("{} has no {}", path, missing), "",
                 "use the compute-sanitizer of CUDA 12 or later"};
  }
  return api;
}

Error sanitizer_error(const SanitizerApi& api, const char* what, SanitizerResult result) {
  const char* text = nullptr;
  api.get_result_string(result, &text);
  return {ErrorKind::kEnvironment,
          fmt::format("{} failed: {}", what, text != nullptr ? text : "unknown error"), "", ""};
}

}  // namespace warpmem::record
