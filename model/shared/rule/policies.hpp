// The rules of shared memory's banks, a row each (policy/table.hpp).
#pragma once

#define WARPMEM_BANK_RULES(ROW)     \
  ROW(multicast, kMulticast)        \
  ROW(multicast_2x, kMulticast2x)   \
  ROW(one_broadcast, kOneBroadcast) \
  ROW(wide_banks, kWideBanks)
