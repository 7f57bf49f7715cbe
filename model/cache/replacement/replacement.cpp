#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model {

namespace replacement {
using Policy = ReplacementPolicy;
WARPMEM_POLICY_TABLE(WARPMEM_REPLACEMENT_POLICIES)
}  // namespace replacement

const std::vector<std::string>& replacement_names() { return replacement::names(); }
const ReplacementPolicy& policy_of(Replacement policy) {
  return replacement::at(static_cast<std::size_t>(policy));
}

}  // namespace warpmem::model
