#include "model/cache/index/set_rule.hpp"

namespace warpmem::model {

namespace set_rule {
using Policy = SetRulePolicy;
WARPMEM_POLICY_TABLE(WARPMEM_SET_RULES)
}  // namespace set_rule

const std::vector<std::string>& set_rule_names() { return set_rule::names(); }
const SetRulePolicy& policy_of(SetRule rule) {
  return set_rule::at(static_cast<std::size_t>(rule));
}

}  // namespace warpmem::model
