// Compute capability 7.0 and later. One request a warp, whatever the width: the distinct sectors of
// all lanes. access.hpp does the same, by line, faster.
#include "model/access/rule/access_rule.hpp"

namespace warpmem::model {

void sectors(const WarpAccess& a, std::vector<Transaction>& out) {
  touched_pieces(a, 0, kWarpLanes, 0, kSectorBytes, out);
}

}  // namespace warpmem::model
