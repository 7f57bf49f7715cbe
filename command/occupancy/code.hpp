// A kernel's registers and shared memory as its code says, for `warpmem occupancy`: of a program, a
// cubin, PTX or CUDA source. What the GPU would load of a program is CUDA's choice: machine code of
// the same major compute capability that is not newer, else PTX, which ptxas compiles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/residency.hpp"

namespace warpmem::command {

struct CodeKernel {
  std::string name, demangled;
  std::uint64_t registers = 0, static_shared = 0, local_bytes = 0;
  std::optional<std::uint64_t> spill_stores,
      spill_loads;  // bytes; only what ptxas has just made says
};

struct CodeForGpu {
  std::string said;  // "machine code of the file for 8.0", "PTX for 7.5, compiled for 8.6"
  std::vector<CodeKernel> kernels;
};

class OccupancyCode {
 public:
  static Result<OccupancyCode> open(const std::string& path);
  OccupancyCode(OccupancyCode&&) noexcept;
  OccupancyCode& operator=(OccupancyCode&&) noexcept;
  ~OccupancyCode();

  // For GPUs of this compute capability (90: 9.0). `max_registers`: nvcc's --maxrregcount; 0: as it
  // is.
  Result<CodeForGpu> for_gpu(unsigned capability, std::uint64_t max_registers) const;

 private:
  struct State;
  explicit OccupancyCode(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpmem::command
