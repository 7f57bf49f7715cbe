// How long an access keeps the two stages of the L1: its data banks, and its tag banks.
#pragma once

#include "tests/twin/access.hpp"

namespace warpmem::twin {

// Passes of lanes that are served together: the most distinct words in one bank.
std::uint32_t bank_passes(const std::vector<Lane>& lanes, std::uint32_t bytes,
                          const TwinSpec& spec);

// Cycles of the data stage for a global access, at least `least`.
std::uint32_t data_cycles(const trace::Record& r, const Access& access, std::uint32_t least,
                          const TwinSpec& spec);

// Cycles of the tag stage: lines in the fullest tag bank.
std::uint32_t tag_cycles(const std::vector<Touch>& lines, const TwinSpec& spec);

}  // namespace warpmem::twin
