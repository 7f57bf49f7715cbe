#include "sim/time/barrier_time.hpp"

#include <algorithm>

namespace warpmem::sim {

struct BarrierTime::OfCta {
  BarrierTime& time;
  TimedCta& cta;

  static std::uint64_t later(std::uint64_t a, std::uint64_t b) { return std::max(a, b); }
  std::uint64_t opens(std::uint64_t last) const { return last + time.card_.time_barrier_cycles; }
  void goes_on(std::uint32_t w, std::uint64_t cycle) const {
    time.waits_.add(Wait::kBarrier, cycle - cta.warps[w].ready);
    cta.warps[w].ready = cycle;
    time.calendar_.add(cta.sm, cta.first_slot + w, cycle);
  }
};

void BarrierTime::wait(const WarpTurn& turn, std::uint64_t issued, std::uint32_t barrier,
                       std::uint32_t expected) {
  turn.sm.barrier =
      std::max({turn.sm.barrier, issued, turn.warp.arrives}) + card_.time_barrier_warp_cycles;
  turn.warp.ready = std::max(issued, turn.sm.barrier);
  turn.cta.barriers.wait(turn.cta.all_warps(), turn.number, barrier, expected,
                         OfCta{*this, turn.cta});
}

void BarrierTime::end_warp(const WarpTurn& turn) {
  if (TimedCluster* const cluster = turn.cta.cluster.get())
    cluster->barrier.leave(turn.warp.at_cluster, turn.warp.ready, [&] { open_cluster(*cluster); });
  turn.cta.barriers.end_warp(turn.cta.all_warps(), OfCta{*this, turn.cta});
}

void BarrierTime::arrive_at_cluster(const WarpTurn& turn, std::uint64_t cycle) {
  TimedCluster& cluster = *turn.cta.cluster;
  cluster.barrier.arrive(turn.warp.at_cluster, cycle, [&] { open_cluster(cluster); });
}

bool BarrierTime::wait_at_cluster(const WarpTurn& turn) {
  TimedCluster& cluster = *turn.cta.cluster;
  TimedWarp& warp = turn.warp;
  if (warp.at_cluster.passed) return true;
  const auto opens = [&] { open_cluster(cluster); };
  if (cluster.barrier.wait(warp.at_cluster, warp.ready, opens)) {
    waits_.hold_up(warp, cluster.barrier.opened_at(), Wait::kBarrier);
    warp.at_cluster.passed = true;
    return true;
  }
  warp.waits = kClusterBarrier;
  return false;
}

// It has opened: its warps go on that wait.
void BarrierTime::open_cluster(TimedCluster& cluster) {
  for (TimedCta* const cta : cluster.ctas)
    for (std::uint32_t w = 0; w < cta->warps.size(); ++w) {
      TimedWarp& warp = cta->warps[w];
      if (warp.waits != kClusterBarrier) continue;
      warp.waits = kNoBarrier;
      warp.at_cluster.passed = true;
      waits_.hold_up(warp, cluster.barrier.opened_at(), Wait::kBarrier);
      calendar_.add(cta->sm, cta->first_slot + w, warp.ready);
    }
}

std::uint64_t BarrierTime::force(TimedCta& cta) {
  std::uint64_t forced = 0;
  if (TimedCluster* const cluster = cta.cluster.get())
    if (cluster->barrier.anybody_arrived()) {
      ++forced;
      cluster->barrier.open([&] { open_cluster(*cluster); });
    }
  return forced + cta.barriers.force(cta.all_warps(), OfCta{*this, cta});
}

BarrierWaits BarrierTime::where(const TimedCta& cta) {
  BarrierWaits warps = cta.barriers.where();
  for (const TimedWarp& warp : cta.warps) warps.at_cluster += warp.waits == kClusterBarrier;
  return warps;
}

}  // namespace warpmem::sim
