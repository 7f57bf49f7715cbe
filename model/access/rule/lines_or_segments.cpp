// Compute capability 2.x and 3.x. A warp with words of 8 bytes is served in two groups of lanes,
// with 16 bytes in four. Through the L1 (-dlcm=ca) each distinct line is a transaction. Past it
// (-dlcm=cg), and for stores, segments of 32 bytes move; those next to each other in a line are one
// transaction (32, 64, 96 or 128 bytes: the hardware's events of GF100 count them so, envytools).
#include <algorithm>

#include "model/access/rule/access_rule.hpp"

namespace warpmem::model::access_rule {
namespace {

std::uint32_t lanes(std::uint32_t bytes) {
  return 4u * kWarpLanes / bytes;  // 128 bytes at a time
}

void list(const AccessShape& shape, const WarpAccess& a, std::vector<Transaction>& out) {
  const std::uint32_t lanes = lanes_of_group(AccessRule::kLinesOrSegments, a.bytes);
  for (std::uint32_t first = 0, group = 0; first < kWarpLanes; first += lanes, ++group) {
    if (shape.whole_lines) {
      touched_pieces(a, first, lanes, group, shape.line_bytes, out);
      continue;
    }
    std::vector<Transaction> segments;
    touched_pieces(a, first, lanes, group, 32, segments);
    std::sort(segments.begin(), segments.end(),
              [](const Transaction& x, const Transaction& y) { return x.address < y.address; });
    const std::size_t before = out.size();
    for (const Transaction& s : segments) {
      Transaction* const last = out.size() > before ? &out.back() : nullptr;
      if (last && last->address + last->bytes == s.address && s.address % shape.line_bytes != 0) {
        last->bytes += s.bytes;
        last->lanes |= s.lanes;
      } else {
        out.push_back(s);
      }
    }
  }
}

}  // namespace

extern const AccessRulePolicy lines_or_segments;
const AccessRulePolicy lines_or_segments{.lanes = lanes, .list = list};

}  // namespace warpmem::model::access_rule
