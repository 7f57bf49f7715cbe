// Runs machine code given as nvdisasm prints it.
#pragma once

#include <memory>
#include <string>

#include "emulate/sass/machine_kernel.hpp"
#include "tests/emulate/gpu.hpp"

namespace warpmem::emulate::test {

struct MachineProgram {
  std::string kernel = "k";
  std::uint32_t params = 64;  // bytes, from c[0x0][0x210] on 9.0
  std::uint32_t static_shared = 0, local_bytes = 0;
  std::uint32_t cc = 90;  // compute capability x 10
};

class MachineCodeRun : public Gpu {
 public:
  // `text`: a listing with sections, or the lines of kernel "k" alone, without places.
  explicit MachineCodeRun(const std::string& text, const MachineProgram& program = {});

  Result<void> launch(Dim3 grid, Dim3 block, const std::string& trace_path = {});

 private:
  MachineProgram program_;
  CubinContents contents_;
  record::Disassembly listing_;
  std::unique_ptr<Kernel> kernel_;
};

// Lines with the places that nvdisasm puts before them.
std::string placed(const std::string& lines);

}  // namespace warpmem::emulate::test
