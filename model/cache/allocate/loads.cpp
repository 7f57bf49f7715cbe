// Loads bring lines; a store that finds none leaves nothing.
#include "model/cache/allocate/allocate.hpp"

namespace warpmem::model::allocation {

extern const AllocationPolicy loads;
const AllocationPolicy loads{.stores = false};

}  // namespace warpmem::model::allocation
