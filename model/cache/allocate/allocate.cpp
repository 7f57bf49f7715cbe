#include "model/cache/allocate/allocate.hpp"

namespace warpmem::model {

namespace allocation {
using Policy = AllocationPolicy;
WARPMEM_POLICY_TABLE(WARPMEM_ALLOCATIONS)
}  // namespace allocation

const std::vector<std::string>& allocate_names() { return allocation::names(); }
const AllocationPolicy& policy_of(Allocate policy) {
  return allocation::at(static_cast<std::size_t>(policy));
}

}  // namespace warpmem::model
