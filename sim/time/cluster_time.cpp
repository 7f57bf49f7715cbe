// CTAs of a cluster start together, when one GPC has room for all of them, and wait for each other
// at the cluster's barrier, which opens when all warps that have not ended have arrived.
#include <algorithm>

#include "sim/time/launch_time.hpp"

namespace warpmem::sim {

Result<void> LaunchTime::start_clusters() {
  while (next_ < waiting_.size()) {
    const std::uint64_t number = cluster_of(launch_, waiting_[next_]);
    std::size_t ctas = 1;  // of the cluster, that the trace has
    while (next_ + ctas < waiting_.size() && cluster_of(launch_, waiting_[next_ + ctas]) == number)
      ++ctas;
    const std::vector<int> chosen = placement_->place(ctas);
    if (chosen.empty()) return {};
    std::uint64_t cycle = 0;
    for (int sm : chosen) cycle = std::max(cycle, sms_[sm_at_[static_cast<std::size_t>(sm)]].freed);
    given_ += card_.numbers().time_cluster_millicycles;
    starting_ += card_.numbers().time_cluster_millicycles;
    const auto cluster = std::make_shared<TimedCluster>();
    for (int sm : chosen)
      if (auto ok = start(sms_[sm_at_[static_cast<std::size_t>(sm)]], given_from(cycle), cluster);
          !ok)
        return ok;
  }
  return {};
}

void LaunchTime::join(TimedCluster& cluster, TimedWarp& warp, std::uint64_t cycle) {
  if (warp.joined > cluster.opened) return;  // twice for one opening
  ++warp.joined;
  ++cluster.arrived;
  cluster.last = std::max(cluster.last, cycle);
  if (cluster.arrived == cluster.left) open(cluster);
}

bool LaunchTime::meet(TimedCluster& cluster, TimedWarp& warp) {
  if (warp.passed) return true;
  // Who was not seen to arrive does so here.
  if (warp.joined == warp.met) join(cluster, warp, warp.ready);
  warp.met = warp.joined;
  if (warp.joined <= cluster.opened) {
    if (cluster.open_at > warp.ready) {
      wait(Wait::kBarrier, cluster.open_at - warp.ready);
      warp.ready = cluster.open_at;
    }
    warp.passed = true;
    return true;
  }
  warp.waits = kClusterBarrier;
  return false;
}

void LaunchTime::open(TimedCluster& cluster) {
  ++cluster.opened;
  cluster.arrived = 0;
  cluster.open_at = cluster.last + card_.numbers().time_cluster_barrier_cycles;
  for (const TimedCluster::Member& m : cluster.members) {
    if (!m.cta) continue;
    for (std::uint32_t w = 0; w < m.cta->warps.size(); ++w) {
      TimedWarp& warp = m.cta->warps[w];
      if (warp.waits != kClusterBarrier) continue;
      warp.waits = kNoBarrier;
      warp.passed = true;
      const std::uint64_t from = std::max(warp.ready, cluster.open_at);
      wait(Wait::kBarrier, from - warp.ready);
      warp.ready = from;
      schedule(*m.sm, m.cta->first_slot + w, from);
    }
  }
}

void LaunchTime::leave(TimedCluster& cluster, const TimedWarp& warp) {
  --cluster.left;
  if (warp.joined > cluster.opened) --cluster.arrived;
  cluster.last = std::max(cluster.last, warp.ready);
  if (cluster.arrived > 0 && cluster.arrived == cluster.left) open(cluster);
}

void LaunchTime::end_in_cluster(Sm& sm, TimedCta& cta, std::uint64_t cycle) {
  for (TimedCluster::Member& m : cta.cluster->members)
    if (m.cta == &cta) m.cta = nullptr;
  sm.freed = std::max(sm.freed, cycle);
  placement_->free(sm.id);
}

}  // namespace warpmem::sim
