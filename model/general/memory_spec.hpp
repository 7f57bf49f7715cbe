// A memory system as GeneralMemory takes it: which rule each component follows, and its numbers.
// Bytes, counts and cycles of the SM clock, as the names say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cache/replacement.hpp"
#include "model/cache/write_policy.hpp"
#include "model/dram/dram.hpp"
#include "model/general/set_index.hpp"
#include "model/interconnect/latencies.hpp"
#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model {

class Card;

struct MemorySpec {
  std::uint32_t line_bytes = 128;
  std::uint32_t banks = 32, bank_bytes = 4;  // of shared memory, and of the L1's data
  SharedRule shared = SharedRule::kMulticast;

  struct L1 {
    bool present = true;
    CachedSpaces cached = CachedSpaces::kBoth;
    Allocate allocate = Allocate::kLoadsAndStores;
    WritePolicy write = WritePolicy::kThrough;
    std::uint32_t fill_sectors = 1, sectors = 4;  // that a miss brings at least; of a line
    std::uint64_t bytes = 0, reserved = 0;        // with shared memory; of it, never data
    SetIndex index;
    std::uint32_t ways = 4;
    Replacement replacement = Replacement::kAfterHits;
    std::uint32_t tag_banks = 4;  // a set is of the bank that its lowest bits say
    std::uint32_t store_entries = 24, store_cycles = 8;
    std::uint32_t read_entries = 1, read_cycles = 0;
    std::uint32_t line_sectors() const { return (1u << sectors) - 1; }
    // Lines beside so much shared memory.
    std::uint64_t lines(std::uint64_t shared_config, std::uint32_t line_bytes) const {
      const std::uint64_t taken = shared_config + reserved;
      return taken >= bytes ? 4 : (bytes - taken) / line_bytes;
    }
  } l1;

  struct L2 {
    std::uint32_t partitions = 1;
    std::uint64_t home_mask = 0;  // parity of these address bits: the home partition
    SetIndex index;               // within a partition
    std::uint32_t ways = 16, dirty_ways = 16, partial_ways = 16;
    Replacement replacement = Replacement::kLru;
    std::uint32_t fetch_sectors = 1;   // DRAM read granularity
    std::uint64_t dirty_before = 0;    // sectors that a flush leaves behind
    std::vector<std::uint32_t> of_sm;  // partition by SM
    std::vector<std::uint32_t> group_of_sm;
    std::uint32_t merge = 1, way_cycles = 0;  // of the read coalescer of a group of SMs
  } l2;

  Latencies latency{};  // of a line: L2 hit, and more for DRAM
  std::uint32_t far_cycles = 0, host_cycles = 0;
  std::uint32_t dram_sectors_per_kilocycle = 1;
  Dram::Spec dram;  // for its map
};

MemorySpec memory_spec_of(const Card& card);

}  // namespace warpmem::model
