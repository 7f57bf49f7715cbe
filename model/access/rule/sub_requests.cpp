// Compute capability 5.x and 6.x. The unit cuts an access in requests before it looks up tags: of 8
// lanes with words of up to 4 bytes, of 4 with 8 bytes, of 2 with 16 (NVIDIA staff, developer
// forum, "Pascal L1 cache"). Each has the distinct sectors of its lanes.
#include "model/access/rule/access_rule.hpp"

namespace warpmem::model::access_rule {
namespace {

std::uint32_t lanes(std::uint32_t bytes) { return 32 / bytes; }

void list(const AccessShape&, const WarpAccess& a, std::vector<Transaction>& out) {
  const std::uint32_t lanes = lanes_of_group(AccessRule::kSubRequests, a.bytes);
  for (std::uint32_t first = 0, group = 0; first < kWarpLanes; first += lanes, ++group)
    touched_pieces(a, first, lanes, group, kSectorBytes, out);
}

}  // namespace

extern const AccessRulePolicy sub_requests;
const AccessRulePolicy sub_requests{.lanes = lanes, .list = list};

}  // namespace warpmem::model::access_rule
