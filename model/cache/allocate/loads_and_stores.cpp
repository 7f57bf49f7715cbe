// Loads and stores bring lines (compute capability 7.0 and later).
#include "model/cache/allocate/allocate.hpp"

namespace warpmem::model::allocation {

extern const AllocationPolicy loads_and_stores;
const AllocationPolicy loads_and_stores{.stores = true};

}  // namespace warpmem::model::allocation
