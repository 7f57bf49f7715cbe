#include <algorithm>

#include "sim/time/launch_time.hpp"

namespace warpmem::sim {

void LaunchTime::stand_at(Sm& sm, TimedCta& cta, std::uint32_t w, std::uint32_t barrier,
                          std::uint32_t expected) {
  cta.warps[w].waits = barrier;
  cta.barriers.arrive(barrier, expected);
  if (cta.barriers.complete(barrier)) open(sm, cta, barrier);
}

void LaunchTime::check_barriers(Sm& sm, TimedCta& cta) {
  cta.barriers.each_standing([&](std::uint32_t b) {
    if (cta.barriers.complete(b)) open(sm, cta, b);
  });
}

void LaunchTime::open(Sm& sm, TimedCta& cta, std::uint32_t barrier) {
  cta.barriers.open(barrier);
  std::uint64_t last = 0;
  for (const TimedWarp& warp : cta.warps)
    if (warp.waits == barrier) last = std::max(last, warp.ready);
  last += card_.numbers().time_barrier_cycles;
  for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
    TimedWarp& warp = cta.warps[w];
    if (warp.waits != barrier) continue;
    warp.waits = kNoBarrier;
    wait(Wait::kBarrier, last - warp.ready);
    warp.ready = last;
    schedule(sm, cta.first_slot + w, last);
  }
}

std::string LaunchTime::standing() const {
  Standings all;
  for (const Sm& sm : sms_)
    for (const auto& cta : sm.ctas) {
      if (!cta) continue;
      Standing warps = cta->barriers.where();
      for (const TimedWarp& warp : cta->warps) warps.at_cluster += warp.waits == kClusterBarrier;
      all.add(cta->number, sm.id, warps);
    }
  return all.text();
}

void LaunchTime::release_barriers() {
  if (result_.stuck.empty()) result_.stuck = standing();
  for (Sm& sm : sms_)
    for (auto& cta : sm.ctas) {
      if (!cta) continue;
      if (cta->cluster && cta->cluster->arrived > 0) {
        ++result_.forced;
        open(*cta->cluster);
      }
      cta->barriers.each_standing([&](std::uint32_t b) {
        ++result_.forced;
        open(sm, *cta, b);
      });
    }
}

}  // namespace warpmem::sim
