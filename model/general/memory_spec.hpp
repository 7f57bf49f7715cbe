// A memory system as a card chooses it: which rule each component follows, and its numbers.
// Bytes, counts and cycles of the SM clock, as the names say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/access/rule/access_rule.hpp"
#include "model/cache/replacement/replacement.hpp"
#include "model/cache/set_index.hpp"
#include "model/cache/spec.hpp"
#include "model/constant/constant_rule.hpp"
#include "model/dram/spec.hpp"
#include "model/interconnect/latencies.hpp"
#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model {

struct MemorySpec {
  AccessRule access = AccessRule::kSectors;
  std::uint32_t line_bytes = 128;
  std::uint32_t banks = 32, bank_bytes = 4;  // of shared memory, and of the L1's data
  SharedRule shared = SharedRule::kMulticast;
  ConstantRule constants = ConstantRule::kWarp;
  L1Spec l1;
  // Of textures and read-only loads, where they do not lie in the L1: so many SMs share one. The
  // second one lies in the partitions of memory.
  std::optional<L1Spec> texture, texture_second;
  std::uint32_t texture_sms = 1;
  bool reads_apart = false;     // read-only loads go to the cache of textures: 3.5 and later
  bool counts_by_line = false;  // a profiler counts loads past the L1 in lines: 3.x

  struct L2 {
    bool present = true;
    std::uint32_t partitions = 1;
    // Before 7.0 a partition has its share of DRAM's channels, and what lies there is nowhere else.
    bool by_channel = false;
    std::uint64_t home_mask = 0;  // else parity of these address bits: the home partition
    SetIndex index;               // within a partition
    std::uint32_t ways = 16, dirty_ways = 16, partial_ways = 16;
    Replacement replacement = Replacement::kLru;
    std::uint32_t fetch_sectors = 1;   // DRAM read granularity
    std::vector<std::uint32_t> of_sm;  // partition by SM
    std::vector<std::uint32_t> group_of_sm;
    std::uint32_t merge = 1, path_cycles = 0;  // of the read coalescer of a group of SMs
  } l2;

  Latencies latency{};  // of a line: L2 hit, and more for DRAM
  std::uint32_t far_cycles = 0, host_cycles = 0;
  std::uint32_t dram_sectors_per_kilocycle = 1;
  DramSpec dram;  // for its map

  // As GPUs before compute capability 7.0 do.
  bool moves_transactions() const { return access != AccessRule::kSectors; }
};

}  // namespace warpmem::model
