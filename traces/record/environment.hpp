// What recording needs on this machine, and where it is.
#pragma once

#include <string>

#include "base/error.hpp"

namespace warpmem::record {

struct RecorderFiles {
  std::string recorder;   // libwarpmem_recorder.so
  std::string sanitizer;  // libsanitizer-public.so
  std::string nvdisasm;   // empty: kernels are recorded without their code
};

// Every place that is looked into can be overridden: WARPMEM_RECORDER (file), WARPMEM_SANITIZER_DIR
// (folder), WARPMEM_NVDISASM (file). Fails with kEnvironment and the package to install.
Result<RecorderFiles> find_recorder_files();

// Fails with kEnvironment when there is no NVIDIA driver or no GPU. Starts nothing.
Result<void> check_driver();

}  // namespace warpmem::record
