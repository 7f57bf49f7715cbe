#include "model/shared/rule/fullest_bank.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace warpmem::model {
BankMeeting fullest_bank(SharedRule rule, const WarpAccess& a, SharedKind kind,
                         const Banks& banks) {
  BankMeeting out;
  const BankRulePolicy& policy = policy_of(rule);
  const bool alone = takes_turns(kind);
  const std::uint32_t width = std::max(4u, a.bytes);
  out.together = alone ? policy.taking_turns(width) : policy.together(width, banks);
  // What a bank gives in one pass.
  const std::uint64_t piece =
      policy.gives > 0 ? std::uint64_t{banks.count} * policy.gives : banks.bytes;
  // By group of lanes and bank: what is asked of it, and the lowest lane that asks.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::map<std::uint64_t, std::uint32_t>> asked;
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t last = (a.address[l] + std::max(1u, a.bytes) - 1) / banks.bytes;
    for (std::uint64_t word = a.address[l] / banks.bytes; word <= last; ++word)
      asked[{l / out.together, word % banks.count}].try_emplace(
          alone ? l : word * banks.bytes / piece, 1u << l);
  }
  const auto most =
      std::ranges::max_element(asked, {}, [](const auto& bank) { return bank.second.size(); });
  if (most == asked.end()) return out;
  out.bank = static_cast<std::uint32_t>(most->first.second);
  for (const auto& [what, lane] : most->second) out.lanes |= lane;
  return out;
}

}  // namespace warpmem::model
