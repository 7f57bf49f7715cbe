// The sets of an L1: tags, readable sectors, what was written in part, and when what misses arrives
// (l1_cache.hpp says what was measured). Where a line belongs is the business of L1Cache.
//
// Cost: half a line of the host's cache a line of four ways, a whole one of eight, and a few bytes
// of a small table, as a miss that makes room elsewhere one more.
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
#include "model/access/sector_pieces.hpp"
#include "model/cache/l1_ways.hpp"
#include "model/cache/written_line.hpp"
#include "model/fast/match.hpp"

namespace warpmem::model {

// Where the tables of an L1 have a line, or would: worked out once for all that concerns it.
struct L1SetTag {
  std::uint32_t set;
  std::uint32_t tag;  // as the set holds it
  std::uint32_t bank() const { return set % L1Ways<4>::kBanks; }

  // Tags are what of a line's number its set does not say: the low bits of that, and which region
  // of memory (1 TiB with 512 sets) it is from. Lines of further regions share a number; their
  // numbers are looked at as a whole.
  static constexpr unsigned kLowBits = 24;
  static constexpr std::uint32_t kRegions = 7;
  static constexpr std::uint32_t kOther = kRegions << kLowBits;
};
// The same for the lines of a list.
struct L1SetTags {
  std::array<std::uint32_t, LineList::kMost> set, tag;
  L1SetTag operator[](std::size_t i) const { return {set[i], tag[i]}; }
  void put(std::size_t i, const L1SetTag& s) { set[i] = s.set, tag[i] = s.tag; }
};
// What a load of one line met. A caller that keeps time says when what misses arrives.
struct L1Loaded {
  std::uint64_t arrival;  // cycle from which what is there is there; 0: never said
  std::uint32_t* entry;   // for arrives()
  std::uint8_t missing;   // sectors
};
// What loads of several lines miss: for each the entry for arrives(), and the cycle from which all
// of the lines before it that hit are there.
struct L1Misses : LineParts {
  std::array<std::uint32_t*, LineList::kMost> entry;
  std::array<std::uint64_t, LineList::kMost> before;
  std::uint64_t hit = 0;  // the cycle from which all that hit are there
  bool all_new = false;   // all lines of the list, none of which was there in part
};

// `N`: the most ways that a set may have: 4, 8 or 32.
template <std::uint32_t N>
class L1Sets {
 public:
  using Ways = L1Ways<N>;
  using SetTag = L1SetTag;
  using SetTags = L1SetTags;
  using Loaded = L1Loaded;
  using Misses = L1Misses;

  // Its tables take their memory from `memory`.
  explicit L1Sets(std::pmr::memory_resource* memory)
      : sets_(memory), rows_(memory), written_(memory) {}
  // So many sets of so many ways; room for so many lines; as L1Ways has it. `fill`: sectors that a
  // miss brings at least; of four ways 1.
  void shape(std::uint32_t sets, std::uint32_t ways, std::uint32_t lines, bool after_hits,
             std::uint32_t fill);
  void reset();
  // Forgets all lines but those of the regions `stay` (bit r: region r), and of other regions all
  // below `kept`.
  void invalidate(std::uint32_t stay, std::uint64_t kept);

  // As those of L1Cache.
  void load(const LineList& lines, const SetTags& set_tags, const AskedWords& words, bool allocate,
            Misses& out);
  bool load_all_new_of(const LineList& lines, const SetTags& set_tags, bool allocate, Misses& out) {
#ifdef WARPMEM_AVX512
    if constexpr (N == 4) return allocate && wide_host() && load_all_new(lines, set_tags, out);
#endif
    static_cast<void>(lines), static_cast<void>(set_tags), static_cast<void>(allocate);
    static_cast<void>(out);
    return false;
  }
  Loaded load(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors,
              const AskedWords& words, bool allocate);
  std::uint8_t load_last(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors,
                         const AskedWords& words);
  void arrives(std::uint32_t* entry, std::uint64_t cycle) {
    std::uint64_t after = cycle - epoch_;
    if (after >> 32) [[unlikely]]
      after = from_new_epoch(cycle);
    *entry = std::max(*entry, static_cast<std::uint32_t>(after));
  }
  std::uint64_t arrive(const Misses& missed, const std::uint64_t* done, std::uint64_t soonest);
  bool store(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes);
  void drop(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors);

  void prefetch(std::uint32_t set) const {
    warpmem::prefetch(&sets_[set]);
    warpmem::prefetch(&rows_[set]);
  }
  void prefetch(const SetTags& set_tags, std::size_t count) const {
    const Set* const sets = sets_.data();
    for (std::size_t i = 0; i < count; ++i) warpmem::prefetch(sets + set_tags.set[i]);
    // Of a table so small that many lines, and who makes room for them, find most of it.
    if (N != 4 || count < kManyLines) return;
    constexpr std::size_t kInLine = 64 / sizeof(Row);  // of the host's cache
    for (std::size_t set = 0; set < rows_.size(); set += kInLine)
      warpmem::prefetch(rows_.data() + set);
  }

 private:
  using Row = typename Ways::Row;
  static constexpr std::uint32_t kWays = N, kNone = N;
  static constexpr std::size_t kManyLines = 16;
  static constexpr std::uint32_t kWritten = 16;  // in a way's state: written_ holds something
  static constexpr std::uint32_t kEverySector = 15;
  static constexpr unsigned kStateBits = 5;
  // All SMs' sets together are what gathers miss.
  struct alignas(std::min(N * 8, 64u)) Set {
    // Tag, kWritten, readable sectors (four bits); of ways that hold no line it says nothing.
    std::uint32_t state[N];
    std::uint32_t arrival[N];  // cycles after epoch_
  };

