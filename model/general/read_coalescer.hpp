// Reads that are under way between SMs and the L2, by group of SMs: who shares whose request.
//
// A read of the same sectors rides on one that is under way, up to so many of them; an SM's read of
// other sectors of a line joins its own that still waits to leave. A group remembers one read for
// each of its entries (measured: l2/l2_cache.hpp).
#pragma once

#include <vector>

#include "model/access/access.hpp"
#include "model/general/memory_spec.hpp"

namespace warpmem::model {

class ReadCoalescer {
 public:
  struct Read {
    std::uint64_t line = 0;
    std::uint8_t sectors = 0;  // asked for
    std::uint8_t brought = 0;  // that its misses bring
    std::uint32_t riders = 1;  // whom it serves
    int sm = -1;               // whose it is
    std::uint64_t number = 0;  // of that SM's requests
    std::uint64_t leaves = 0;  // cycle in which it leaves that SM
    std::uint64_t until = 0;   // … in which its answer is at the coalescer
  };
  enum class Ride { kOwn, kJoined, kMerged };
  struct Asked {
    Read& read;
    Ride ride;
  };

  ReadCoalescer() = default;
  explicit ReadCoalescer(const MemorySpec& spec);
  // `apart`: it does not travel with reads of other sectors of the line.
  Asked ask(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now, bool apart);

 private:
  static constexpr unsigned kEntryBits = 10;
  struct Sm {
    std::uint64_t requests = 0, leaves = 0;  // cycle in which the last one leaves
  };
  const MemorySpec* spec_ = nullptr;
  bool coalesces_ = false;
  std::vector<Sm> sms_;
  std::vector<Read> reads_;  // by group, then entry
};

}  // namespace warpmem::model
