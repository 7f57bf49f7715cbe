// Forms as machine code: ptxas compiles them for a compute capability, many at a time, and the
// executor of machine code runs what it made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::emulate::hardware {

struct MachineForm {
  std::optional<std::vector<std::uint64_t>> results;
  std::string why;       // there are none
  bool no_such = false;  // … because ptxas does not know it for this compute capability
};

// By number.
Result<std::map<std::uint32_t, MachineForm>> run_machine_forms(const Toolkit& toolkit,
                                                               std::uint32_t cc,
                                                               std::vector<std::uint32_t> numbers);

}  // namespace warpmem::emulate::hardware
