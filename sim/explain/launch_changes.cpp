#include "sim/explain/launch_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/reblock.hpp"

namespace warpmem::sim {
namespace {

constexpr double kMissesOfSmallL1 = 0.05;  // share of them from which on more L1 is worth a replay

LaunchCandidate candidate(const char* name, std::string what) {
  LaunchCandidate c;
  c.change.name = name, c.change.what = std::move(what);
  c.change.not_measured = "--no-gain";
  return c;
}

// Loads that find nothing push out what others would have found.
std::optional<LaunchCandidate> bypass(const ReplayedLaunch& replayed,
                                      const std::vector<SiteTraffic>& traffic,
                                      const std::vector<model::AccessPlan>& plans) {
  LaunchCandidate c = candidate(
      "bypass", "let loads that never hit pass by the L1 (__ldcg): they leave room for the others");
  bool others = false;
  for (const SiteTraffic& t : traffic) {
    if (t.site >= plans.size() || plans[t.site].action != model::Action::kGlobalLoad ||
        plans[t.site].bypass_l1)
      continue;
    const bool none = t.l1_hits == 0 && t.sectors >= replayed.counters.global_ld.sectors / 10;
    others = others || (t.l1_hits > 0 && t.l1_hits < t.sectors);
    if (!none) continue;
    model::AccessPlan plan = plans[t.site];
    plan.bypass_l1 = true;
    c.rewrite.plans.emplace_back(t.site, plan);
  }
  if (c.rewrite.plans.empty() || !others) return std::nullopt;
  return c;
}

// As many CTAs as there are SMs, or as near as whole warps come to that.
std::optional<LaunchCandidate> smaller_blocks(const trace::TraceReader& reader, std::uint32_t index,
                                              const ReplayedLaunch& replayed) {
  if (!replayed.time || replayed.time->ctas == 0 || replayed.time->ctas >= replayed.time->sms)
    return std::nullopt;
  if (!joins_warps(reader, index).empty()) return std::nullopt;
  const std::uint32_t warps = warps_of(reader.launches()[index].launch);
  std::uint32_t parts = 1;
  for (std::uint32_t p = 2; p <= warps && parts * replayed.time->ctas < replayed.time->sms; ++p)
    if (warps % p == 0) parts = p;
  if (parts == 1) return std::nullopt;
  LaunchCandidate c = candidate(
      "smaller block",
      fmt::format("blocks of {} threads: {} CTAs instead of {}, on more SMs", 32 * (warps / parts),
                  parts * replayed.time->ctas, replayed.time->ctas));
  c.parts = parts;
  return c;
}

}  // namespace

std::vector<LaunchCandidate> launch_changes(const trace::TraceReader& reader, std::uint32_t launch,
                                            const ReplayedLaunch& replayed,
                                            const std::vector<SiteTraffic>& traffic,
                                            const std::vector<model::AccessPlan>& plans) {
  std::vector<LaunchCandidate> out;
  if (replayed.time && replayed.time->larger_l1 &&
      replayed.time->larger_l1->share >= kMissesOfSmallL1) {
    out.push_back(candidate("carve-out",
                            "prefer the L1 to shared memory "
                            "(cudaFuncAttributePreferredSharedMemoryCarveout): what CTAs do not "
                            "ask for goes to it"));
    out.back().rewrite.carveout = 0;
  }
  if (auto c = bypass(replayed, traffic, plans)) out.push_back(std::move(*c));
  if (auto c = smaller_blocks(reader, launch, replayed)) out.push_back(std::move(*c));
  return out;
}

}  // namespace warpmem::sim
