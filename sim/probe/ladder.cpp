#include "sim/probe/ladder.hpp"

#include <algorithm>

#include "model/cache/allocate/allocate.hpp"
#include "model/cache/cached_spaces.hpp"
#include "model/cache/write/write_policy.hpp"
#include "sim/probe/probe.hpp"

namespace warpmem::sim::probe {

Result<Ladder> ladder_of(const model::Card& card, const std::string& file) {
  const model::CardNumbers& n = card.numbers();
  Ladder out;
  constexpr std::uint64_t kChunk = 256 << 10;  // of a CTA that reads the L2 or DRAM
  const auto measured = [&](Curve curve, std::uint64_t x, double& to) -> Result<void> {
    // An L1 must not give what the L2 is to be measured by.
    const auto points = measure(card, {curve, {x}, curve == Curve::kL2, false, 4, kChunk, file});
    if (!points) return points.error();
    to = points->front().y;
    return {};
  };
  if (auto ok = measured(Curve::kShared, n.sm_threads, out.shared); !ok) return ok.error();
  constexpr std::uint64_t kInL1 = 8 << 10;  // fits every L1
  if (model::caches_loads(static_cast<model::CachedSpaces>(n.l1_cache)))
    if (auto ok = measured(Curve::kL1, kInL1, out.l1); !ok) return ok.error();
  const std::uint64_t in_l2 =
      std::max<std::uint64_t>(512 << 10, n.l2_bytes / (2 * std::max<std::uint64_t>(1, n.l2_sides)));
  if (n.l2_bytes > 0)
    if (auto ok = measured(Curve::kL2, in_l2, out.l2); !ok) return ok.error();
  // One element a thread, or eight loads of each outstanding, whichever reaches more.
  // No two CTAs read the same.
  const std::uint64_t beyond = std::max<std::uint64_t>(4 * n.sm_count * kChunk, 4 * n.l2_bytes);
  double rounds = 0;
  if (auto ok = measured(Curve::kRead, n.sm_threads, out.global); !ok) return ok.error();
  if (auto ok = measured(Curve::kL2, beyond, rounds); !ok) return ok.error();
  out.global = std::max(out.global, rounds);
  if (auto ok = measured(Curve::kHost, n.sm_threads, out.host); !ok) return ok.error();
  return out;
}

}  // namespace warpmem::sim::probe
