// What the time engine keeps of a CTA on an SM, and of the cluster that it is in.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/engine/cluster_barrier.hpp"
#include "sim/engine/resident_ctas.hpp"
#include "sim/time/timed_warp.hpp"

namespace warpmem::sim {

struct TimedCta;

// CTAs that started together and may wait for each other.
struct TimedCluster {
  explicit TimedCluster(std::uint64_t barrier_cycles) : barrier(barrier_cycles) {}
  std::vector<TimedCta*> ctas;  // that have not ended
  ClusterBarrier barrier;
  std::uint64_t bulk = 0;  // bulk copies into several of its CTAs are back by then
};

struct TimedCta : ResidentCta {
  std::uint32_t sm = 0;  // TimedSm::place
  std::uint32_t first_slot = 0;
  std::vector<TimedWarp> warps;
  std::uint64_t started = 0;
  std::uint64_t bulk = 0;                 // bulk copies into it are back by then
  std::shared_ptr<TimedCluster> cluster;  // nullptr: none of more than one CTA

  std::span<TimedWarp> all_warps() { return warps; }
};

}  // namespace warpmem::sim
