#include "emulate/executor/special_values.hpp"
#include "emulate/executor/special.hpp"
#include "emulate/executor/warp_values.hpp"

namespace warpmem::emulate {

void special(const Running& run, const Warp& warp, const Inst& in, std::byte* frame,
             std::uint32_t mask) {
  const Dim3 &b = run.shape.block, &g = run.shape.grid, &k = run.shape.cluster;
  const auto what = static_cast<Special>(in.sub);
  auto* d = reinterpret_cast<std::uint32_t*>(frame + in.d);
  const auto lanes = [&](auto f) {
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1) d[l] = f(l);
  };
  const auto all = [&](std::uint32_t v) { lanes([v](std::uint32_t) { return v; }); };
  const auto wide = [&](std::uint64_t v) {
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1) reinterpret_cast<std::uint64_t*>(frame + in.d)[l] = v;
  };
  const std::uint32_t first = warp.index * 32;
  const std::uint64_t clock = run.statistics.warp_instructions +
                              run.ahead;  // a clock that only the program's own progress moves
  switch (what) {
    case Special::kTidX: return lanes([&](std::uint32_t l) { return (first + l) % b[0]; });
    case Special::kTidY: return lanes([&](std::uint32_t l) { return (first + l) / b[0] % b[1]; });
    case Special::kTidZ: return lanes([&](std::uint32_t l) { return (first + l) / b[0] / b[1]; });
    case Special::kNtidX: return all(b[0]);
    case Special::kNtidY: return all(b[1]);
    case Special::kNtidZ: return all(b[2]);
    case Special::kCtaidX: return all(run.cta->id[0]);
    case Special::kCtaidY: return all(run.cta->id[1]);
    case Special::kCtaidZ: return all(run.cta->id[2]);
    case Special::kNctaidX: return all(g[0]);
    case Special::kNctaidY: return all(g[1]);
    case Special::kNctaidZ: return all(g[2]);
    case Special::kLaneid: return lanes([](std::uint32_t l) { return l; });
    case Special::kWarpid: return all(warp.index);
    case Special::kNwarpid: return all(run.warps);
    case Special::kSmid: return all(static_cast<std::uint32_t>(run.cta->number % run.shape.sms));
    case Special::kNsmid: return all(run.shape.sms);
    case Special::kGridid: return wide(0);
    case Special::kMaskEq: return lanes([](std::uint32_t l) { return 1u << l; });
    case Special::kMaskLe: return lanes([](std::uint32_t l) { return (2u << l) - 1; });
    case Special::kMaskLt: return lanes([](std::uint32_t l) { return (1u << l) - 1; });
    case Special::kMaskGe: return lanes([](std::uint32_t l) { return ~((1u << l) - 1); });
    case Special::kMaskGt: return lanes([](std::uint32_t l) { return ~((2u << l) - 1); });
    case Special::kClock:
    case Special::kTimerLo: return all(static_cast<std::uint32_t>(clock));
    case Special::kClockHi:
    case Special::kTimerHi: return all(static_cast<std::uint32_t>(clock >> 32));
    case Special::kClock64:
    case Special::kTimer: return wide(clock);
    case Special::kClusterCtaidX: return all(run.cta->id[0] % k[0]);
    case Special::kClusterCtaidY: return all(run.cta->id[1] % k[1]);
    case Special::kClusterCtaidZ: return all(run.cta->id[2] % k[2]);
    case Special::kClusterNctaidX: return all(k[0]);
    case Special::kClusterNctaidY: return all(k[1]);
    case Special::kClusterNctaidZ: return all(k[2]);
    case Special::kClusteridX: return all(run.cta->id[0] / k[0]);
    case Special::kClusteridY: return all(run.cta->id[1] / k[1]);
    case Special::kClusteridZ: return all(run.cta->id[2] / k[2]);
    case Special::kNclusteridX: return all(g[0] / k[0]);
    case Special::kNclusteridY: return all(g[1] / k[1]);
    case Special::kNclusteridZ: return all(g[2] / k[2]);
    case Special::kClusterCtarank: return all(run.cta->rank);
    case Special::kClusterNctarank: return all(run.cluster_size);
    case Special::kExplicitCluster: return put_predicate(frame, in.d, mask, run.cluster_size > 1);
    case Special::kDynamicShared: return all(run.shape.dynamic_shared);
    case Special::kTotalShared:
    case Special::kAggregateShared: return all(run.shared_bytes);
    case Special::kGridBarrier:
      return all(run.shape.cooperative ? static_cast<std::uint32_t>(run.memory.barrier_base()) : 0);
    case Special::kGridBarrierHi:
      return all(run.shape.cooperative ? static_cast<std::uint32_t>(run.memory.barrier_base() >> 32)
                                       : 0);
    case Special::kZero: return all(0);
    case Special::kReserved: return all(run.shared_bytes - kReservedShared);
    case Special::kReservedEnd: return all(run.shared_bytes);
  }
}

}  // namespace warpmem::emulate
