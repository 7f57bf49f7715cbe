// A kernel that runs from its machine code: disassembled when it is first wanted, decoded into the
// executor's Code, with the constant banks that each launch fills.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "binary/disassembly/disassembly.hpp"
#include "emulate/executor/machine_kernel.hpp"
#include "emulate/sass/cubin_module.hpp"
#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {

// The kernel of this cubin, whose module is loaded; its code as nvdisasm prints it.
Result<std::unique_ptr<Kernel>> build_machine_kernel(const LoadedModule& module,
                                                     const CubinContents& contents,
                                                     std::span<const unsigned char> image,
                                                     const std::string& name,
                                                     const std::string& nvdisasm);

// … as the listing has it.
Result<std::unique_ptr<Kernel>> build_machine_kernel(const LoadedModule& module,
                                                     const CubinContents& contents,
                                                     std::span<const unsigned char> image,
                                                     const std::string& name,
                                                     const record::Disassembly& listing);

}  // namespace warpmem::emulate
