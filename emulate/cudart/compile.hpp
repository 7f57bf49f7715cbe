// CUDA sources, compiled with the installed nvcc so that they can be emulated.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem::cudart {

// nvcc: $NVCC, the PATH, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda. kEnvironment when there is none.
Result<std::string> find_nvcc();

// The words nvcc gets: the user's sources and options in their order, the runtime as a shared
// library, PTX for compute capability `cc` ("90") where the user names no architecture (and machine
// code, if that is to run), source lines.
std::vector<std::string> nvcc_words(const std::string& nvcc, const std::vector<std::string>& user,
                                    const std::string& cc, const std::string& output,
                                    const std::string& libraries = {}, bool machine_code = false);

// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }  // empty: it could not be made

 private:
  std::string path_;
};

// Runs nvcc; its messages go to stderr. kUsage when it fails.
Result<void> compile(const std::vector<std::string>& words);

}  // namespace warpmem::cudart
