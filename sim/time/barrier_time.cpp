#include <algorithm>

#include "sim/engine/standing.hpp"
#include "sim/time/launch_time.hpp"

namespace warpmem::sim {

void LaunchTime::stand_at(Sm& sm, TimedCta& cta, std::uint32_t w, std::uint32_t barrier,
                          std::uint32_t expected) {
  cta.warps[w].waits = barrier;
  ++cta.standing;
  ++cta.arrived[barrier];
  cta.expected[barrier] = expected;
  check_barriers(sm, cta);
}

void LaunchTime::check_barriers(Sm& sm, TimedCta& cta) {
  if (!cta.standing) return;
  for (std::uint32_t b = 0; b < cta.arrived.size(); ++b) {
    if (!cta.arrived[b]) continue;
    const std::uint32_t wanted = cta.expected[b] ? std::min(cta.expected[b], cta.left) : cta.left;
    if (cta.arrived[b] >= wanted) open(sm, cta, b);
  }
}

void LaunchTime::open(Sm& sm, TimedCta& cta, std::uint32_t barrier) {
  cta.standing -= cta.arrived[barrier];
  cta.arrived[barrier] = 0;
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
      Standing warps;
      warps.left = cta->left;
      for (const TimedWarp& warp : cta->warps) {
        if (warp.waits == kClusterBarrier) ++warps.at_cluster;
        if (warp.waits < warps.at.size()) ++warps.at[warp.waits];
      }
      all.add(cta->number, sm.id, warps);
    }
  return all.text();
}

void LaunchTime::release_barriers() {
  if (result_.stuck.empty()) result_.stuck = standing();
  for (Sm& sm : sms_)
    for (auto& cta : sm.ctas) {
      if (cta && cta->cluster && cta->cluster->arrived > 0) {
        ++result_.forced;
        open(*cta->cluster);
      }
      for (std::uint32_t b = 0; cta && b < cta->arrived.size(); ++b)
        if (cta->arrived[b]) {
          ++result_.forced;
          open(sm, *cta, b);
        }
    }
}

}  // namespace warpmem::sim
