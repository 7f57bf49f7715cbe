// One SM's L1 data cache for global and local memory, compute capability 7.0 and later.
//
// Models: 128-byte lines of four 32-byte sectors; a miss fetches only the missing sectors; stores
// write through and allocate; words that were stored can be read (written_line.hpp); atomics and
// reductions drop their sector; sets of four ways, where the tag bank is part of the set
// (l1_index.hpp) and the oldest goes (l1_ways.hpp); room for fewer lines than there are ways.
// Leaves out: latency and pending misses (a sector asked for is a hit from then on, which is how an
// H200 counts it too).
//
// Replacement, measured on an H200 (kernels/micro/l1_hash.cu, l1_replacement.cu and l1_room.cu,
// driver 580, CUDA 13.0, 2026-11-23). The tags are those of 256 KiB, whatever part of it is shared
// memory: 512 sets of four ways. A line that finds its set full takes the place of the set's oldest
// one: four random lines of its set push it out of an L1 of any capacity. A line that finds a free
// way but no room takes that of the oldest line of another set of its bank: a hand goes over the
// bank's sets, passing those that hold nothing, and goes on where it was after fences. (In the next
// launch too; here it starts anew, so that launches say the same alone as one after the other.) So lines in a row hold up to the capacity, and beyond it the oldest of three or four
// of each set go; columns of a matrix whose rows are apart by a multiple of a power of two may not.
// A hit of a load that would not have allocated makes no line younger. One of a last use makes its
// line the oldest, and a miss of one leaves nothing (local_replacement.cu, 2,000 sequences).
//
// Capacity: 256 KiB less the shared-memory configuration less 7 KiB, to the line, at configurations
// of 32, 132 and 228 KiB; a quarter of it for each bank.
// Invariants: hits + misses = sectors looked up; valid sectors have all bytes.
// Cost: half a line of the host's cache a line, and two bytes of a small table, as a miss that
// makes room elsewhere one more.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/prefetch.hpp"
#include "base/wide_hosts.hpp"
#include "model/access/access.hpp"
#include "model/access/asked_words.hpp"
#include "model/cache/l1_index.hpp"
#include "model/cache/l1_ways.hpp"
#include "model/access/line_words.hpp"
#include "model/fast/match.hpp"
#include "model/cache/written_line.hpp"

namespace warpmem::model {

class L1Cache {
 public:
  static constexpr std::uint32_t kBanks = L1Ways::kBanks;  // of tags
  struct Spec {
    std::uint32_t lines = 1736;    // capacity
    std::uint32_t sets = kL1Sets;  // a power of two, at least 4, of four ways each
    bool operator==(const Spec&) const = default;
  };
  // Where the tables have a line, or would: worked out once for all that concerns it.
  struct Seat {
    std::uint32_t set;
    std::uint32_t tag;  // as the set holds it
    std::uint32_t bank() const { return set % kBanks; }
  };
  // The same for the lines of a list.
  struct Seats {
    std::array<std::uint32_t, LineList::kMost> set, tag;
    Seat operator[](std::size_t i) const { return {set[i], tag[i]}; }
    void put(std::size_t i, const Seat& s) { set[i] = s.set, tag[i] = s.tag; }
  };
  // What a load of one line met. A caller that keeps time says when what misses arrives.
  struct Loaded {
    std::uint64_t arrival;  // cycle from which what is there is there; 0: never said
    std::uint32_t* entry;   // for arrives()
    std::uint8_t missing;   // sectors
  };
  // Its tables take their memory from `memory`.
  explicit L1Cache(const Spec& spec,
                   std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  Seat seat(std::uint64_t line) {
    const std::uint32_t set = l1_set(line);
    return {spec_.sets == kL1Sets ? set : set_of_others(set, line), tag(line)};
  }
  // Of a line whose set is known.
  Seat seat(std::uint64_t line, std::uint32_t set) { return {set, tag(line)}; }
  // The sets of lines, which are the same in all L1s of one Spec.
  void sets(const LineList& lines, const LineWords& words, std::uint32_t* out) const;
  void seats(const LineList& lines, const LineWords& words, Seats& out);
  void seats(const LineList& lines, Seats& out) { seats(lines, LineWords(lines), out); }

  // What loads of several lines miss: for each the entry for arrives(), and the cycle from which
  // all of the lines before it that hit are there.
  struct Misses : LineParts {
    std::array<std::uint32_t*, LineList::kMost> entry;
    std::array<std::uint64_t, LineList::kMost> before;
    std::uint64_t hit = 0;  // the cycle from which all that hit are there
    bool strangers = false;  // all lines of the list, none of which was there in part
  };
  // Loads the lines of a list, one after the other. What misses is valid afterwards. `allocate`
  // false: a hit counts, a miss leaves nothing behind.
  void load(const LineList& lines, const Seats& seats, const AskedWords& words, bool allocate,
            Misses& out);
  // The same, but nothing is done and the answer is false where some line is there in part or whole.
  bool load_strangers_of(const LineList& lines, const Seats& seats, bool allocate, Misses& out) {
#ifdef WARPMEM_AVX512
    return allocate && wide_host() && load_strangers(lines, seats, out);
#else
    static_cast<void>(lines), static_cast<void>(seats), static_cast<void>(allocate);
    static_cast<void>(out);
    return false;
#endif
  }
  // The same for one line.
  Loaded load(std::uint64_t line, const Seat& seat, std::uint8_t sectors, const AskedWords& words,
              bool allocate);
  // Which of `sectors` miss.
  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate = true,
                    const AskedWords& words = {}) {
    return load(line, seat(line), sectors, words, allocate).missing;
  }
  // Which of `sectors` a load misses that says it is the last one (LDL.LU): its line, if there is one, is
  // the oldest of its set from then on, and if there is none, none comes.
  std::uint8_t load_last(std::uint64_t line, std::uint8_t sectors, const AskedWords& words);
  // What a load missed arrives at this cycle, or later if that was said before. Loads of one access
  // are told in their order, at cycles that do not go back: a line that made room for a later one
  // of them then leaves it nothing to wait for.
  void arrives(std::uint32_t* entry, std::uint64_t cycle) {
    std::uint64_t after = cycle - epoch_;
    if (after >> 32) [[unlikely]]
      after = from_new_epoch(cycle);
    *entry = std::max(*entry, static_cast<std::uint32_t>(after));
  }
  // The same for what an access missed, each line in its turn: it arrives with what was asked for
  // before it. `done`: by line, when it is back. The cycle in which the last one is there, no sooner
  // than `soonest`.
  std::uint64_t arrive(const Misses& missed, const std::uint64_t* done, std::uint64_t soonest);
  // A store of the given bytes. True when the line was present (all its sectors count as hits).
  bool store(std::uint64_t line, const Seat& seat, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes);
  bool store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes) {
    return store(line, seat(line), sectors, full, bytes);
  }
  // Drops sectors (atomics).
  void drop(std::uint64_t line, std::uint8_t sectors);
  // Forgets all lines below this one, a multiple of 1 TiB (CCTL.IVALL, which leaves local memory's).
  void invalidate(std::uint64_t kept = ~std::uint64_t{0});
  // As new.
  void reset();

