// As lru, but a new line is older than the line of the latest hit, and than that of the one before
// (measured on an H200's L1: l1_cache.hpp).
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {
namespace {

// The line of the hit before stays young, if it is another.
void hit(const SetView& set, std::size_t at) {
  set.kept.young = at != 0 && set.kept.young > 0 ? 2 : 1;
}

std::size_t place(const SetView& set) { return set.kept.young; }

}  // namespace

extern const ReplacementPolicy after_hits;
const ReplacementPolicy after_hits{.hit = hit, .place = place};

}  // namespace warpmem::model::replacement
