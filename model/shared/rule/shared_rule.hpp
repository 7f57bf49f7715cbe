// Passes of shared memory for an access, by the rule of a compute capability: the rules that there
// are. Each is a file of this folder and a row of policies.hpp.
//
// Pure functions of the addresses. Source: CUDA C Programming Guide 4.x, appendix F, and 11.x,
// appendix K.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/policy/table.hpp"
#include "model/shared/rule/policies.hpp"
#include "model/shared/shared_banks.hpp"

namespace warpmem::model {

// In the order of the rows.
enum class SharedRule : std::uint8_t { WARPMEM_BANK_RULES(WARPMEM_ENUMERATOR) };
// As cards name them.
const std::vector<std::string>& shared_rule_names();

// `banks.bytes`: the numbering of wide banks.
struct BankRulePolicy {
  // Of loads, stores and what takes passes as they do.
  SharedPasses (*passes)(const WarpAccess& access, SharedKind kind, const Banks& banks) = nullptr;
  // Of atomics.
  SharedPasses (*turns)(const WarpAccess& access, SharedKind kind, const Banks& banks) = nullptr;
  // Lanes that are served together at most, where each has so many bytes, 4 or more; the same of
  // atomics.
  std::uint32_t (*together)(std::uint32_t bytes, const Banks& banks) = nullptr;
  std::uint32_t (*taking_turns)(std::uint32_t bytes) = nullptr;
  std::uint32_t gives = 0;  // bytes of a bank in a pass; 0: as they are numbered
};
const BankRulePolicy& policy_of(SharedRule);

SharedPasses shared_passes(SharedRule rule, const WarpAccess& access, SharedKind kind,
                           const Banks& banks);

// What several rules say of atomics: one lane a bank and pass, even on the same word, all lanes of
// a warp together.
SharedPasses lane_by_lane(const WarpAccess& access, SharedKind kind, const Banks& banks);
std::uint32_t whole_warp(std::uint32_t bytes);
// … and of loads and stores: as many lanes as all banks give a word to.
std::uint32_t by_width(std::uint32_t bytes, const Banks& banks);

}  // namespace warpmem::model