  // Has what an access to the line will look at brought into the host's cache; changes nothing.
  void prefetch(const Seat& seat) const { prefetch(seat.set); }
  void prefetch(std::uint32_t set) const {
    warpmem::prefetch(&sets_[set]);
    warpmem::prefetch(&rows_[set]);
  }
  void prefetch(const Seats& seats, std::size_t count) const {
    const Set* const sets = sets_.data();
    for (std::size_t i = 0; i < count; ++i) warpmem::prefetch(sets + seats.set[i]);
    // Of a table so small that many lines, and who makes room for them, find most of it.
    if (count < kManyLines) return;
    constexpr std::size_t kInLine = 64 / sizeof(L1Ways::Row);  // of the host's cache
    for (std::size_t set = 0; set < rows_.size(); set += kInLine)
      warpmem::prefetch(rows_.data() + set);
  }

  const Spec& spec() const { return spec_; }

 private:
  static constexpr std::uint32_t kWays = L1Ways::kWays, kNone = L1Ways::kNone;
  static constexpr std::size_t kManyLines = 16;
  static constexpr std::uint32_t kWritten = 16;  // in a way's state: written_ holds something
  static constexpr std::uint32_t kEverySector = 15;
  static constexpr unsigned kStateBits = 5;
  // Tags are what of a line's number its set does not say: the low bits of that, and which region
  // of memory (1 TiB with 512 sets) it is from. Lines of further regions share a number; their
  // numbers are looked at as a whole.
  static constexpr unsigned kLowBits = 24;
  static constexpr std::uint32_t kRegions = 7;
  static constexpr std::uint32_t kOther = kRegions << kLowBits;
  // Half a line of the host's cache: all SMs' sets together are what gathers miss.
  struct alignas(32) Set {
    // Tag, kWritten, readable sectors (four bits); of ways that hold no line it says nothing.
    std::uint32_t state[kWays];
    std::uint32_t arrival[kWays];  // cycles after epoch_
  };

