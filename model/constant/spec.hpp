// The numbers of the caches of constants. Bytes, counts, and cycles of the SM clock.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::model {

struct ConstantSpec {
  std::uint32_t bytes = 0;  // an SM's
  std::uint32_t line = 0;
  std::uint32_t ways = 0;
  std::uint32_t group_bytes = 0;  // a GPC's
  std::uint32_t group_line = 0;
  std::uint32_t group_cycles = 0;       // more than a hit, when the GPC's has it
  std::uint32_t memory_cycles = 0;      // … when it has not
  std::uint32_t next_cycles = 0;        // a warp's further address comes later by
  std::uint32_t address_cycles = 0;     // an address keeps the SM's lookup
  std::uint32_t misses = 0;             // that an SM has outstanding at most
  std::vector<std::uint64_t> sm_group;  // by SM: GPC
};

}  // namespace warpmem::model
