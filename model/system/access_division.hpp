// What the rules of a card divide one access of a warp into, as its counters count it: for whoever
// draws an access or says in words what it costs. A memory system counts by the same rules, and
// makes no such list.
//
// Models: the sectors or transactions of global and local memory, the rounds of an atomic, the
// passes over the banks of shared memory. Leaves out: what is in a cache already, and whatever an
// access meets in flight. Of an asynchronous copy past the L1 the other side is not known, and is
// taken to lie as this one does, so that its sectors may differ from the counters'; before 7.0 an
// L1 is there even where shared memory leaves it no room.
#pragma once

#include <cstdint>
#include <vector>

#include "model/access/access_plan.hpp"
#include "model/shared/rule/fullest_bank.hpp"
#include "model/system/spec.hpp"

namespace warpmem::model {

struct AccessDivision {
  // A sector or a transaction: it moves as a whole.
  struct Piece {
    std::uint64_t address = 0;  // of its first byte
    std::uint32_t bytes = 0;
    std::uint32_t times = 1;  // that it is sent: rounds of an atomic
  };
  std::vector<Piece> pieces;  // of global and local memory, in the order in which they are issued
  std::uint64_t sectors = 0;  // of 32 bytes, as the counters have them
  // As many as the active lanes' bytes would fill, one after the other from the start of one on; no
  // more than there are of them, as lanes may share words.
  std::uint64_t ideal_sectors = 0;

  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  // of shared memory
  BankMeeting meeting;                                 // … and the bank that they are for
};

// Where a warp has the k-th words of 4 bytes of its lanes' local memory, from its first one on:
// words of neighbouring lanes lie next to each other, and each is a request.
WarpAccess local_words(const WarpAccess& access, std::uint32_t k);

class AccessRules {
 public:
  explicit AccessRules(const SystemSpec& spec) : spec_(spec.memory) {}

  // Of a load, store or atomic of global memory, an asynchronous copy, or an access of local or
  // shared memory; nothing of anything else. Addresses of local memory are those of each thread.
  AccessDivision divide(const WarpAccess& access, const AccessPlan& plan) const;

 private:
  MemorySpec spec_;
};

}  // namespace warpmem::model
