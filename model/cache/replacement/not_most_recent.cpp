// Any line goes but the one used last, with the same odds.
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {
namespace {

std::size_t victim(const SetView& set) {
  const auto lines = static_cast<std::uint32_t>(set.lines);
  return lines > 1 ? 1 + draw_below(set.draws, lines - 1) : 0;
}

}  // namespace

extern const ReplacementPolicy not_most_recent;
const ReplacementPolicy not_most_recent{.victim = victim};

}  // namespace warpmem::model::replacement
