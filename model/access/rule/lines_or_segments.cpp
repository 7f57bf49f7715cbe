// Compute capability 2.x and 3.x. A warp with words of 8 bytes is served in two groups of lanes,
// with 16 bytes in four. Through the L1 (-dlcm=ca) each distinct line is a transaction. Past it
// (-dlcm=cg), and for stores, segments of 32 bytes move; those side by side in a line are one
// transaction (32, 64, 96 or 128 bytes: the hardware's events of GF100 count them so, envytools).
#include <algorithm>

#include "model/access/rule/access_rule.hpp"

namespace warpmem::model {

void lines_or_segments(const WarpAccess& a, std::uint32_t line_bytes, bool whole_lines,
                       std::vector<Transaction>& out) {
  const std::uint32_t lanes = lanes_of_group(AccessRule::kLinesOrSegments, a.bytes);
  for (std::uint32_t first = 0, group = 0; first < kWarpLanes; first += lanes, ++group) {
    if (whole_lines) {
      touched_pieces(a, first, lanes, group, line_bytes, out);
      continue;
    }
    std::vector<Transaction> segments;
    touched_pieces(a, first, lanes, group, 32, segments);
    std::sort(segments.begin(), segments.end(),
              [](const Transaction& x, const Transaction& y) { return x.address < y.address; });
    const std::size_t before = out.size();
    for (const Transaction& s : segments) {
      Transaction* const last = out.size() > before ? &out.back() : nullptr;
      if (last && last->address + last->bytes == s.address && s.address % line_bytes != 0) {
        last->bytes += s.bytes;
        last->lanes |= s.lanes;
      } else {
        out.push_back(s);
      }
    }
  }
}

}  // namespace warpmem::model
