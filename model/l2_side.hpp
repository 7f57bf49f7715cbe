// One side of the partitioned L2: the lines whose home it is, and copies of the other side's.
//
// Models: 128-byte lines of four sectors, sets of 16 ways, LRU, write-back; a cap on the ways of a
// set that may be dirty and on those that hold partly written sectors. Who is home and what
// crosses is the business of L2Cache (l2_cache.hpp).
//
// The caps come from store footprints on an H200 (kernels/micro/l2_policy.cu, driver 580, CUDA
// 13.0, 2026-11-21): partly written lines are filled from DRAM and written back once more than two
// in sixteen ways hold them (8 MiB of single words: 6.4 % of the lines, as 2.13 lines a set of
// which 2 may stay), fully written ones are written back once more than seven do (26 of 60 MiB stay
// dirty after any larger footprint). A dirty line whose turn it is to go is written back and stays,
// clean, while the oldest clean line goes in its place: stores that reads push out leave at half the
// pace of LRU, and are then still there to be read (l2_writeback.cu, 2026-11-22). The hardware's
// write-backs also lag behind reads at full rate; here they are done at once. The set hash is not
// identified: an even spread is assumed.
// Invariants: dirty and partial sectors are valid or partial, never both.
// Cost: one line of the host's cache an access.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "model/divisor.hpp"
#include "model/match.hpp"

namespace warpmem::model {

class L2Side {
 public:
  struct Spec {
    std::uint64_t bytes = 31457280;  // capacity of this side
    std::uint32_t ways = 16;         // at most 16
    std::uint32_t dirty_ways = 7;
    std::uint32_t partial_ways = 2;
  };
  // What an operation caused in DRAM, in sectors.
  struct Traffic {
    std::uint32_t fills = 0;   // read to complete partly written sectors
    std::uint32_t writes = 0;  // written back
    std::uint32_t set = 0;     // whose they were, for line_of(): the last one's
    std::uint16_t short_tag = 0;
    void add(const Traffic& later) {
      fills += later.fills;
      writes += later.writes;
      set = later.set;
      short_tag = later.short_tag;
    }
  };
  // Where a line belongs. One side's seats are good on another of the same Spec, if that side has
  // only ever seen seats of the first.
  struct Seat {
    std::uint32_t set;
    std::uint32_t tag;        // tells the lines of a set apart
    std::uint16_t short_tag;  // as the set holds it
  };
  // Where a line is, or would go: found once for a lookup and the fill that may follow. Good until
  // the next fill or write on this side.
  struct Spot {
    Seat seat;
    int way;  // -1: not here
  };

  explicit L2Side(const Spec& spec);

  Seat seat(std::uint64_t line);
  // The line of a seat that this side gave out; of those beyond its regions only one like it.
  std::uint64_t line_of(std::uint32_t set, std::uint16_t short_tag) const;
  Spot find(const Seat& seat) const;
  Spot find(std::uint64_t line) { return find(seat(line)); }

  // Sectors of the line that can be read here.
  std::uint8_t lookup(const Spot& spot);
  std::uint8_t lookup(std::uint64_t line) { return lookup(find(line)); }
  // Makes sectors readable (a fill from DRAM or from home).
  Traffic fill(const Spot& spot, std::uint8_t sectors, bool persist = false);
  Traffic fill(std::uint64_t line, std::uint8_t sectors, bool persist = false) {
    return fill(find(line), sectors, persist);
  }
  // Writes sectors at home: `full` sectors become readable, the others partial until all their
  // bytes came or the line is filled.
  Traffic write(const Spot& spot, std::uint8_t sectors, std::uint8_t full,
                const std::uint32_t* bytes);
  Traffic write(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
                const std::uint32_t* bytes) {
    return write(find(line), sectors, full, bytes);
  }
  // Drops a copy.
  void drop(const Seat& seat, std::uint8_t sectors);
  void drop(std::uint64_t line, std::uint8_t sectors) { drop(seat(line), sectors); }
  void clear();
  // Ways of a set kept for lines filled with `persist`; 0: none.
  void set_aside(std::uint64_t bytes);

