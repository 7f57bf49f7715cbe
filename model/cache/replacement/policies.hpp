// The replacement policies, a row each: the name that cards give it, which is that of its file, and
// the name that it has here. A new one goes to the end, as stored numbers count from the first.
#pragma once

#define WARPMEM_REPLACEMENT_POLICIES(ROW) \
  ROW(lru, kLru)                          \
  ROW(after_hits, kAfterHits)             \
  ROW(fifo, kFifo)                        \
  ROW(random, kRandom)                    \
  ROW(tree_plru, kTreePlru)               \
  ROW(not_most_recent, kNotMostRecent)    \
  ROW(uneven, kUneven)                    \
  ROW(plain_lru, kPlainLru)
