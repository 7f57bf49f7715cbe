// The rounds in which a global atomic leaves an L1, for any line length and any index: the rules
// of atomics/atomics.hpp, which does the same for 128-byte lines in four banks, faster.
#pragma once

#include <vector>

#include "model/access/access.hpp"
#include "model/general/memory_spec.hpp"

namespace warpmem::model {

struct AtomicRounds {
  struct Sector {
    std::uint64_t line = 0;
    std::uint32_t sector = 0;
    std::uint32_t passes = 0;  // rounds in which it is sent
    std::uint32_t whole = 0;   // … of these, with all of its bytes
    std::uint32_t alone = 0;   // … with one lane's word alone in its request
  };
  std::vector<Sector> sectors;  // in the order in which they are sent first
  std::uint64_t passes = 0;     // of all sectors
  std::uint64_t requests = 0;
  std::uint64_t lines = 0;  // distinct ones
};

AtomicRounds atomic_rounds(const WarpAccess& access, bool compare_and_swap, const MemorySpec& spec);

}  // namespace warpmem::model
