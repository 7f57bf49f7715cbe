#include "model/cache/spec.hpp"

#include <algorithm>
#include <bit>

#include "model/access/access.hpp"
#include "model/access/rule/access_rule.hpp"
#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "model/card/specs/u32.hpp"

namespace warpmem::model {
template <>
L1Spec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  L1Spec l1;
  l1.line_bytes = u32(n.line_bytes);
  l1.cached = static_cast<CachedSpaces>(n.l1_cache);
  l1.present = l1.cached != CachedSpaces::kNone;
  l1.allocate = static_cast<Allocate>(n.l1_allocate);
  l1.write = static_cast<WritePolicy>(n.l1_write);
  l1.fill_sectors = u32(n.l1_sector / kSectorBytes);
  l1.sectors = u32(n.line_bytes / kSectorBytes);
  l1.bytes = n.l1_bytes;
  l1.reserved = n.l1_reserved;
  l1.ways = u32(n.l1_ways);
  l1.replacement = static_cast<Replacement>(n.l1_replacement);
  l1.misses = u32(n.l1_misses);
  if (static_cast<AccessRule>(n.access_rule) != AccessRule::kSectors) {
    l1.early = true;
    l1.present = true;  // where shared memory leaves it room
    l1.local_write = static_cast<LocalWrite>(n.l1_local_write);
    l1.index = {static_cast<SetRule>(n.l1_index), u32(n.l1_sets)};
    l1.tag_banks = 1;
    return l1;
  }
  // A power of two, enough for L1 and shared memory together.
  const std::uint64_t sets =
      n.l1_sets ? n.l1_sets : std::bit_ceil(n.l1_bytes / n.line_bytes / n.l1_ways);
  l1.index = {static_cast<SetRule>(n.l1_index), u32(std::max<std::uint64_t>(4, sets))};
  l1.store_entries = u32(n.l1_store_entries);
  l1.store_cycles = u32(n.l1_store_cycles);
  l1.read_entries = u32(n.l1_read_entries);
  l1.read_cycles = u32(n.l1_read_cycles);
  return l1;
}

}  // namespace warpmem::model
