#include "sim/engine/occupancy.hpp"

#include <algorithm>

#include "base/residency.hpp"
#include "base/units.hpp"
#include "sim/engine/cluster_placement.hpp"

namespace warpmem::sim {
namespace {

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
  const SmLimits sm{n.sm_warps, n.sm_threads, n.sm_ctas, n.sm_registers, n.register_unit,
                    n.shared_configs.back(), n.shared_reserved, n.shared_unit};
  const std::uint64_t asked = std::uint64_t{launch.static_shared} + launch.dynamic_shared;
  const CtaNeeds needs{threads, launch.registers, asked};
  const std::uint64_t shared = shared_taken(sm, needs);
  if (shared > sm.shared)
    return too_big(card, "a CTA asks for " + byte_size(asked) + " of shared memory, an SM has " + byte_size(sm.shared));
  const std::uint64_t ctas = resident_ctas(sm, needs);
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
  } else if (n.shared_default > 0) {
    want = std::max(need, n.shared_default);
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
