// The line that was used longest ago goes.
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {

extern const ReplacementPolicy lru;
const ReplacementPolicy lru{};

}  // namespace warpmem::model::replacement
