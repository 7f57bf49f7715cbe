// Tables of policies. Each kind has a list of rows (policies.hpp in its folder): the name that
// cards give a policy, which is that of its file, and the enumerator. What a list becomes is here.
//
// A new row goes to the end of its list, as stored numbers count from the first.
#pragma once

#include <string>
#include <vector>

// In an enum; in a list of names; what its file defines, declared and in a list.
#define WARPMEM_ENUMERATOR(name, enumerator) enumerator,
#define WARPMEM_NAME(name, enumerator) #name,
#define WARPMEM_DECLARED(name, enumerator) extern const Policy name;
#define WARPMEM_DEFINED(name, enumerator) &name,

// In a kind's own namespace, where Policy is its type: names() and the policy of an enumerator.
#define WARPMEM_POLICY_TABLE(ROWS)                                        \
  ROWS(WARPMEM_DECLARED)                                                  \
  const std::vector<std::string>& names() {                               \
    static const std::vector<std::string> kNames{ROWS(WARPMEM_NAME)};     \
    return kNames;                                                        \
  }                                                                       \
  const Policy& at(std::size_t row) {                                     \
    static constexpr const Policy* kPolicies[] = {ROWS(WARPMEM_DEFINED)}; \
    return *kPolicies[row];                                               \
  }