  // What a miss on some sectors brings.
  std::uint8_t brought(std::uint32_t sectors) const {
    if constexpr (N == 4) return static_cast<std::uint8_t>(sectors);
    else return in_pieces_[sectors & kEverySector];
  }
  Loaded load(Set& set, Ways& ways, std::uint32_t way, std::uint64_t epoch, std::uint64_t line,
              const SetTag& set_tag, std::uint8_t sectors, const AskedWords& words, bool allocate);
  void store_written(const SetTag& set_tag, std::uint32_t way, std::uint8_t part, std::uint8_t full,
                     const std::uint32_t* bytes);
  std::uint8_t load_written(const SetTag& set_tag, std::uint32_t way, std::uint8_t sectors,
                            std::uint32_t words, bool allocate);
  // Ways that look as if they held a line with this tag (bit w: way w); the one that does, or
  // kNone.
  static std::uint32_t alike(const Set& set, std::uint32_t tag) {
    std::uint32_t ways = 0;
    for (std::uint32_t from = 0; from < N; from += 4)
      ways |= upper_equal<kStateBits>(set.state + from, tag << kStateBits) << from;
    return ways;
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
  void load_all(const LineList& lines, const SetTags& set_tags, const AskedWords& words,
                Misses& out);
  void load_keeping(const LineList& lines, const SetTags& set_tags, const AskedWords& words,
                    Misses& out);
  // Of four ways.
  bool any_alike(const LineList& lines, const SetTags& set_tags) const;
  bool load_all_new(const LineList& lines, const SetTags& set_tags, Misses& out);
  bool arrive_all_new(const Misses& missed, const std::uint64_t* done, std::uint64_t& all) const;
  std::uint64_t from_new_epoch(std::uint64_t cycle);

  std::uint32_t ways_a_set_ = N, lines_ = 0;
  const std::uint8_t* in_pieces_ = pieces_of(1);
  bool after_hits_ = true;
  std::uint64_t epoch_ = 0;  // cycle
  std::pmr::vector<Set> sets_;
  std::pmr::vector<Row> rows_;             // by set
  Ways ways_;                              // over rows_
  std::pmr::vector<WrittenLine> written_;  // by way
  std::vector<std::uint64_t> whole_;       // by way: its line, once there are lines of no region
  std::uint32_t nowhere_ = 0;              // arrival of what leaves nothing behind
};

#ifdef WARPMEM_AVX512
template <>
bool L1Sets<4>::any_alike(const LineList& lines, const L1SetTags& set_tags) const;
template <>
bool L1Sets<4>::load_all_new(const LineList& lines, const L1SetTags& set_tags, L1Misses& out);
template <>
bool L1Sets<4>::arrive_all_new(const L1Misses& missed, const std::uint64_t* done,
                               std::uint64_t& all) const;
#endif

// Of a line that is in this way, or in none. `set` and `ways` are the line's and this cache's, or a
// loop's copy.
template <std::uint32_t N>
[[gnu::always_inline]] inline L1Loaded L1Sets<N>::load(Set& set, Ways& ways, std::uint32_t way,
                                                       std::uint64_t epoch, std::uint64_t line,
                                                       const L1SetTag& set_tag,
                                                       std::uint8_t sectors,
                                                       const AskedWords& words, bool allocate) {
  if (way != kNone) {
    if (allocate) ways.use(set_tag.set, way);
    const std::uint32_t state = set.state[way];
    auto missing = static_cast<std::uint8_t>(brought(sectors & ~state) & ~state);
    if (state & kWritten) [[unlikely]]
      missing = load_written(set_tag, way, sectors, words(line), allocate);
    else if (allocate) set.state[way] = state | missing;
    return {epoch + set.arrival[way], &set.arrival[way], missing};
  }
  const std::uint8_t all = brought(sectors);
  if (!allocate) return {0, &nowhere_, all};
  way = ways.take(set_tag.set);
  set.state[way] = set_tag.tag << kStateBits | all;
  set.arrival[way] = 0;
  return {0, &set.arrival[way], all};
}

template <std::uint32_t N>
inline L1Loaded L1Sets<N>::load(std::uint64_t line, const L1SetTag& set_tag, std::uint8_t sectors,
                                const AskedWords& words, bool allocate) {
  Set& set = sets_[set_tag.set];
  const L1Loaded one = load(set, ways_, find(set, set_tag.set, set_tag.tag, line), epoch_, line,
                            set_tag, sectors, words, allocate);
  if (set_tag.tag >= L1SetTag::kOther && allocate) [[unlikely]]
    keep_whole(set_tag.set, static_cast<std::uint32_t>(one.entry - set.arrival), line);
  return one;
}

template <std::uint32_t N>
inline bool L1Sets<N>::store(std::uint64_t line, const L1SetTag& set_tag, std::uint8_t sectors,
                             std::uint8_t full, const std::uint32_t* bytes) {
  Set& set = sets_[set_tag.set];
  std::uint32_t way = find(set, set_tag.set, set_tag.tag, line);
  const bool present = way != kNone;
  if (present) {
    ways_.use(set_tag.set, way);
  } else {
    way = ways_.take(set_tag.set);
    set.state[way] = set_tag.tag << kStateBits;
    set.arrival[way] = 0;
    if (set_tag.tag >= L1SetTag::kOther) [[unlikely]]
      keep_whole(set_tag.set, way, line);
  }
  std::uint32_t& state = set.state[way];
  const auto part = static_cast<std::uint8_t>(sectors & ~(state | full));
  state |= full;
  if ((state & kWritten) | part) [[unlikely]]
    store_written(set_tag, way, part, full, bytes);
  return present;
}

}  // namespace warpmem::model