  std::uint64_t dirty_sectors() const;

  // Has the line's set brought into the host's cache; changes nothing.
  void prefetch(const Seat& seat) const { __builtin_prefetch(&sets_[seat.set], 1); }

 private:
  static constexpr int kWays = 16;
  static constexpr std::uint32_t kRows = 1024;  // sets are columns x 1024 rows
  // Short tags: the low bits of a tag and which region of memory (16 GB on an H200) it is from.
  // There are as many lines of further regions as of others, but all share a number: their whole
  // tags are looked at as well.
  static constexpr unsigned kLowBits = 13;
  static constexpr std::uint32_t kRegions = 7;
  static constexpr std::uint16_t kOther = kRegions << kLowBits;
  static constexpr std::uint16_t kEmpty = 0xffff;

  // Four bits a way: sectors, or the way's number.
  struct alignas(64) Set {
    std::uint16_t tag[kWays];  // kEmpty from the first way that was never used on
    std::uint64_t order;       // ways from most to least recently used
    std::uint64_t valid;       // readable sectors
    std::uint64_t dirty;
    std::uint64_t partial;  // partly written sectors
  };
  struct PartialBytes {
    Seat seat{~0u, 0, 0};
    std::uint32_t bytes[4] = {};
  };

  // Shuffles each block of 1,024 lines over the rows, so that a contiguous footprint fills all sets
  // alike and strides still spread.
  static std::uint32_t mix(std::uint32_t block) {
    std::uint32_t h = block * 0x9e3779b1u;
    h ^= h >> 15;
    h *= 0x85ebca77u;
    return h ^ h >> 13;
  }
  static std::uint8_t sectors_of(std::uint64_t ways, int way) {
    return static_cast<std::uint8_t>(ways >> way * 4 & 15);
  }
  static std::uint64_t on_way(std::uint8_t sectors, int way) {
    return std::uint64_t{sectors} << way * 4;
  }
  static void promote(Set& s, int way);
  static std::uint32_t ways_with(std::uint64_t sectors);
  static int oldest(std::uint64_t order, std::uint64_t among);

  std::uint16_t add_region(std::uint32_t tag);
  // A way, and what giving it up caused. Traffic goes by value throughout: it then stays in
  // registers, where in memory it would be written in parts and read as a whole, which takes the
  // host as long as all its writes before.
  struct Claimed {
    int way;
    Traffic traffic;
  };
  Claimed claim(const Seat& seat);
  Claimed claim_unusual(std::size_t set);
  Claimed spare_dirty(Set& s, int oldest_way);
  int replace_sparing(std::size_t set);
  Traffic clean(Set& s, int way);
  void keep(const Seat& seat, int way);
  void keep_whole_tag(const Seat& seat, int way);
  PartialBytes* partial_bytes(const Seat& seat, int way);

