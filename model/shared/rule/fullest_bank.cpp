#include "model/shared/rule/fullest_bank.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace warpmem::model {
namespace {

std::uint32_t lanes_together(SharedRule rule, std::uint32_t bytes, SharedKind kind,
                             const Banks& banks) {
  const std::uint32_t word = std::max(4u, bytes);
  if (takes_turns(kind))
    return rule == SharedRule::kMulticast && word > 4 ? std::uint32_t{kWarpLanes / 2} : kWarpLanes;
  switch (rule) {
    case SharedRule::kOneBroadcast: return kWarpLanes / 2;
    case SharedRule::kWideBanks: return word <= 8 ? kWarpLanes : kWarpLanes / 2;
    case SharedRule::kMulticast2x:
    case SharedRule::kMulticast: break;
  }
  return std::clamp<std::uint32_t>(banks.count * banks.bytes / word, 1, kWarpLanes);
}

// What a bank gives in one pass.
std::uint64_t given_together(SharedRule rule, const Banks& banks) {
  return rule == SharedRule::kWideBanks ? std::uint64_t{banks.count} * 8 : banks.bytes;
}

}  // namespace

BankMeeting fullest_bank(SharedRule rule, const WarpAccess& a, SharedKind kind,
                         const Banks& banks) {
  BankMeeting out;
  out.together = lanes_together(rule, a.bytes, kind, banks);
  const bool alone = takes_turns(kind);
  const std::uint64_t piece = given_together(rule, banks);
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
