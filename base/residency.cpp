#include "base/residency.hpp"

#include <algorithm>

namespace warpmem {
namespace {

std::uint64_t round_up(std::uint64_t v, std::uint64_t unit) { return (v + unit - 1) / unit * unit; }

}  // namespace

std::uint64_t shared_taken(const SmLimits& sm, const CtaNeeds& cta) {
  return round_up(cta.shared + sm.shared_reserved, sm.shared_unit);
}

std::uint32_t resident_ctas(const SmLimits& sm, const CtaNeeds& cta) {
  const std::uint64_t warps = (cta.threads + 31) / 32;
  if (warps == 0) return 0;
  std::uint64_t most = std::min({sm.ctas, sm.warps / warps, sm.threads / cta.threads});
  if (cta.registers > 0) {
    const std::uint64_t a_warp = round_up(cta.registers * 32, sm.register_unit);
    // Registers are given by scheduler, so a CTA's warps count in as many as there are of these.
    most = std::min(most, sm.registers / sm.schedulers / a_warp * sm.schedulers / warps);
  }
  if (const std::uint64_t shared = shared_taken(sm, cta)) most = std::min(most, sm.shared / shared);
  return static_cast<std::uint32_t>(most);
}

}  // namespace warpmem
