// A store leaves its words in its line, and a line of them where stores allocate (allocate/).
#include "model/cache/write/write_policy.hpp"

namespace warpmem::model::write_policy {

extern const StorePolicy through;
const StorePolicy through{.stays = true};

}  // namespace warpmem::model::write_policy
