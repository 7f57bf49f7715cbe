#include "model/shared/rule/shared_rule.hpp"

#include <algorithm>

namespace warpmem::model {

namespace bank_rule {
using Policy = BankRulePolicy;
WARPMEM_POLICY_TABLE(WARPMEM_BANK_RULES)
}  // namespace bank_rule

const std::vector<std::string>& shared_rule_names() { return bank_rule::names(); }
const BankRulePolicy& policy_of(SharedRule rule) {
  return bank_rule::at(static_cast<std::size_t>(rule));
}

SharedPasses lane_by_lane(const WarpAccess& a, SharedKind, const Banks& banks) {
  std::vector<int> lanes(banks.count);
  int most = 0;
  for (std::uint32_t l = 0; l < kWarpLanes; ++l)
    if (a.mask >> l & 1) most = std::max(most, ++lanes[a.address[l] / banks.bytes % banks.count]);
  return {most, most, most > 0};
}

std::uint32_t whole_warp(std::uint32_t) { return kWarpLanes; }

std::uint32_t by_width(std::uint32_t bytes, const Banks& banks) {
  return std::clamp<std::uint32_t>(banks.count * banks.bytes / bytes, 1, kWarpLanes);
}

SharedPasses shared_passes(SharedRule rule, const WarpAccess& a, SharedKind kind,
                           const Banks& banks) {
  const BankRulePolicy& policy = policy_of(rule);
  return (takes_turns(kind) ? policy.turns : policy.passes)(a, kind, banks);
}

}  // namespace warpmem::model
