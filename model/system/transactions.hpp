// The transactions that a warp's access becomes on a GPU before compute capability 7.0, and the
// lines of them that caches and partitions of memory see: one after the other, the same line more
// than once where several transactions lie in it.
//
// Which transactions they are is the rule's (access/rule/); a line's `sectors` are those that
// travel, whether lanes write in them or not, and its `bytes` what lanes write.
#pragma once

#include <vector>

#include "model/atomics/atomics.hpp"
#include "model/general/memory_spec.hpp"

namespace warpmem::model {

struct Transactions {
  std::vector<Transaction> moves;
  // As they travel; mostly a line a transaction.
  struct Lines : LineList {
    std::uint32_t transactions = 0;
    std::uint32_t distinct = 0;  // lines of each group of lanes, added up
  };

  // `l1`: it goes through the L1; `past`: through no cache.
  void load(const MemorySpec& spec, const WarpAccess& access, bool l1, bool past, Lines& out);
  // A store, or an access past the caches that travels as stores do.
  void store(const MemorySpec& spec, const WarpAccess& access, Lines& out);
  // A word of the lanes' local memory; `cached`: it goes through the L1.
  void local(const MemorySpec& spec, const WarpAccess& word, bool cached, Lines& out);

 private:
  void list(const MemorySpec& spec, AccessRule rule, const WarpAccess& access, bool whole_lines,
            Lines& out);
};

// A word is changed once a pass, however many lanes change it; lanes on other words of a sector go
// in the same pass. (Same-address atomics serialise, all that the guides say.)
AtomicTraffic atomic_transactions(const WarpAccess& access, std::uint32_t line_bytes);

}  // namespace warpmem::model
