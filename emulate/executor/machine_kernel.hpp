// What a kernel that runs from its machine code has beside its instructions: the constant banks
// that each launch fills.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulate/executor/constant_banks.hpp"
#include "emulate/executor/executor.hpp"
#include "emulate/executor/kernel.hpp"

namespace warpmem::emulate {

// In the window of code lie, for machine code: the module's functions, as LoadedModule numbers them
// (what pointers to functions hold, in any kernel); the code of the kernel that runs, with the
// functions that it may call; and a place for each of the driver's (builtins.hpp).
constexpr std::uint64_t kMachinePlaces = kCodeWindow + (std::uint64_t{1} << 30);
constexpr std::uint64_t kDriverFunctions = kCodeWindow + (std::uint64_t{1} << 31);
constexpr std::uint64_t kMostDriverFunctions = 4096;

struct MachineKernel {
  trace::Program program;  // level sass
  ConstantBanks banks;
  std::vector<BankRow> rows;
  std::uint32_t cc = 0;                           // compute capability x 10
  std::uint32_t params_at = 0, params_bytes = 0;  // in bank 0
  std::uint32_t stack_bytes = 0;                  // a thread: the kernel's own frame
  // Functions have frames of their own below it: what a thread needs as far as it is known.
  bool grows = false;
  std::map<const Function*, std::uint32_t> starts;  // of functions, in the code
  std::vector<std::string> unknown;                 // instructions without a row
};

// Before a launch: what its instructions find in the constant banks.
Result<void> prepare_machine_launch(const Kernel& kernel, const Memory& memory,
                                    const LaunchShape& shape);

}  // namespace warpmem::emulate
