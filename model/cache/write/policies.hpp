// What a store does in an L1, a row each (policy/table.hpp).
#pragma once

#define WARPMEM_WRITE_POLICIES(ROW) \
  ROW(through, kThrough)            \
  ROW(evict, kEvict)
