// Any line goes, with the same odds.
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {
namespace {

std::size_t victim(const SetView& set) {
  return draw_below(set.draws, static_cast<std::uint32_t>(set.lines));
}

}  // namespace

extern const ReplacementPolicy random;
const ReplacementPolicy random{.victim = victim};

}  // namespace warpmem::model::replacement
