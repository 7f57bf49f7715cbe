// Loads that ptxas moved behind a branch, to the side that needs their value: only the lanes that go there make
// them, where the PTX has all lanes load. Which lanes go there, the emulator says at the branch (sass_trace.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "emulate/mapping/code_pair.hpp"

namespace warpmem::emulate {

struct SunkLoad {
  std::uint32_t branch = 0;  // statement, behind that of the load
  bool taken = false;        // who takes the branch loads; else who does not
};

// Of the load `statement`, whose only machine instruction is `instruction`, as deep in loops. None: it did not
// move behind a branch.
std::optional<SunkLoad> sunk_load(const CodePair& pair, std::uint32_t statement, std::uint32_t instruction);

}  // namespace warpmem::emulate
