#include "model/cache/write/write_policy.hpp"

namespace warpmem::model {

namespace write_policy {
using Policy = StorePolicy;
WARPMEM_POLICY_TABLE(WARPMEM_WRITE_POLICIES)
}  // namespace write_policy

const std::vector<std::string>& write_policy_names() { return write_policy::names(); }
const StorePolicy& policy_of(WritePolicy policy) {
  return write_policy::at(static_cast<std::size_t>(policy));
}

}  // namespace warpmem::model
