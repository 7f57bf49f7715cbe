// Which lanes of an access of shared memory wait for each other at one bank: for sentences. How
// many passes it takes is the rules' business (rule/shared_rule.hpp).
#pragma once

#include <cstdint>

#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model {

struct BankMeeting {
  std::uint32_t bank = 0;
  // Lanes that the bank serves in different passes, one of each; fewer than two: nobody waits.
  std::uint32_t lanes = 0;
  std::uint32_t together = 32;  // lanes that are served together at most
};

// The bank that most is asked of, the lowest of them, in the group of lanes where that is so.
BankMeeting fullest_bank(SharedRule rule, const WarpAccess& access, SharedKind kind,
                         const Banks& banks);

}  // namespace warpmem::model
