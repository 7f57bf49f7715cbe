// Compute capability 2.x: 32 banks of 4 bytes; any words, each to all lanes of a group that want
// it. A warp with words of up to 4 bytes is one group; with 8 bytes half-warps are. With 16 bytes
// most accesses are 2-way conflicts though no two lanes of a quarter-warp meet: the guide adds one
// to the most lanes of a quarter-warp that meet in a bank. Half-warps go one after the other.
#include <algorithm>
#include <vector>

#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model::bank_rule {
namespace {

// Distinct words in the fullest bank, of so many lanes.
int ways(const WarpAccess& a, std::uint32_t first, std::uint32_t lanes, const Banks& banks) {
  std::vector<std::vector<std::uint64_t>> words(banks.count);
  std::size_t most = 0;
  const std::uint32_t each = std::max(1u, a.bytes / banks.bytes);
  for (std::uint32_t l = first; l < first + lanes; ++l) {
    if (!(a.mask >> l & 1)) continue;
    for (std::uint64_t w = a.address[l] / banks.bytes, k = 0; k < each; ++k, ++w) {
      auto& of_bank = words[w % banks.count];
      if (std::find(of_bank.begin(), of_bank.end(), w) == of_bank.end()) of_bank.push_back(w);
      most = std::max(most, of_bank.size());
    }
  }
  return static_cast<int>(most);
}

SharedPasses passes(const WarpAccess& a, SharedKind, const Banks& banks) {
  SharedPasses out;
  if (a.bytes <= 8) {
    const std::uint32_t lanes = a.bytes <= 4 ? kWarpLanes : kWarpLanes / 2;
    for (std::uint32_t first = 0; first < kWarpLanes; first += lanes) {
      const int taken = ways(a, first, lanes, banks);
      out.taken += taken;
      out.groups += taken > 0;
    }
  } else {
    int most = 0;
    for (std::uint32_t first = 0; first < kWarpLanes; first += 8)
      most = std::max(most, ways(a, first, 8, banks));
    out.groups = ((a.mask & 0xffffu) != 0) + (a.mask >> 16 != 0);
    out.taken = out.groups * (1 + most);
  }
  out.reported = out.taken;
  return out;
}

}  // namespace

extern const BankRulePolicy multicast_2x;
const BankRulePolicy multicast_2x{
    .passes = passes, .turns = lane_by_lane, .together = by_width, .taking_turns = whole_warp};

}  // namespace warpmem::model::bank_rule
