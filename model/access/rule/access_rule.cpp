#include "model/access/rule/access_rule.hpp"

#include <algorithm>

namespace warpmem::model {

namespace access_rule {
using Policy = AccessRulePolicy;
WARPMEM_POLICY_TABLE(WARPMEM_ACCESS_RULES)
}  // namespace access_rule

const std::vector<std::string>& access_rule_names() { return access_rule::names(); }
const AccessRulePolicy& policy_of(AccessRule rule) {
  return access_rule::at(static_cast<std::size_t>(rule));
}

std::uint32_t lanes_of_group(AccessRule rule, std::uint32_t bytes) {
  return policy_of(rule).lanes(std::max(4u, bytes));
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
  policy_of(shape.rule).list(shape, a, out);
}

}  // namespace warpmem::model
