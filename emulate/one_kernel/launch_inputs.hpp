// What a PTX file is launched with: its text, buffers and parameters, checks of what it asks for,
// and the files that buffers go to afterwards.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "emulate/one_kernel/emulate.hpp"

namespace warpmem::emulate {

Result<std::string> read_text(const std::string& path);

using Buffers = std::map<std::string, std::uint64_t>;  // addresses, by name
// Places buffers and packs the parameters as the entry declares them.
Result<std::vector<std::byte>> pack_arguments(const LaunchFile& launch, const Kernel& kernel,
                                              Memory& memory, Buffers& buffers);

Result<void> check_required(const Kernel& kernel, const LaunchFile& launch);
// As the driver: all CTAs of a cooperative launch are on the GPU at once.
Result<void> check_cooperative(const LaunchFile& launch, std::uint64_t sm_ctas,
                               const DeviceLimits& limits);

// A buffer's bytes go to a file when the kernel has ended.
struct WriteBack {
  const Argument* argument;
  OutputFile file;
};
// Opened before the kernel runs, so that a wrong name is told at once.
Result<std::vector<WriteBack>> open_write_backs(const EmulateRequest& request,
                                                const LaunchFile& launch);
Result<void> write_back(std::vector<WriteBack>& files, const Memory& memory,
                        const Buffers& buffers);

}  // namespace warpmem::emulate