  Spec spec_;
  std::uint32_t columns_ = 0;  // sets = columns * kRows
  Divisor by_columns_;
  std::uint64_t in_order_ = 0;  // bits of Set::order that are used
  std::uint32_t persist_ways_ = 0;
  std::uint32_t region_[kRegions] = {};  // upper bits of the tags in it
  std::uint32_t regions_ = 0;            // known
  std::pmr::vector<Set> sets_;
  std::vector<std::uint32_t> whole_tag_;   // by set and way, once there are lines of no region
  std::vector<std::uint16_t> persisting_;  // by set: ways; empty until there are such lines
  std::vector<PartialBytes> bytes_;        // partial_ways + 1 entries a set
};

inline L2Side::Seat L2Side::seat(std::uint64_t line) {
  // Of two 4 KiB chunks that differ in address bit 12 only, one has its home here and the other
  // there (l2_cache.hpp), so that bit takes no part in the index: home lines and copies each
  // spread evenly.
  const auto twin = static_cast<std::uint32_t>(line >> 5 & 1);
  const std::uint64_t folded = line >> 6 << 5 | (line & 31);
  const auto block = static_cast<std::uint32_t>(folded / kRows);
  const std::uint32_t row = (static_cast<std::uint32_t>(folded) ^ mix(block)) % kRows;
  const Divisor::Parts place = by_columns_.divide(block);
  const auto above = static_cast<std::uint32_t>(place.quotient);
  const std::uint32_t tag = above << 1 | twin, upper = tag >> kLowBits;
  std::uint32_t region = 0;
  while (region < regions_ && region_[region] != upper) ++region;
  const std::uint16_t short_tag =
      region < regions_ ? static_cast<std::uint16_t>(region << kLowBits | tag % (1u << kLowBits))
                        : add_region(tag);
  return {static_cast<std::uint32_t>(place.rest) * kRows + row, tag, short_tag};
}

inline L2Side::Spot L2Side::find(const Seat& seat) const {
  std::uint32_t same = words_equal(sets_[seat.set].tag, seat.short_tag);
  if (seat.short_tag < kOther) [[likely]]
    return {seat, same ? std::countr_zero(same) : -1};
  for (; same; same &= same - 1) {
    const int way = std::countr_zero(same);
    if (whole_tag_[std::size_t{seat.set} * kWays + static_cast<unsigned>(way)] == seat.tag)
      return {seat, way};
  }
  return {seat, -1};
}

inline void L2Side::promote(Set& s, int way) {
  // Position of `way` in the order, then rotate it to the front.
  const std::uint64_t ones = 0x1111111111111111ull;
  const std::uint64_t x = s.order ^ ones * static_cast<std::uint64_t>(way);
  const std::uint64_t zero = (x - ones) & ~x & ones * 8;
  const std::uint64_t upto = zero ^ (zero - 1);
  s.order = (s.order & ~upto) | ((s.order << 4 | static_cast<std::uint64_t>(way)) & upto);
}

inline std::uint8_t L2Side::lookup(const Spot& spot) {
  if (spot.way < 0) return 0;
  Set& s = sets_[spot.seat.set];
  promote(s, spot.way);
  return sectors_of(s.valid, spot.way);
}

inline L2Side::Traffic L2Side::fill(const Spot& spot, std::uint8_t sectors, bool persist) {
  Traffic t;
  Set& s = sets_[spot.seat.set];
  int way = spot.way;
  if (way < 0) {
    const Claimed claimed = claim(spot.seat);
    way = claimed.way;
    t = claimed.traffic;
    s.valid |= on_way(sectors, way);
  } else {
    promote(s, way);
    const std::uint64_t filled = on_way(sectors, way);
    // A fill completes partial sectors: they are dirty from then on.
    s.dirty |= s.partial & filled;
    s.partial &= ~filled;
    s.valid |= filled;
  }
  if (persist && persist_ways_) keep(spot.seat, way);
  return t;
}

// Takes a way for the line, as its most recently used.
inline L2Side::Claimed L2Side::claim(const Seat& seat) {
  Set& s = sets_[seat.set];
  Claimed c{};
  if (s.tag[spec_.ways - 1] != kEmpty && persisting_.empty()) [[likely]] {
    c.way = static_cast<int>(s.order >> (spec_.ways * 4 - 4) & 15);
    if (sectors_of(s.dirty | s.partial, c.way)) [[unlikely]] {
      c = spare_dirty(s, c.way);
      promote(s, c.way);
    } else {
      // The last becomes the first: all of the order moves on by one.
      s.order = (s.order & ~in_order_) |
                ((s.order << 4 | static_cast<std::uint64_t>(c.way)) & in_order_);
    }
  } else {
    c = claim_unusual(seat.set);
    promote(s, c.way);
  }
  s.tag[c.way] = seat.short_tag;
  if (seat.short_tag >= kOther) [[unlikely]]
    keep_whole_tag(seat, c.way);
  s.valid &= ~on_way(15, c.way);
  return c;
}

}  // namespace warpmem::model
