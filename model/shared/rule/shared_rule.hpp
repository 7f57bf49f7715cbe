// Passes of shared memory for an access, by the rule of a compute capability: one file a rule.
//
// Pure functions of the addresses. Source: CUDA C Programming Guide 4.x, appendix F, and 11.x,
// appendix K.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/shared/bank_rule.hpp"

namespace warpmem::model {

enum class SharedRule : std::uint8_t {
  kMulticast,     // 5.0 and later: any words, each to all lanes that want it
  kMulticast2x,   // 2.x: the same, with slower accesses of 16 bytes
  kOneBroadcast,  // 1.x: half-warps; one word a pass goes to several lanes
  kWideBanks,     // 3.x: banks of 8 bytes, numbered by words of 4 or of 8 bytes
};
const std::vector<std::string>& shared_rule_names();

// Of loads, stores and what takes passes as they do; `banks.bytes`: the numbering of wide banks.
SharedPasses shared_passes(SharedRule rule, const WarpAccess& access, SharedKind kind,
                           const Banks& banks);

SharedPasses one_broadcast(const WarpAccess& access, bool store, const Banks& banks);
SharedPasses multicast_2x(const WarpAccess& access, const Banks& banks);
SharedPasses wide_banks(const WarpAccess& access, const Banks& banks);
// Atomics of all these: one lane a bank and pass, even on the same word.
SharedPasses lane_by_lane(const WarpAccess& access, const Banks& banks);

}  // namespace warpmem::model
