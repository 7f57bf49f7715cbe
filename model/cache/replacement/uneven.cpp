// Any line goes; that of way 1 as often as all others together (Mei and Chu, arXiv 1509.02308: 1/6,
// 1/2, 1/6, 1/6 in the L1 of a GTX 560 Ti).
#include <algorithm>

#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {
namespace {

std::size_t victim(const SetView& set) {
  const auto lines = static_cast<std::uint32_t>(set.lines);
  if (lines == 1) return 0;
  const std::uint32_t drawn = draw_below(set.draws, 2 * (lines - 1));
  const std::uint32_t way = drawn >= lines - 1 ? 1 : drawn == 0 ? 0 : drawn + 1;
  const auto* const at = std::find(set.way_of, set.way_of + lines, way);
  return at == set.way_of + lines ? lines - 1 : static_cast<std::size_t>(at - set.way_of);
}

}  // namespace

extern const ReplacementPolicy uneven;
const ReplacementPolicy uneven{.knows_ways = true, .victim = victim};

}  // namespace warpmem::model::replacement
