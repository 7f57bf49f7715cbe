// One SM's L1 data cache for global and local memory, compute capability 7.0 and later.
//
// Models: 128-byte lines of four 32-byte sectors; a miss fetches only the missing sectors; stores
// write through and allocate, keeping a byte mask, so that a sector is readable only once all its
// bytes are there; atomics and reductions drop their sector; sets of four ways, LRU, where the tag
// bank is part of the set (l1_index.hpp); room for fewer lines than there are ways.
// Leaves out: latency and pending misses (a sector asked for is a hit from then on, which is how an
// H200 counts it too).
//
// Replacement, measured on an H200 (kernels/micro/l1_hash.cu and l1_sets.cu, driver 580, CUDA 13.0,
// 2026-11-22). The tags are those of 256 KiB, whatever part of it is shared memory: 512 sets of
// four ways. A line that finds its set full takes the place of the set's least recently used one:
// four random lines of its set push it out of an L1 of any capacity. A line that finds a free way
// but no room takes that of the oldest line of another set of its bank; one set after the other
// gives up a line, once each in 128, in an order that is not known (here by number). So lines in a
// row hold up to the capacity, and beyond it the oldest of three or four of each set go; columns of
// a matrix whose rows are apart by a multiple of a power of two may not.
//
// Capacity: 256 KiB less the shared-memory configuration less 8 KiB (measured at six carve-outs).
// Invariants: hits + misses = sectors looked up; valid sectors have all bytes.
// Cost: one line of the host's cache a line, and two bytes of a small table, as a miss that makes
// room elsewhere one more.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/prefetch.hpp"
#include "model/access.hpp"
#include "model/l1_index.hpp"
#include "model/l1_ways.hpp"
#include "model/match.hpp"

namespace warpmem::model {

class L1Cache {
 public:
  static constexpr std::uint32_t kBanks = L1Ways::kBanks;  // of tags
  struct Spec {
    std::uint32_t lines = 1728;    // capacity
    std::uint32_t sets = kL1Sets;  // a power of two, at least 4, of four ways each
    bool operator==(const Spec&) const = default;
  };
  // Where the tables have a line, or would: worked out once for all that concerns it.
  struct Seat {
    std::uint32_t set;
    std::uint32_t bank() const { return set % kBanks; }
  };
  // What a load of one line met. A caller that keeps time says when what misses arrives.
  struct Loaded {
    std::uint64_t arrival;  // cycle from which what is there is there; 0: never said
    std::uint64_t* entry;   // for arrives()
    std::uint8_t missing;   // sectors
  };
  // Its tables take their memory from `memory`.
  explicit L1Cache(const Spec& spec,
                   std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  Seat seat(std::uint64_t line) const { return {(l1_set(line) | beyond(line)) & (spec_.sets - 1)}; }
  // The same for all lines of a list.
  void seats(const LineList& lines, Seat* out) const;

  // What loads of several lines miss: for each the entry for arrives(), and the cycle from which
  // all of the lines before it that hit are there.
  struct Misses : LineParts {
    std::array<std::uint64_t*, LineList::kMost> entry;
    std::array<std::uint64_t, LineList::kMost> before;
    std::uint64_t hit = 0;  // the cycle from which all that hit are there
  };
  // Loads the lines of a list, one after the other. What misses is valid afterwards. `allocate`
  // false: a hit counts, a miss leaves nothing behind.
  void load(const LineList& lines, const Seat* seats, bool allocate, Misses& out);
  // The same for one line.
  Loaded load(std::uint64_t line, const Seat& seat, std::uint8_t sectors, bool allocate);
  // Which of `sectors` miss.
  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate = true) {
    return load(line, seat(line), sectors, allocate).missing;
  }
  // What a load missed arrives at this cycle, or later if that was said before. Loads of one access
  // are told in their order, at cycles that do not go back: a line that made room for a later one
  // of them then leaves it nothing to wait for.
  static void arrives(std::uint64_t* entry, std::uint64_t cycle) {
    *entry = std::max(*entry, cycle);
  }
  // A store of the given bytes. True when the line was present (all its sectors count as hits).
  bool store(std::uint64_t line, const Seat& seat, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes);
  bool store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes) {
    return store(line, seat(line), sectors, full, bytes);
  }
  // Drops sectors (atomics).
  void drop(std::uint64_t line, std::uint8_t sectors);
  // Forgets everything (kernel start, acquire fence).
  void invalidate();

  // Has what an access to the line will look at brought into the host's cache; changes nothing.
  void prefetch(const Seat& seat) const { warpmem::prefetch(&sets_[seat.set]); }

  const Spec& spec() const { return spec_; }

 private:
  static constexpr std::uint32_t kWays = L1Ways::kWays, kNone = L1Ways::kNone;
  static constexpr std::uint64_t kPartial = 16;  // in a way's state: partial_ holds something
  struct Bytes {
    std::uint32_t sector[4];
  };
  struct alignas(64) Set {
    // Line, kPartial, readable sectors (four bits); of ways that hold no line it says nothing.
    std::uint64_t state[kWays];
    std::uint64_t arrival[kWays];  // cycle
  };

  // With other than 512 sets the same bits are taken for less, or further ones for more.
  static std::uint32_t beyond(std::uint64_t line) {
    return static_cast<std::uint32_t>((line >> 9 ^ line >> 18) / kL1Sets * kL1Sets);
  }
  static void seats(const std::uint64_t* line, std::size_t count, Seat* out);
  static Loaded load(Set* sets, L1Ways& ways, std::uint32_t at, std::uint64_t line,
                     std::uint8_t sectors, bool allocate, std::uint64_t* nowhere);
  // The line's way, or kNone.
  static std::uint32_t find(const Set& set, const L1Ways& ways, std::uint32_t at,
                            std::uint64_t line) {
    const std::uint32_t same = upper_equal<5>(set.state, line);
    return same ? ways.find(at, same) : kNone;
  }

  Spec spec_;
  std::pmr::vector<Set> sets_;
  std::pmr::vector<L1Ways::Row> rows_;  // by set
  L1Ways ways_;                         // over rows_
  std::pmr::vector<Bytes> partial_;     // by way: bytes written in sectors that are not readable
  std::uint64_t nowhere_ = 0;           // arrival of what leaves nothing behind
};

inline L1Cache::Loaded L1Cache::load(Set* sets, L1Ways& ways, std::uint32_t at, std::uint64_t line,
                                     std::uint8_t sectors, bool allocate, std::uint64_t* nowhere) {
  Set& set = sets[at];
  std::uint32_t way = find(set, ways, at, line);
  if (way != kNone) {
    ways.use(at, way);
    const auto missing = static_cast<std::uint8_t>(sectors & ~set.state[way]);
    if (allocate) set.state[way] |= sectors;
    return {set.arrival[way], &set.arrival[way], missing};
  }
  if (!allocate) return {0, nowhere, sectors};
  way = ways.take(at);
  set.state[way] = line << 5 | sectors;
  set.arrival[way] = 0;
  return {0, &set.arrival[way], sectors};
}

inline L1Cache::Loaded L1Cache::load(std::uint64_t line, const Seat& seat, std::uint8_t sectors,
                                     bool allocate) {
  return load(sets_.data(), ways_, seat.set, line, sectors, allocate, &nowhere_);
}

}  // namespace warpmem::model
