// The Compute Sanitizer's functions, found at run time: the library is the user's, of the toolkit
// that fits the driver, and its absence must be a message and not a loader error.
#pragma once

#include <sanitizer.h>

#include <string>

#include "base/error.hpp"

namespace warpmem::record {

struct SanitizerApi {
  decltype(&::sanitizerSubscribe) subscribe;
  decltype(&::sanitizerEnableDomain) enable_domain;
  decltype(&::sanitizerEnableCallback) enable_callback;
  decltype(&::sanitizerAddPatches) add_patches;
  decltype(&::sanitizerPatchInstructions) patch_instructions;
  decltype(&::sanitizerPatchModule) patch_module;
  decltype(&::sanitizerSetLaunchCallbackData) set_launch_callback_data;
  decltype(&::sanitizerSetCallbackData) set_callback_data;
  decltype(&::sanitizerGetFunctionPcAndSize) get_function_pc_and_size;
  decltype(&::sanitizerAlloc) alloc;
  decltype(&::sanitizerAllocHost) alloc_host;
  decltype(&::sanitizerFree) free;
  decltype(&::sanitizerFreeHost) free_host;
  decltype(&::sanitizerMemcpyHostToDeviceAsync) memcpy_host_to_device_async;
  decltype(&::sanitizerMemcpyDeviceToHost) memcpy_device_to_host;
  decltype(&::sanitizerStreamSynchronize) stream_synchronize;
  decltype(&::sanitizerGetResultString) get_result_string;
};

// `path`: libsanitizer-public.so, or its bare name for the loader's search path.
Result<SanitizerApi> load_sanitizer(const std::string& path);

// "sanitizerAlloc failed: out of memory", as an error of kind kEnvironment.
Error sanitizer_error(const SanitizerApi& api, const char* what, SanitizerResult result);

}  // namespace warpmem::record
