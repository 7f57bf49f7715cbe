// Which misses bring a line to an L1: the policies that there are. Each is a file of this folder
// and a row of policies.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cache/allocate/policies.hpp"
#include "model/policy/table.hpp"

namespace warpmem::model {

// In the order of the rows.
enum class Allocate : std::uint8_t { WARPMEM_ALLOCATIONS(WARPMEM_ENUMERATOR) };
// As cards name them.
const std::vector<std::string>& allocate_names();

struct AllocationPolicy {
  bool stores = true;  // a store that finds no line brings one; a load always does
};
const AllocationPolicy& policy_of(Allocate);

}  // namespace warpmem::model
