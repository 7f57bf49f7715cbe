// Compute capability 1.0 and 1.1. A half-warp is coalesced if its words have 4, 8 or 16 bytes, lane
// k accesses word k, and word 0 is aligned: to 64 bytes for words of 4, to 128 for longer ones.
// Lanes may be inactive; what moves is the same: 64 bytes, 128, or twice 128. Otherwise each active
// lane has 32 bytes of its own.
#include <bit>

#include "model/access/rule/access_rule.hpp"

namespace warpmem::model::access_rule {
namespace {

constexpr std::uint32_t kLanes = 16;

// Where word 0 of a coalesced half-warp lies; false: it is not one.
bool coalesced(const WarpAccess& a, std::uint32_t first, std::uint64_t& base) {
  if (a.bytes != 4 && a.bytes != 8 && a.bytes != 16) return false;
  const std::uint32_t active = a.mask >> first & 0xffff;
  const auto lowest = static_cast<std::uint32_t>(std::countr_zero(active));
  base = a.address[first + lowest] - std::uint64_t{lowest} * a.bytes;
  if (base % (a.bytes == 4 ? 64 : 128) != 0) return false;
  for (std::uint32_t k = 0; k < kLanes; ++k)
    if ((active >> k & 1) && a.address[first + k] != base + std::uint64_t{k} * a.bytes)
      return false;
  return true;
}

std::uint32_t lanes(std::uint32_t) { return kLanes; }

void list(const AccessShape&, const WarpAccess& a, std::vector<Transaction>& out) {
  for (std::uint32_t first = 0; first < kWarpLanes; first += kLanes) {
    const std::uint32_t active = a.mask & 0xffffu << first, group = first / kLanes;
    if (!active) continue;
    std::uint64_t base = 0;
    if (!coalesced(a, first, base)) {
      for (std::uint32_t l = first; l < first + kLanes; ++l)
        if (a.mask >> l & 1) out.push_back({a.address[l] / 32 * 32, 32, 1u << l, group, false});
    } else if (a.bytes == 16) {
      out.push_back({base, 128, active & 0xffu << first, group, true});
      out.push_back({base + 128, 128, active & 0xff00u << first, group, true});
    } else {
      out.push_back({base, kLanes * a.bytes, active, group, true});
    }
  }
}

}  // namespace

extern const AccessRulePolicy half_warp_strict;
const AccessRulePolicy half_warp_strict{.lanes = lanes, .list = list, .of_any_lines = false};

}  // namespace warpmem::model::access_rule
