#include "sim/engine/occupancy.hpp"

#include <algorithm>

#include "base/residency.hpp"
#include "base/units.hpp"
#include "model/card/sm_limits.hpp"
#include "sim/engine/cluster_placement.hpp"
#include "sim/engine/lacking.hpp"

namespace warpmem::sim {
namespace {

Error too_big(const model::Card& card, const std::string& what) {
  return {ErrorKind::kUsage, what, "card " + card.name(),
          "replay on a card with larger limits, or raise the number with --set"};
}

}  // namespace

Result<Occupancy> occupancy(const model::Card& card, const trace::Launch& launch) {
  const model::CardNumbers& n = card.numbers();
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  Occupancy o;
  o.warps_per_cta = static_cast<std::uint32_t>((threads + 31) / 32);
  const SmLimits sm = model::sm_limits(card);
  const std::uint64_t asked = std::uint64_t{launch.static_shared} + launch.dynamic_shared;
  const CtaNeeds needs{threads, launch.registers, asked};
  if (std::string refused = refusal_text(sm, needs, card.name()); !refused.empty())
    return too_big(card, refused);
  const std::uint64_t shared = shared_taken(sm, needs);
  const std::uint64_t ctas = resident_ctas(sm, needs);
  o.ctas = static_cast<std::uint32_t>(ctas);
  if (const std::uint64_t cluster = cluster_size(launch, card); cluster > 1)
    if (const std::size_t most = ClusterPlacement(card, cluster, o.ctas).most(); cluster > most)
      return too_big(card, "a cluster of " + grouped(cluster) + " CTAs does not fit a GPC, whose " +
                               grouped(most) + " SMs take one each");

  // The driver takes the smallest configuration that holds the resident CTAs. Where three or more
  // of them fit, it leaves room for twice as many, up to a limit, if the kernel uses shared memory,
  // and counts the reserved bytes of four times as many if it uses none. Agrees with all 40 launch
  // shapes measured.
  const std::uint64_t need = ctas * shared;
  std::uint64_t want = need;
  if (launch.carveout >= 0) {
    want = std::max<std::uint64_t>(
        need, n.shared_configs.back() * static_cast<std::uint64_t>(launch.carveout) / 100);
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
