// Rows of up to 1,024 sets, shuffled by block: the L2's of an H200 (l2/l2_side.hpp). Address bit 12
// takes no part: it only says whose home a line is. Fewer sets than 1,024, as a partition of an
// early L2 has, are shuffled as one row.
#include "model/cache/index/mixed_rows.hpp"

#include "model/cache/index/set_rule.hpp"

namespace warpmem::model::set_rule {
namespace {

std::uint32_t set(std::uint64_t line, std::uint32_t sets) {
  const std::uint32_t rows = rows_of_sets(sets);
  const std::uint64_t folded = sets < kMostRows ? line : line / 64 * 32 + line % 32;
  const auto block = static_cast<std::uint32_t>(folded / rows);
  std::uint32_t shuffle = block * 0x9e3779b1u;
  shuffle = (shuffle ^ shuffle >> 15) * 0x85ebca77u;
  shuffle ^= shuffle >> 13;
  if (sets < kMostRows) return static_cast<std::uint32_t>((folded + shuffle) % sets);
  return block % (sets / rows) * rows + (static_cast<std::uint32_t>(folded) ^ shuffle) % rows;
}

}  // namespace

extern const SetRulePolicy mixed_rows;
const SetRulePolicy mixed_rows{.set = set, .of_l1 = false, .of_any_lines = false};

}  // namespace warpmem::model::set_rule
