// Asks for memory ahead of its use: what is not in the host's cache comes meanwhile.
#pragma once

namespace warpmem {

// The cache line that holds the address, to be read or written soon. Changes nothing.
inline void prefetch(const void* address) {
  __builtin_prefetch(address, 1);
  // A function that only asks for memory looks to GCC like one without any effect, and calls of it
  // were dropped; it keeps a statement that is marked as it does not know what.
  asm volatile("");
}

}  // namespace warpmem
