#include "model/shared/rule/shared_rule.hpp"

#include <algorithm>

namespace warpmem::model {

const std::vector<std::string>& shared_rule_names() {
  static const std::vector<std::string> kNames{"multicast", "multicast_2x", "one_broadcast",
                                               "wide_banks"};
  return kNames;
}

SharedPasses lane_by_lane(const WarpAccess& a, const Banks& banks) {
  std::vector<int> lanes(banks.count);
  int most = 0;
  for (std::uint32_t l = 0; l < kWarpLanes; ++l)
    if (a.mask >> l & 1) most = std::max(most, ++lanes[a.address[l] / banks.bytes % banks.count]);
  return {most, most, most > 0};
}

SharedPasses shared_passes(SharedRule rule, const WarpAccess& a, SharedKind kind,
                           const Banks& banks) {
  if (rule == SharedRule::kMulticast) return shared_passes(a, kind, banks);
  if (kind == SharedKind::kAtomic || kind == SharedKind::kCompareAndSwap ||
      kind == SharedKind::kAttempt)
    return lane_by_lane(a, banks);
  switch (rule) {
    case SharedRule::kOneBroadcast: return one_broadcast(a, kind == SharedKind::kStore, banks);
    case SharedRule::kMulticast2x: return multicast_2x(a, banks);
    case SharedRule::kWideBanks: return wide_banks(a, banks);
    case SharedRule::kMulticast: break;
  }
  return {};
}

}  // namespace warpmem::model
