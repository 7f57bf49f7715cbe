// The replacement policies, a row each (policy/table.hpp).
#pragma once

#define WARPMEM_REPLACEMENT_POLICIES(ROW) \
  ROW(lru, kLru)                          \
  ROW(after_hits, kAfterHits)             \
  ROW(fifo, kFifo)                        \
  ROW(random, kRandom)                    \
  ROW(tree_plru, kTreePlru)               \
  ROW(not_most_recent, kNotMostRecent)    \
  ROW(uneven, kUneven)                    \
  ROW(plain_lru, kPlainLru)               \
  ROW(bimodal, kBimodal)
