// Which misses bring a line to an L1, a row each (policy/table.hpp).
#pragma once

#define WARPMEM_ALLOCATIONS(ROW)         \
  ROW(loads_and_stores, kLoadsAndStores) \
  ROW(loads, kLoads)
