// The rounds in which a global atomic leaves the L1, by the rules of model/atomics/atomics.hpp.
#pragma once

#include "tests/twin/access.hpp"

namespace warpmem::twin {

struct AtomicRounds {
  struct Sector {
    std::uint64_t line = 0;
    std::uint32_t sector = 0;
    std::uint64_t passes = 0;  // rounds in which it is sent
  };
  std::vector<Sector> sectors;  // in the order in which they are sent first
  std::uint64_t passes = 0;     // of all sectors
  std::uint64_t requests = 0;
  std::uint64_t lines = 0;  // distinct ones
};

AtomicRounds atomic_rounds(const Access& access, bool compare_and_swap, const TwinSpec& spec);

}  // namespace warpmem::twin
