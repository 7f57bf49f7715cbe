#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model {

namespace replacement {
#define WARPMEM_POLICY(name, enumerator) extern const ReplacementPolicy name;
WARPMEM_REPLACEMENT_POLICIES(WARPMEM_POLICY)
#undef WARPMEM_POLICY
}  // namespace replacement

const std::vector<std::string>& replacement_names() {
#define WARPMEM_POLICY(name, enumerator) #name,
  static const std::vector<std::string> kNames{WARPMEM_REPLACEMENT_POLICIES(WARPMEM_POLICY)};
#undef WARPMEM_POLICY
  return kNames;
}

const ReplacementPolicy& policy_of(Replacement policy) {
#define WARPMEM_POLICY(name, enumerator) &replacement::name,
  static const ReplacementPolicy* const kPolicies[] = {
      WARPMEM_REPLACEMENT_POLICIES(WARPMEM_POLICY)};
#undef WARPMEM_POLICY
  return *kPolicies[static_cast<std::size_t>(policy)];
}

}  // namespace warpmem::model
