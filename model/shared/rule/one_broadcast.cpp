// Compute capability 1.x. A half-warp at a time; words of 8 and 16 bytes are so many accesses of 4
// bytes, one after the other. In a pass one word goes to all lanes that read it, and each of the
// other banks serves one lane. Which word that is the guide leaves open: here that of the lowest
// lane that waits. Lanes that write one word are served together, as one of them alone writes it.
#include <algorithm>
#include <bit>
#include <vector>

#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model::bank_rule {
namespace {

constexpr std::uint32_t kLanes = 16;

// Passes of the k-th words of these lanes.
int passes_of(const WarpAccess& a, std::uint32_t lanes, std::uint32_t k, bool store,
              const Banks& banks) {
  const auto word = [&](std::uint32_t l) { return a.address[l] / banks.bytes + k; };
  int count = 0;
  while (lanes) {
    ++count;
    const std::uint64_t broadcast = word(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    std::vector<std::uint64_t> serves(banks.count, ~std::uint64_t{0});
    serves[broadcast % banks.count] = broadcast;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
      const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::uint64_t& served = serves[word(l) % banks.count];
      const bool is_free = served == ~std::uint64_t{0};
      const bool together = served == word(l) && (store || word(l) == broadcast);
      if (!is_free && !together) continue;
      served = word(l);
      lanes &= ~(1u << l);
    }
  }
  return count;
}

SharedPasses passes(const WarpAccess& a, SharedKind kind, const Banks& banks) {
  SharedPasses out;
  const std::uint32_t words = std::max(1u, a.bytes / banks.bytes);
  for (std::uint32_t first = 0; first < kWarpLanes; first += kLanes) {
    const std::uint32_t lanes = a.mask & 0xffffu << first;
    if (!lanes) continue;
    for (std::uint32_t k = 0; k < words; ++k) {
      out.taken += passes_of(a, lanes, k, kind == SharedKind::kStore, banks);
      ++out.groups;
    }
  }
  out.reported = out.taken;
  return out;
}

std::uint32_t together(std::uint32_t, const Banks&) { return kLanes; }

}  // namespace

extern const BankRulePolicy one_broadcast;
const BankRulePolicy one_broadcast{
    .passes = passes, .turns = lane_by_lane, .together = together, .taking_turns = whole_warp};

}  // namespace warpmem::model::bank_rule
