// A store takes what it writes out of the L1: the next load asks the L2 (compute capability 2.x).
#include "model/cache/write/write_policy.hpp"

namespace warpmem::model::write_policy {

extern const StorePolicy evict;
const StorePolicy evict{.stays = false};

}  // namespace warpmem::model::write_policy
