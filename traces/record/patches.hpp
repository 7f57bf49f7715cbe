// The recorder's device code (patches.cu), and which instructions it is put in front of.
#pragma once

#include "traces/record/sanitizer_api.hpp"

namespace warpmem::record {

// The compiled code, as sanitizerAddPatches takes it.
const void* patches_image();
// Patches all instructions of a module that this version of the API knows.
SanitizerResult patch_module(const SanitizerApi& api, CUmodule module);

}  // namespace warpmem::record
