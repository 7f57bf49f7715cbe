// One line that an SM requests the L2 for, or sends to it, written down to be served later
// (l2_requests.hpp), and what became of it.
#pragma once

#include <cstdint>

#include "model/access/stay.hpp"

namespace warpmem::model {

struct alignas(64) L2Request {
  enum class Kind : std::uint8_t { kRead, kMerged, kWrite, kAtomic, kBring, kChange };
  static constexpr std::uint32_t kNone = ~0u;

  std::uint64_t line = 0;
  std::uint32_t set = 0, tag = 0;      // L2Side::SetTag
  std::uint32_t now = 0;               // cycle
  std::uint32_t near = 0, dram = 0;    // of reads: L2Cache::Draw
  std::uint32_t part = 0, of = kNone;  // of a read that joined another, or merged with it: where
                                       // that one is
  std::uint32_t more = kNone;  // of a write in part: which of the list's bytes; of an atomic:
                               // passes
  std::uint32_t done = 0;      // out: cycle in which it is back
  std::uint32_t until = 0;     // … in which all are that travel together so far
  std::uint16_t entry = 0;     // L2Cache::Route
  std::uint8_t sm = 0, home = 0, sectors = 0;
  Kind kind = Kind::kRead;
  Stay stay = Stay::kUnsaid;
  std::uint8_t fetch = 0;                 // of reads: piece of DRAM, or 0
  std::uint8_t full = 0, again = 0;       // of writes; of reads that joined: what had been brought
  bool flag = false;                      // apart; opens; returns; discards
  std::uint8_t missing = 0, fetched = 0;  // out
  bool crosses = false;                   // out
};
static_assert(sizeof(L2Request) == 64);

}  // namespace warpmem::model
