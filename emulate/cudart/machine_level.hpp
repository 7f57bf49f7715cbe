// Programs that run from their machine code: the cubin that a GPU would load, its variables and
// kernels.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "emulate/cudart/registry.hpp"
#include "emulate/sass/machine_kernel.hpp"

namespace warpmem::cudart {

// The machine code that a GPU of compute capability `cc` loads of the module; where there is none,
// what ptxas makes of its PTX, as the driver would. kEnvironment: a tool is missing, or refuses the
// PTX.
Result<std::vector<unsigned char>> machine_code_of(const Module& module, std::uint32_t cc);

// What a module has that runs from its machine code.
struct MachineModule {
  std::vector<unsigned char> image;
  emulate::CubinContents contents;
  std::string nvdisasm;
  // Of a small module all kernels are disassembled at once: nvdisasm takes a third of a second to
  // begin, and little more for the rest.
  std::optional<record::Disassembly> listing;
};
// kEnvironment: there is no nvdisasm, or as above.
Result<std::unique_ptr<emulate::LoadedModule>> load_machine_code(Module& module,
                                                                 emulate::Memory& memory,
                                                                 std::uint32_t cc);
Result<std::unique_ptr<emulate::Kernel>> machine_kernel(Function& function);

}  // namespace warpmem::cudart
