// What a store leaves of its line in an L1: the policies that there are. Each is a file of this
// folder and a row of policies.hpp. A store goes on to the L2 whatever the policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cache/write/policies.hpp"
#include "model/policy/table.hpp"

namespace warpmem::model {

// In the order of the rows.
enum class WritePolicy : std::uint8_t { WARPMEM_WRITE_POLICIES(WARPMEM_ENUMERATOR) };
// As cards name them.
const std::vector<std::string>& write_policy_names();

struct StorePolicy {
  bool stays = true;  // what was stored; else the sectors that it was stored to go
};
const StorePolicy& policy_of(WritePolicy);

}  // namespace warpmem::model
