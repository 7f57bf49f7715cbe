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
// Invariants: hits + misses = sectors looked up; valid sectors have all bytes; free ways are the
// least recently used ones of their set.
// Cost: one line of the host's cache a line; a miss that makes room elsewhere one more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/prefetch.hpp"
#include "model/access.hpp"
#include "model/l1_index.hpp"

namespace warpmem::model {

class L1Cache {
 public:
  static constexpr std::uint32_t kBanks = 4;  // of tags
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
    std::uint32_t entry;    // for arrives()
    std::uint8_t missing;   // sectors
  };
  // Its tables take their memory from `memory`.
  explicit L1Cache(const Spec& spec,
                   std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  Seat seat(std::uint64_t line) const {
    // With other than 512 sets the same bits are taken for less, or further ones for more.
    const std::uint64_t more = (line >> 9 ^ line >> 18) / kL1Sets * kL1Sets;
    return {(l1_set(line) | static_cast<std::uint32_t>(more)) & (spec_.sets - 1)};
  }

  // Loads different lines, one after the other. What misses is valid afterwards. `allocate` false:
  // a hit counts, a miss leaves nothing behind.
  void load(const LineTouch* lines, const Seat* seats, int count, bool allocate, Loaded* out);
  // Which of `sectors` miss.
  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate = true);
  // What a load missed arrives at this cycle, or later if that was said before. Loads of one call
  // are told in their order, at cycles that do not go back: a line that made room for a later one
  // of them then leaves it nothing to wait for.
  void arrives(std::uint32_t entry, std::uint64_t cycle) {
    std::uint64_t& arrival = sets_[entry / kWays].arrival[entry % kWays];
    arrival = std::max(arrival, cycle);
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
  static constexpr std::uint32_t kWays = 4, kNone = kWays;
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // as a way's state
  static constexpr std::uint64_t kPartial = 16;  // in a way's state: partial_ holds something
  struct Bytes {
    std::uint32_t sector[4];
  };
  struct alignas(64) Set {
    std::uint64_t state[kWays];    // line, kPartial, readable sectors (four bits)
    std::uint64_t arrival[kWays];  // cycle
  };

  static std::uint32_t find(const Set& set, std::uint64_t line);
  std::uint32_t allocate(std::uint32_t at, std::uint64_t line);
  void make_room(std::uint32_t bank);
  void touch(std::uint32_t at, std::uint32_t way) { order_[at] = kPromoted[order_[at]][way]; }

  // Ways of a set from the most to the least recently used, two bits each from the lowest on, and
  // what becomes of an order when a way is used.
  using Order = std::uint8_t;
  static constexpr Order kInOrder = 0b11'10'01'00;
  static const std::array<std::array<Order, kWays>, 256> kPromoted;

  Spec spec_;
  std::uint32_t per_bank_ = 0;
  std::pmr::vector<Set> sets_;       // one more for loads that leave nothing
  std::pmr::vector<Order> order_;    // by set
  std::pmr::vector<Bytes> partial_;  // by way: bytes written in sectors that are not readable
  std::array<std::uint32_t, kBanks> used_{}, next_{};  // lines held; the row to give up one next
};

}  // namespace warpmem::model
