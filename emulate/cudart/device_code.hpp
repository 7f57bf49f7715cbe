// What a module's fat binaries hold for a GPU: the PTX that runs on it, and the machine code that
// it loads.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "emulate/cudart/ptx_link.hpp"
#include "emulate/cudart/registry.hpp"

namespace warpmem::cudart {

struct Shipped {
  std::uint32_t architecture = 0;  // 80: sm_80
  std::uint32_t made_of = 0;       // 80: PTX for compute_80; 0: it does not say
  bool exact = false;              // sm_90a
  std::vector<unsigned char> code;
};

// Of all objects of a module, or of one.
struct DeviceCode {
  std::vector<PtxUnit> units;
  std::vector<std::string> unit_options;  // ptxas's, of each unit
  std::vector<std::uint32_t> unit_architectures;
  bool exact = false;                  // that PTX runs on this compute capability alone
  std::string options;                 // ptxas's, of the PTX that was chosen last
  std::vector<Shipped> shipped;        // machine code that this compute capability loads
  std::set<std::string> machine_code;  // "sm_90": what is there instead
  std::uint32_t newer = 0;             // 100: there is PTX for that and newer GPUs only
};

// The number in a target: "sm_90a" -> 90.
std::uint32_t target_number(const std::string& target);
// "sm_80, sm_90"
std::string architectures(const std::set<std::string>& all);

// Whether the module's wrapper is one that nvcc makes.
Result<void> check_wrapper(const Module& module);
// Of the container that begins at `data`.
Result<void> gather(const unsigned char* data, const std::string& name, std::uint32_t cc,
                    DeviceCode& into);
// The device objects of a fat binary, or those that it was linked from.
Result<DeviceCode> objects_of(const Module& module, std::uint32_t cc);
// Says that PTX for `newer` runs as what it would be on the card.
void note_newer(const Module& module, std::uint32_t newer, std::uint32_t cc);
// The machine code that is what the PTX becomes on this GPU. A program may carry both from two
// compilations (CuPy's: code for 9.0, PTX for 12.0): __CUDA_ARCH__ differed then, and so may the
// registers and the shared memory that the code needs.
const Shipped* code_of(const DeviceCode& code, const DeviceCode& ptx);

}  // namespace warpmem::cudart
