// A memory system as EarlyMemory takes it: which rule each part follows, and its numbers. Bytes,
// counts and cycles of the SM clock, as the names say.
#pragma once

#include <cstdint>

#include "model/access/rule/access_rule.hpp"
#include "model/cache/replacement/replacement.hpp"
#include "model/cache/write_policy.hpp"
#include "model/constant/constant_rule.hpp"
#include "model/dram/spec.hpp"
#include "model/early/line_cache.hpp"
#include "model/general/memory_spec.hpp"
#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model {

struct EarlySpec {
  std::uint32_t sms = 0, warps = 0;  // of the GPU; resident warps an SM
  AccessRule access = AccessRule::kHalfWarpStrict;
  std::uint32_t line_bytes = 128;
  SharedRule shared = SharedRule::kOneBroadcast;
  Banks banks;
  ConstantRule constant = ConstantRule::kWarp;

  CachedSpaces cached = CachedSpaces::kNone;
  std::uint64_t l1_bytes = 0, l1_reserved = 0;  // with shared memory; of it, never data
  std::uint32_t l1_sets = 0, l1_ways = 1;       // 0: they follow from the ways
  LineCache::Shape l1;                          // but sets and ways
  Allocate allocate = Allocate::kLoads;
  WritePolicy write = WritePolicy::kEvict;
  LocalWrite local_write = LocalWrite::kThrough;
  bool has_texture_cache = false;
  bool reads_past_l1 = false;  // read-only loads go to the texture cache: 3.5 and later
  LineCache::Shape texture;
  std::uint32_t texture_sms = 1;    // that share one
  LineCache::Shape texture_second;  // in the partitions of memory; of no sets: there is none

  bool has_l2 = false;
  std::uint32_t l2_partitions = 1;
  MemorySpec::L2 l2;  // of one partition

  DramSpec dram;
  Latencies latency{};
  std::uint32_t latency_l1 = 0, latency_shared = 0, latency_conflict = 0, latency_texture = 0;
  std::uint32_t latency_texture_miss = 0;
  std::uint32_t latency_host = 0;
  std::uint32_t dram_sectors_per_kilocycle = 1;
  // What a launch itself reads, sectors.
  std::uint64_t launch_l2_read = 0, launch_dram_read = 0;
  unsigned capability = 10;

  // The L1 beside so much shared memory; of no sets where that leaves nothing.
  LineCache::Shape l1_beside(std::uint64_t shared_config) const;
};

// Sets and ways of so many lines: a power of two of sets, the most with at least so many ways,
// which share what is left over. (16 KiB of lines of 128 bytes with 4 ways: 32 x 4, 48 KiB: 64 x 6,
// which is what was found on compute capability 2.x.) `sets`: as given, unless 0.
void shape_sets(std::uint64_t lines, std::uint32_t sets, std::uint32_t ways,
                LineCache::Shape& shape);

}  // namespace warpmem::model
