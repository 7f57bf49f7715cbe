// Compute capability 3.x: 32 banks that give 8 bytes in a pass. In the 8-byte mode those are one
// aligned word of 8 bytes, and such words in a row lie in banks in a row. In the 4-byte mode words
// of 4 bytes in a row lie in banks in a row, and the two that a bank gives together are 32 words
// apart in an aligned segment of 64. A warp with words of up to 8 bytes is served at once, with 16
// in two halves.
#include <algorithm>
#include <vector>

#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model::bank_rule {
namespace {

// Distinct rows in the fullest bank: what a bank gives in a pass is one of its rows.
int passes_of(const WarpAccess& a, std::uint32_t first, std::uint32_t lanes, const Banks& banks) {
  std::vector<std::vector<std::uint64_t>> rows(banks.count);
  std::size_t most = 0;
  const std::uint64_t row_bytes = std::uint64_t{banks.count} * 8;
  for (std::uint32_t l = first; l < first + lanes; ++l) {
    if (!(a.mask >> l & 1)) continue;
    const std::uint64_t end = a.address[l] + a.bytes;
    for (std::uint64_t at = a.address[l] / banks.bytes * banks.bytes; at < end; at += banks.bytes) {
      auto& of_bank = rows[at / banks.bytes % banks.count];
      const std::uint64_t row = at / row_bytes;
      if (std::find(of_bank.begin(), of_bank.end(), row) == of_bank.end()) of_bank.push_back(row);
      most = std::max(most, of_bank.size());
    }
  }
  return static_cast<int>(most);
}

SharedPasses passes(const WarpAccess& a, SharedKind, const Banks& banks) {
  SharedPasses out;
  const std::uint32_t lanes = a.bytes <= 8 ? kWarpLanes : kWarpLanes / 2;
  for (std::uint32_t first = 0; first < kWarpLanes; first += lanes) {
    const int taken = passes_of(a, first, lanes, banks);
    out.taken += taken;
    out.groups += taken > 0;
  }
  out.reported = out.taken;
  return out;
}

std::uint32_t together(std::uint32_t bytes, const Banks&) {
  return bytes <= 8 ? kWarpLanes : kWarpLanes / 2;
}

}  // namespace

extern const BankRulePolicy wide_banks;
const BankRulePolicy wide_banks{.passes = passes,
                                .turns = lane_by_lane,
                                .together = together,
                                .taking_turns = whole_warp,
                                .gives = 8};

}  // namespace warpmem::model::bank_rule
