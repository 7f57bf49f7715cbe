#include "model/access/rule/access_rule.hpp"

#include <algorithm>

namespace warpmem::model {

const std::vector<std::string>& access_rule_names() {
  static const std::vector<std::string> kNames{"half_warp_strict", "half_warp_segments",
                                               "lines_or_segments", "sub_requests", "sectors"};
  return kNames;
}

std::uint32_t lanes_of_group(AccessRule rule, std::uint32_t bytes) {
  const std::uint32_t width = std::max(4u, bytes);
  switch (rule) {
    case AccessRule::kHalfWarpStrict:
    case AccessRule::kHalfWarpSegments: return 16;
    case AccessRule::kLinesOrSegments: return 4u * kWarpLanes / width;  // 128 bytes at a time
    case AccessRule::kSubRequests: return 32 / width;
    case AccessRule::kSectors: break;
  }
  return kWarpLanes;
}

void touched_pieces(const WarpAccess& a, std::uint32_t first_lane, std::uint32_t lanes,
                    std::uint32_t group, std::uint32_t piece, std::vector<Transaction>& out) {
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  for (std::uint32_t l = first_lane; l < first_lane + lanes; ++l) {
    if (!(a.mask >> l & 1)) continue;
    // An unaligned word can lie in two.
    const std::uint64_t last = (a.address[l] + a.bytes - 1) / piece;
    for (std::uint64_t p = a.address[l] / piece; p <= last; ++p) {
      const auto at = std::find_if(out.begin() + begin, out.end(),
                                   [&](const Transaction& t) { return t.address == p * piece; });
      if (at == out.end()) out.push_back({p * piece, piece, 1u << l, group, false});
      else at->lanes |= 1u << l;
    }
  }
}

void list_transactions(const AccessShape& shape, const WarpAccess& a,
                       std::vector<Transaction>& out) {
  out.clear();
  switch (shape.rule) {
    case AccessRule::kHalfWarpStrict: return half_warp_strict(a, out);
    case AccessRule::kHalfWarpSegments: return half_warp_segments(a, out);
    case AccessRule::kLinesOrSegments:
      return lines_or_segments(a, shape.line_bytes, shape.whole_lines, out);
    case AccessRule::kSubRequests: return sub_requests(a, out);
    case AccessRule::kSectors: return sectors(a, out);
  }
}

}  // namespace warpmem::model
