// Compute capability 7.0 and later. One request a warp, whatever the width: the distinct sectors of
// all lanes. access.hpp does the same, by line, faster.
#include "model/access/rule/access_rule.hpp"

namespace warpmem::model::access_rule {
namespace {

std::uint32_t lanes(std::uint32_t) { return kWarpLanes; }

void list(const AccessShape&, const WarpAccess& a, std::vector<Transaction>& out) {
  touched_pieces(a, 0, kWarpLanes, 0, kSectorBytes, out);
}

}  // namespace

extern const AccessRulePolicy sectors;
const AccessRulePolicy sectors{.lanes = lanes, .list = list};

}  // namespace warpmem::model::access_rule