  std::uint32_t tag(std::uint64_t line) {
    const std::uint64_t above = line >> said_by_set_;
    return region(above >> kLowBits) << kLowBits |
           static_cast<std::uint32_t>(above % (1u << kLowBits));
  }
  // The number of a region; a new one gets one.
  std::uint32_t region(std::uint64_t upper) {
    std::uint32_t number = 0;
    while (number < regions_ && region_[number] != upper) ++number;
    if (number == regions_ && regions_ < kRegions) region_[regions_++] = upper;
    return number;
  }
  std::uint32_t set_of_others(std::uint32_t of_512, std::uint64_t line) const;
  static void tags(const LineWords& words, std::uint32_t region, std::uint32_t* tag);
  Loaded load(Set& set, L1Ways& ways, std::uint32_t way, std::uint64_t epoch, std::uint64_t line,
              const Seat& seat, std::uint8_t sectors, const AskedWords& words, bool allocate);
  void store_written(const Seat& seat, std::uint32_t way, std::uint8_t part, std::uint8_t full,
                     const std::uint32_t* bytes);
  std::uint8_t load_written(const Seat& seat, std::uint32_t way, std::uint8_t sectors,
                            std::uint32_t words, bool allocate);
  // Ways that look as if they held a line with this tag (bit w: way w); the one that does, or
  // kNone.
  static std::uint32_t alike(const Set& set, std::uint32_t tag) {
    return upper_equal<kStateBits>(set.state, tag << kStateBits);
  }
  std::uint32_t find_among(std::uint32_t ways, std::uint32_t at, std::uint32_t tag,
                           std::uint64_t line) const;
  std::uint32_t find(const Set& set, std::uint32_t at, std::uint32_t tag,
                     std::uint64_t line) const {
    const std::uint32_t ways = alike(set, tag);
    return ways ? find_among(ways, at, tag, line) : kNone;
  }
  void keep_whole(std::uint32_t at, std::uint32_t way, std::uint64_t line);
  template <bool allocate>
  void load_all(const LineList& lines, const Seats& seats, const AskedWords& words, Misses& out);
  void load_keeping(const LineList& lines, const Seats& seats, const AskedWords& words,
                    Misses& out);
  bool any_alike(const LineList& lines, const Seats& seats) const;
  bool load_strangers(const LineList& lines, const Seats& seats, Misses& out);
  bool arrive_strangers(const Misses& missed, const std::uint64_t* done, std::uint64_t& all) const;
  std::uint64_t from_new_epoch(std::uint64_t cycle);

  Spec spec_;
  unsigned said_by_set_ = 9;  // low bits of a line's number that its set and its other bits tell
  std::uint64_t epoch_ = 0;   // cycle
  std::pmr::vector<Set> sets_;
  std::pmr::vector<L1Ways::Row> rows_;   // by set
  L1Ways ways_;                          // over rows_
  std::pmr::vector<WrittenLine> written_;  // by way
  std::uint64_t region_[kRegions] = {};  // upper bits of the lines in it
  std::uint32_t regions_ = 0;            // known
  std::vector<std::uint64_t> whole_;     // by way: its line, once there are lines of no region
  std::uint32_t nowhere_ = 0;            // arrival of what leaves nothing behind
};

// Of a line that is in this way, or in none. `set` and `ways` are the line's and this cache's, or a
// loop's copy.
[[gnu::always_inline]] inline L1Cache::Loaded L1Cache::load(Set& set, L1Ways& ways,
                                                            std::uint32_t way, std::uint64_t epoch,
                                                            std::uint64_t line, const Seat& seat,
                                                            std::uint8_t sectors,
                                                            const AskedWords& words,
                                                            bool allocate) {
  if (way != kNone) {
    if (allocate) ways.use(seat.set, way);
    const std::uint32_t state = set.state[way];
    auto missing = static_cast<std::uint8_t>(sectors & ~state);
    if (state & kWritten) [[unlikely]]
      missing = load_written(seat, way, sectors, words(line), allocate);
    else if (allocate) set.state[way] = state | sectors;
    return {epoch + set.arrival[way], &set.arrival[way], missing};
  }
  if (!allocate) return {0, &nowhere_, sectors};
  way = ways.take(seat.set);
  set.state[way] = seat.tag << kStateBits | sectors;
  set.arrival[way] = 0;
  return {0, &set.arrival[way], sectors};
}

inline L1Cache::Loaded L1Cache::load(std::uint64_t line, const Seat& seat, std::uint8_t sectors,
                                     const AskedWords& words, bool allocate) {
  Set& set = sets_[seat.set];
  const Loaded one = load(set, ways_, find(set, seat.set, seat.tag, line), epoch_, line, seat,
                          sectors, words, allocate);
  if (seat.tag >= kOther && allocate) [[unlikely]]
    keep_whole(seat.set, static_cast<std::uint32_t>(one.entry - set.arrival), line);
  return one;
}

inline bool L1Cache::store(std::uint64_t line, const Seat& seat, std::uint8_t sectors,
                           std::uint8_t full, const std::uint32_t* bytes) {
  Set& set = sets_[seat.set];
  std::uint32_t way = find(set, seat.set, seat.tag, line);
  const bool present = way != kNone;
  if (present) {
    ways_.use(seat.set, way);
  } else {
    way = ways_.take(seat.set);
    set.state[way] = seat.tag << kStateBits;
    set.arrival[way] = 0;
    if (seat.tag >= kOther) [[unlikely]]
      keep_whole(seat.set, way, line);
  }
  std::uint32_t& state = set.state[way];
  const auto part = static_cast<std::uint8_t>(sectors & ~(state | full));
  state |= full;
  if ((state & kWritten) | part) [[unlikely]]
    store_written(seat, way, part, full, bytes);
  return present;
}

}  // namespace warpmem::model
