// Which set of a cache a line belongs to: the rules that there are. Each is a file of this folder
// and a row of policies.hpp; every cache takes them all, through SetIndex (cache/set_index.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cache/index/policies.hpp"
#include "model/policy/table.hpp"

namespace warpmem::model {

// In the order of the rows.
enum class SetRule : std::uint8_t { WARPMEM_SET_RULES(WARPMEM_ENUMERATOR) };
// As cards name them.
const std::vector<std::string>& set_rule_names();

struct SetRulePolicy {
  // Of a line, by its number, one of so many sets.
  std::uint32_t (*set)(std::uint64_t line, std::uint32_t sets) = nullptr;
  bool of_l1 = true, of_l2 = true;  // that it was made for
  bool of_any_lines = true;         // else of lines of 128 bytes alone
};
const SetRulePolicy& policy_of(SetRule);

}  // namespace warpmem::model
