#include "model/constant/constant_rule.hpp"

#include <bit>
#include <set>

namespace warpmem::model {

const std::vector<std::string>& constant_rule_names() {
  static const std::vector<std::string> kNames{"warp", "half_warp"};
  return kNames;
}

std::uint32_t constant_serialized(ConstantRule rule, const WarpAccess& a) {
  const std::uint32_t lanes = rule == ConstantRule::kHalfWarp ? 16 : kWarpLanes;
  std::uint32_t more = 0;
  for (std::uint32_t first = 0; first < kWarpLanes; first += lanes) {
    std::set<std::uint64_t> words;
    for (std::uint32_t l = first; l < first + lanes; ++l)
      if (a.mask >> l & 1) words.insert(a.address[l] / 4);
    if (!words.empty()) more += static_cast<std::uint32_t>(words.size()) - 1;
  }
  return more;
}

}  // namespace warpmem::model
