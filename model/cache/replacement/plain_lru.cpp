// As lru, and in an L2 whether it is dirty or not: a stack algorithm, so that a larger cache holds
// all that a smaller one does.
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {

extern const ReplacementPolicy plain_lru;
const ReplacementPolicy plain_lru{.spares_dirty = false};

}  // namespace warpmem::model::replacement
