// A memory system as GeneralMemory takes it: which rule each component follows, and its numbers.
// Bytes, counts and cycles of the SM clock, as the names say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cache/replacement/replacement.hpp"
#include "model/cache/set_index.hpp"
#include "model/cache/spec.hpp"
#include "model/dram/spec.hpp"
#include "model/interconnect/latencies.hpp"
#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model {

struct MemorySpec {
  std::uint32_t line_bytes = 128;
  std::uint32_t banks = 32, bank_bytes = 4;  // of shared memory, and of the L1's data
  SharedRule shared = SharedRule::kMulticast;
  L1Spec l1;

  struct L2 {
    std::uint32_t partitions = 1;
    std::uint64_t home_mask = 0;  // parity of these address bits: the home partition
    SetIndex index;               // within a partition
    std::uint32_t ways = 16, dirty_ways = 16, partial_ways = 16;
    Replacement replacement = Replacement::kLru;
    std::uint32_t fetch_sectors = 1;   // DRAM read granularity
    std::vector<std::uint32_t> of_sm;  // partition by SM
    std::vector<std::uint32_t> group_of_sm;
    std::uint32_t merge = 1, way_cycles = 0;  // of the read coalescer of a group of SMs
  } l2;

  Latencies latency{};  // of a line: L2 hit, and more for DRAM
  std::uint32_t far_cycles = 0, host_cycles = 0;
  std::uint32_t dram_sectors_per_kilocycle = 1;
  DramSpec dram;  // for its map
};

}  // namespace warpmem::model
