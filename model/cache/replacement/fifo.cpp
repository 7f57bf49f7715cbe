// The line that came longest ago goes, used or not.
#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model::replacement {

extern const ReplacementPolicy fifo;
const ReplacementPolicy fifo{.hits_reorder = false};

}  // namespace warpmem::model::replacement
