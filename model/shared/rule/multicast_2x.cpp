// Compute capability 2.x: 32 banks of 4 bytes; any words, each to all lanes of a group that want
// it. A warp with words of up to 4 bytes is one group; with 8 bytes half-warps are. With 16 bytes
// most accesses are 2-way conflicts though no two lanes of a quarter-warp meet: the guide adds one
// to the most lanes of a quarter-warp that meet in a bank. Half-warps go one after the other.
#include <algorithm>

#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model::bank_rule {
namespace {

SharedPasses passes(const WarpAccess& a, SharedKind, const Banks& banks) {
  SharedPasses out;
  if (a.bytes <= 8) {
    const int lanes = a.bytes <= 4 ? kWarpLanes : kWarpLanes / 2;
    for (int first = 0; first < kWarpLanes; first += lanes) {
      const int taken = words_in_fullest_bank(a, first, lanes, banks);
      out.taken += taken;
      out.groups += taken > 0;
    }
  } else {
    int most = 0;
    for (int first = 0; first < kWarpLanes; first += 8)
      most = std::max(most, words_in_fullest_bank(a, first, 8, banks));
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
