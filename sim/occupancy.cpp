#include "sim/occupancy.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "sim/cluster_placement.hpp"

namespace warpmem::sim {
namespace {

std::uint64_t round_up(std::uint64_t v, std::uint64_t unit) { return (v + unit - 1) / unit * unit; }

Error too_big(const model::Card& card, const std::string& what) {
  return {ErrorKind::kUsage, what, "card " + card.name(), "replay on a card with larger limits, or raise the number with --set"};
}

}  // namespace

Result<Occupancy> occupancy(const model::Card& card, const trace::Launch& launch) {
  const model::CardNumbers& n = card.numbers();
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  Occupancy o;
  o.warps_per_cta = static_cast<std::uint32_t>((threads + 31) / 32);
  if (o.warps_per_cta == 0 || o.warps_per_cta > n.sm_warps)
    return too_big(card, "a CTA of " + grouped(threads) + " threads does not fit an SM");
  const std::uint64_t asked = std::uint64_t{launch.static_shared} + launch.dynamic_shared;
  const std::uint64_t shared = round_up(asked + n.shared_reserved, n.shared_unit);
  if (shared > n.shared_configs.back())
    return too_big(card, "a CTA asks for " + byte_size(asked) + " of shared memory, an SM has " + byte_size(n.shared_configs.back()));
  std::uint64_t ctas = std::min(n.sm_ctas, n.sm_warps / o.warps_per_cta);
  ctas = std::min(ctas, n.sm_threads / std::max<std::uint64_t>(1, threads));
  if (launch.registers > 0) {
    const std::uint64_t per_warp = round_up(std::uint64_t{launch.registers} * 32, n.register_unit);
    // Registers are given by scheduler, so a CTA's warps count in fours.
    const std::uint64_t warps = n.sm_registers / 4 / per_warp * 4;
    ctas = std::min(ctas, warps / o.warps_per_cta);
  }
  ctas = std::min(ctas, n.shared_configs.back() / shared);
  if (ctas == 0) return too_big(card, "a CTA with " + grouped(launch.registers) + " registers a thread does not fit an SM");
  o.ctas = static_cast<std::uint32_t>(ctas);
  if (const std::uint64_t cluster = cluster_size(launch); cluster > 1)
    if (const std::size_t most = ClusterPlacement(card, cluster, o.ctas).most(); cluster > most)
      return too_big(card, "a cluster of " + grouped(cluster) + " CTAs does not fit a GPC, whose " + grouped(most) + " SMs take one each");

  // The driver takes the smallest configuration that holds the resident CTAs. Where three or more
  // of them fit, it leaves room for twice as many, up to a limit, if the kernel uses shared memory,
  // and counts the reserved bytes of four times as many if it uses none. Agrees with all 40 launch
  // shapes measured.
  const std::uint64_t need = ctas * shared;
  std::uint64_t want = need;
  if (launch.carveout >= 0) {
    want = std::max<std::uint64_t>(need, n.shared_configs.back() * static_cast<std::uint64_t>(launch.carveout) / 100);
  } else if (ctas > 2) {
    want = asked == 0 ? std::min<std::uint64_t>(n.sm_ctas, 4 * ctas) * shared
                      : std::max(need, std::min({2 * need, n.sm_ctas * shared, n.shared_generous}));
  }
  o.shared_config = n.shared_configs.back();
  for (std::uint64_t c : n.shared_configs)
    if (c >= want) {
      o.shared_config = c;
      break;
    }
  return o;
}

}  // namespace warpmem::sim
