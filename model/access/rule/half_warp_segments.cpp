// Compute capability 1.2 and 1.3. The lowest lane of a half-warp that waits chooses a segment: 32
// bytes for words of 1 byte, 64 for 2, 128 for longer ones. All lanes whose address is in it are
// served; of 128 bytes of which only one half is used that half moves, and again of 64.
#include <algorithm>
#include <bit>

#include "model/access/rule/access_rule.hpp"

namespace warpmem::model::access_rule {
namespace {

constexpr std::uint32_t kLanes = 16;

// The half that holds all of [first, last], until there is none or 32 bytes are left.
void shrink(Transaction& t, std::uint64_t first, std::uint64_t last) {
  while (t.bytes > 32) {
    const std::uint32_t half = t.bytes / 2;
    if (first >= t.address + half) t.address += half;
    else if (last >= t.address + half) return;
    t.bytes = half;
  }
}

std::uint32_t lanes(std::uint32_t) { return kLanes; }

void list(const AccessShape&, const WarpAccess& a, std::vector<Transaction>& out) {
  const std::uint32_t segment = a.bytes == 1 ? 32 : a.bytes == 2 ? 64 : 128;
  for (std::uint32_t group = 0; group < kWarpLanes / kLanes; ++group) {
    std::uint32_t pending = a.mask & 0xffffu << group * kLanes;
    while (pending) {
      Transaction t;
      t.address =
          a.address[static_cast<std::size_t>(std::countr_zero(pending))] / segment * segment;
      t.bytes = segment;
      t.group = group;
      std::uint64_t first = ~std::uint64_t{0}, last = 0;
      for (std::uint32_t rest = pending; rest; rest &= rest - 1) {
        const auto l = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (a.address[l] - t.address >= segment) continue;
        t.lanes |= 1u << l;
        first = std::min(first, a.address[l]);
        last = std::max(last, a.address[l] + a.bytes - 1);
      }
      shrink(t, first, last);
      out.push_back(t);
      pending &= ~t.lanes;
    }
  }
}

}  // namespace

extern const AccessRulePolicy half_warp_segments;
const AccessRulePolicy half_warp_segments{.lanes = lanes, .list = list, .of_any_lines = false};

}  // namespace warpmem::model::access_rule
