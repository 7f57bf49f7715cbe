// A memory system in numbers: its parts, and what an SM and a launch cost beside them. Cycles of
// the SM clock, bytes and sectors, as the names say.
#pragma once

#include <cstdint>

#include "model/general/memory_spec.hpp"
#include "model/interconnect/spec.hpp"
#include "model/l2/spec.hpp"

namespace warpmem::model {

struct SmSpec {
  std::uint32_t count = 0;  // of the GPU
  std::uint64_t warps = 0;  // resident ones
  // Cycles from an access to its result.
  std::uint64_t latency_l1 = 0, latency_shared = 0;
  std::uint64_t latency_conflict = 0;      // from one wavefront of an access to its next
  std::uint64_t latency_texture = 0;       // of a texel by its number
  std::uint64_t latency_coordinates = 0;   // more for a fetch by coordinates
  std::uint64_t latency_filter = 0;        // … that mixes texels
  std::uint64_t latency_texture_miss = 0;  // more for one that its cache lacks, on early GPUs
  std::uint64_t latency_remote = 0;        // shared memory of another SM of the cluster
  std::uint64_t latency_l2 = 0;            // … where no time is kept: as the near side of the L2
  // Thousandths of a cycle that a sector of another SM's shared memory keeps the path there.
  std::uint64_t remote_read = 0, remote_write = 0;
  std::uint64_t queue_cycles = 0;  // of work that waits in the load/store unit's queue
  std::uint64_t bulk_cycles = 0;   // of the copy engine, for 128 bytes
  // Thousandths of a cycle that others take a port of shared memory: a warp that starts, a sector
  // that the copy engine stores or loads, one of an asynchronous copy past the L1.
  std::uint64_t warp_start = 0, bulk_read = 0, bulk_write = 0, async_write = 0;
};

// The driver's own traffic of a launch, sectors; `dirty`: left in the L2 by what ran before.
struct LaunchSpec {
  std::uint64_t l2_read = 0, dram_read = 0, fabric = 0, dirty = 0;
};

struct SystemSpec {
  SmSpec sm;
  LaunchSpec launch;
  MemorySpec memory;
  L2Spec l2;
  MemoryPathSpec path;
};

}  // namespace warpmem::model
