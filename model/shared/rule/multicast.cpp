// Compute capability 5.0 and later: any words, each to all lanes that want it
// (shared/shared_banks.hpp).
#include "model/shared/rule/shared_rule.hpp"
#include "model/shared/shared_banks.hpp"

namespace warpmem::model::bank_rule {
namespace {

SharedPasses passes(const WarpAccess& a, SharedKind kind, const Banks& banks) {
  return shared_passes(a, kind, banks);
}

// Atomics of more than 4 bytes go by half-warps.
std::uint32_t taking_turns(std::uint32_t bytes) {
  return bytes > 4 ? std::uint32_t{kWarpLanes / 2} : kWarpLanes;
}

}  // namespace

extern const BankRulePolicy multicast;
const BankRulePolicy multicast{
    .passes = passes, .turns = passes, .together = by_width, .taking_turns = taking_turns};

}  // namespace warpmem::model::bank_rule
