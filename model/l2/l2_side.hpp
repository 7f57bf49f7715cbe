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
// clean, while the oldest clean line goes in its place: stores that reads push out leave at half
// the pace of LRU, and are then still there to be read (l2_writeback.cu, 2026-11-22). The
// hardware's write-backs also lag behind reads at full rate; here they are done at once. The set
// hash is not identified: an even spread is assumed. How lines that persist and lines that are the
// first to go change whose turn it is: stay.hpp. Invariants: dirty and partial sectors are
// valid or partial, never both. Cost: one line of the host's cache an access.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"
#include "base/wide_hosts.hpp"
#include "model/access/access.hpp"
#include "model/fast/divisor.hpp"
#include "model/access/line_words.hpp"
#include "model/fast/match.hpp"
#include "model/access/stay.hpp"
#include "model/l2/spec.hpp"

namespace warpmem::model {

class L2Side {
  static constexpr int kWays = 16;
  // Four bits a way: sectors, or the way's number.
  struct alignas(64) Set {
    std::uint16_t tag[kWays];  // kEmpty: never used
    std::uint64_t order;       // ways from most to least recently used; never used ones are oldest
    std::uint64_t valid;       // readable sectors
    std::uint64_t dirty;
    std::uint64_t partial;  // partly written sectors
  };

 public:
  using Spec = L2SideSpec;
  // What an operation caused in DRAM, in sectors.
  struct Traffic {
    std::uint32_t fills = 0;   // read to complete partly written sectors
    std::uint32_t writes = 0;  // written back
    std::uint32_t set = 0;     // whose they were, for line_of(): the last one's
    std::uint16_t short_tag = 0;
    Traffic& add(const Traffic& later) {
      fills += later.fills;
      writes += later.writes;
      set = later.set;
      short_tag = later.short_tag;
      return *this;
    }
  };
  // Where a line belongs. One side's seats are good on another of the same Spec, if that side has
  // only ever seen seats of the first.
  struct Seat {
    std::uint32_t set;
    std::uint32_t tag;        // tells the lines of a set apart
    std::uint16_t short_tag;  // as the set holds it
  };
  // The same for several lines.
  struct Seats {
    std::array<std::uint32_t, LineList::kMost> set, tag;
    std::array<std::uint16_t, LineList::kMost> short_tag;
    bool known = false;  // all are of known regions
    Seat operator[](std::size_t i) const { return {set[i], tag[i], short_tag[i]}; }
    void put(std::size_t i, const Seat& s) {
      set[i] = s.set, tag[i] = s.tag, short_tag[i] = s.short_tag;
    }
  };
  // Where a line is, or would go: found once for a lookup and the fill that may follow. Good until
  // the next fill or write on this side.
  struct Spot {
    Set* set;
    Seat seat;
    int way;  // -1: not here
  };

  explicit L2Side(const Spec& spec);

  Seat seat(std::uint64_t line);
  void seats(const LineList& lines, const LineWords& words, Seats& out);
  void seats(const LineList& lines, Seats& out) { seats(lines, LineWords(lines), out); }
  // The line of a seat that this side gave out; of those beyond its regions only one like it.
  std::uint64_t line_of(std::uint32_t set, std::uint16_t short_tag) const;
  Spot find(const Seat& seat);
  // As sets hold a line's tag; a region that is new gets a number.
  std::uint16_t short_tag(std::uint32_t tag);

  // DRAM answers in aligned pieces of the line (1, 2 or 4 sectors), and a crossing brings the same.
  static std::uint8_t in_pieces(std::uint8_t sectors, std::uint32_t piece);
  // A read: what can be read here, and what of the line has been made readable because it could
  // not, in pieces of so many sectors.
  struct Found {
    std::uint8_t here, missing;
  };
  Found read(const Seat& seat, std::uint8_t sectors, std::uint32_t piece, Stay stay = Stay::kUnsaid) {
    Found found;
    return plain_ && stay == Stay::kUnsaid && seat.short_tag < kOther &&
                   read_plain(*this, sets_[seat.set], seat.short_tag, sectors, pieces(piece), found)
               ? found
               : read_other(seat, sectors, piece, stay);
  }
  // The same for lines of a list, one after the other, in a loop.
  class Reader {
   public:
    Reader(L2Side& side, const Seats& seats, std::uint32_t piece)
        : side_(side),
          sets_(side.sets_.data()),
          piece_(piece),
          in_pieces_(pieces(piece)),
          plain_(side.plain_ && seats.known) {}
    [[gnu::always_inline]] Found operator()(const Seats& seats, std::size_t at,
                                            std::uint8_t sectors) const {
      Found found;
      if (plain_ && read_plain(side_, sets_[seats.set[at]], seats.short_tag[at], sectors,
                               in_pieces_, found)) [[likely]]
        return found;
      return side_.read_other(seats[at], sectors, piece_, Stay::kUnsaid);
    }

   private:
    L2Side& side_;
    Set* const sets_;
    const std::uint32_t piece_;
    const std::uint8_t* const in_pieces_;
    const bool plain_;
  };
  // The same for all of these lines; `all`: they are all of the list's. `here` (of what is read) and
  // `missing` have room for as many as a list may have.
  void read(const Seats& seats, const LineParts& parts, std::uint32_t piece, std::uint8_t* here,
            std::uint8_t* missing, bool all = false) {
#ifdef WARPMEM_AVX512
    if (plain_ && seats.known && sets_.size() <= kMostSets && wide_host())
      return all && parts.count % 8 == 0 ? read_whole_avx512(seats, parts, piece, here, missing)
                                         : read_avx512(seats, parts, piece, here, missing);
#else
    static_cast<void>(all);
#endif
    const Reader one(*this, seats, piece);
    for (std::size_t k = 0; k < parts.count; ++k) {
      const Found found = one(seats, parts.index[k], parts.sectors[k]);
      here[k] = found.here & parts.sectors[k];
      missing[k] = found.missing;
    }
  }
  // Sectors of the line that can be read here.
  std::uint8_t lookup(const Spot& spot);
  std::uint8_t lookup(std::uint64_t line) {
    const Seat at = seat(line);
    return lookup(find(at));
  }
  // Makes sectors readable (a fill from DRAM or from home).
  void fill(const Spot& spot, std::uint8_t sectors, Stay stay = Stay::kUnsaid);
  Traffic fill(std::uint64_t line, std::uint8_t sectors, Stay stay = Stay::kUnsaid) {
    const Seat at = seat(line);
    fill(find(at), sectors, stay);
    return take_traffic();
  }
  // Writes sectors at home: `full` sectors become readable, the others partial until all their
  // bytes came or the line is filled.
  void write(const Spot& spot, std::uint8_t sectors, std::uint8_t full, const std::uint32_t* bytes,
             Stay stay = Stay::kUnsaid);
  Traffic write(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
                const std::uint32_t* bytes, Stay stay = Stay::kUnsaid) {
    const Seat at = seat(line);
    write(find(at), sectors, full, bytes, stay);
    return take_traffic();
  }
  // Whether fills and writes have caused any since take_traffic(). Few do, so that they say so here
  // and not each by itself.
  bool has_traffic() const { return traffic_.writes != 0; }
  Traffic take_traffic() { return std::exchange(traffic_, {}); }
  // Drops a copy.
  void drop(const Seat& seat, std::uint8_t sectors);
  void drop(std::uint64_t line, std::uint8_t sectors) { drop(seat(line), sectors); }
  // What a line that is here is from now on.
  void keep(const Seat& seat, Stay stay) {
    const Spot spot = find(seat);
    if (spot.way >= 0) mark(seat, spot.way, stay);
  }
  // Gives up a line with what was written to it.
  void discard(const Seat& seat);
  void clear();
  // For lines that persist.
  void set_aside(std::uint64_t bytes);
  void end_persisting();  // no line persists any more

  std::uint64_t dirty_sectors() const;

  // Has a line's set brought into the host's cache; changes nothing. `sets`: those of a side, which
  // stay where they are.
  static void prefetch(const void* sets, std::uint32_t set) {
    warpmem::prefetch(static_cast<const Set*>(sets) + set);
  }
  const void* sets() const { return sets_.data(); }

 private:
  static constexpr std::uint32_t kRows = 1024;          // sets are columns x 1024 rows
  static constexpr std::uint32_t kMostSets = 1u << 15;  // for read_avx512()
  static constexpr std::uint32_t kMixFirst = 0x9e3779b1u, kMixSecond = 0x85ebca77u;
  // Short tags: the low bits of a tag and which region of memory (16 GB on an H200) it is from.
  // There are as many lines of further regions as of others, but all share a number: their whole
  // tags are looked at as well.
  static constexpr unsigned kLowBits = 13;
  static constexpr std::uint32_t kRegions = 7;
  static constexpr std::uint16_t kOther = kRegions << kLowBits;
  static constexpr std::uint16_t kEmpty = 0xffff;

  // By piece, then sectors.
  static constexpr auto kInPieces = [] {
    std::array<std::array<std::uint8_t, 16>, 5> all{};
    for (unsigned piece = 0; piece < all.size(); ++piece)
      for (unsigned sectors = 0; sectors < 16; ++sectors) {
        const unsigned pairs = (sectors | sectors >> 1) & 5u;
        const unsigned whole = piece == 2 ? pairs * 3 : piece == 4 && sectors ? 15 : sectors;
        all[piece][sectors] = static_cast<std::uint8_t>(whole);
      }
    return all;
  }();

  // Ways of a set that are not like others.
  struct Marks {
    std::uint16_t persist = 0, first = 0;
  };
  struct PartialBytes {
    Seat seat{~0u, 0, 0};
    std::uint32_t bytes[4] = {};
  };

  // Shuffles each block of 1,024 lines over the rows, so that a contiguous footprint fills all sets
  // alike and strides still spread.
  static std::uint32_t mix(std::uint32_t block) {
    std::uint32_t h = block * kMixFirst;
    h ^= h >> 15;
    h *= kMixSecond;
    return h ^ h >> 13;
  }
  static std::uint8_t sectors_of(std::uint64_t ways, int way) {
    return static_cast<std::uint8_t>(ways >> way * 4 & 15);
  }
  static std::uint64_t on_way(std::uint8_t sectors, int way) {
    return std::uint64_t{sectors} << way * 4;
  }
  static const std::uint8_t* pieces(std::uint32_t piece) {
    return kInPieces[std::min(piece, 4u)].data();
  }
  static void promote(Set& s, int way);
  // How many ways have any of these sectors.
  static std::uint32_t ways_with(std::uint64_t sectors) {
    std::uint64_t n = sectors | sectors >> 2;
    n = (n | n >> 1) & 0x1111111111111111ull;
    n = (n + (n >> 4)) & 0x0303030303030303ull;
    return static_cast<std::uint32_t>(n * 0x0101010101010101ull >> 56);
  }
  static std::uint32_t spread(const LineWords& words, std::uint32_t columns, std::uint32_t* set,
                              std::uint32_t* tag);
  static std::uint32_t spread_plain(const LineWords& words, std::uint32_t columns,
                                    std::uint32_t* set, std::uint32_t* tag);
  static std::uint32_t spread_avx512(const LineWords& words, std::uint32_t columns,
                                     std::uint32_t* set, std::uint32_t* tag);
  static void shorten(const std::uint32_t* tag, std::size_t count, std::uint32_t region,
                      std::uint16_t* out);
  static void shorten_plain(const std::uint32_t* tag, std::size_t count, std::uint32_t region,
                            std::uint16_t* out);
  static void shorten_avx512(const std::uint32_t* tag, std::size_t count, std::uint32_t region,
                             std::uint16_t* out);
  static bool read_plain(L2Side& side, Set& set, std::uint16_t short_tag, std::uint8_t sectors,
                         const std::uint8_t* in_pieces, Found& out);
  static std::uint32_t meet(const Seats& seats, const std::uint8_t* index, std::size_t count);
  static bool read_eight(Set* const* set, const std::uint16_t* tag, const std::uint8_t* sectors,
                         const std::uint8_t* in_pieces, std::uint64_t& here, std::uint64_t& missing);
  void read_eights(const Seats& seats, const LineParts& parts, std::uint32_t piece,
                   std::uint8_t* here, std::uint8_t* missing, bool whole);
  void read_avx512(const Seats& seats, const LineParts& parts, std::uint32_t piece,
                   std::uint8_t* here, std::uint8_t* missing);
  void read_whole_avx512(const Seats& seats, const LineParts& parts, std::uint32_t piece,
                         std::uint8_t* here, std::uint8_t* missing);
  Found read_other(const Seat& seat, std::uint8_t sectors, std::uint32_t piece, Stay stay);
  static int oldest(std::uint64_t order, std::uint64_t among);

  std::uint16_t add_region(std::uint32_t tag);
  int claim(Set& s, const Seat& seat);
  int claim_unusual(Set& s, const Seat& seat);
  int spare_dirty(Set& s, int oldest_way);
  std::uint64_t make_room(Set& s);
  int replace_marked(Set& s, std::size_t set);
  void clean(Set& s, int way);
  void keep_caps(Set& s);
  std::uint64_t held(const Set& s) const;
  std::uint8_t write_pieces(const Seat& seat, int way, std::uint8_t piece,
                            const std::uint32_t* bytes);
  void mark(const Seat& seat, int way, Stay stay) {
    if (stay != Stay::kUnsaid || !plain_) [[unlikely]]
      mark_way(seat, way, stay);
  }
  void mark_way(const Seat& seat, int way, Stay stay);
  void keep_whole_tag(const Seat& seat, int way);
  std::uint32_t same_whole_tag(const Seat& seat, std::uint32_t ways) const;
  PartialBytes* partial_bytes(const Seat& seat, int way);

  Spec spec_;
  std::uint32_t columns_ = 0;  // sets = columns * kRows
  SmallDivisor by_columns_;
  unsigned oldest_place_ = 0;  // in Set::order: the first bit of the last way's
  bool plain_ = false;         // 16 ways, of which none is marked
  std::uint32_t persist_ways_ = 1;
  std::uint32_t region_[kRegions] = {};  // upper bits of the tags in it
  std::uint32_t regions_ = 0;            // known
  Traffic traffic_;
  std::pmr::vector<Set> sets_;
  std::vector<std::uint32_t> whole_tag_;   // by set and way, once there are lines of no region
  std::vector<Marks> marks_;               // by set; empty until there is one
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
  const SmallDivisor::Parts place = by_columns_.divide(block);
  const std::uint32_t tag = place.quotient << 1 | twin;
  return {place.rest * kRows + row, tag, short_tag(tag)};
}

inline std::uint16_t L2Side::short_tag(std::uint32_t tag) {
  const std::uint32_t upper = tag >> kLowBits;
  std::uint32_t region = 0;
  while (region < regions_ && region_[region] != upper) ++region;
  return region < regions_ ? static_cast<std::uint16_t>(region << kLowBits | tag % (1u << kLowBits))
                           : add_region(tag);
}

inline L2Side::Spot L2Side::find(const Seat& seat) {
  Spot spot;
  spot.set = &sets_[seat.set];
  spot.seat = seat;
  std::uint32_t same = words_equal(spot.set->tag, seat.short_tag);
  if (seat.short_tag >= kOther) [[unlikely]]
    same = same_whole_tag(seat, same);
  spot.way = same ? std::countr_zero(same) : -1;
  return spot;
}

inline std::uint8_t L2Side::in_pieces(std::uint8_t sectors, std::uint32_t piece) {
  return kInPieces[std::min(piece, 4u)][sectors & 15];
}

// A read as most are: of what is here, or of what takes the place of another line. False, and
// nothing is done, where it is another. Only where the side is plain, and of a line of a known
// region.
inline bool L2Side::read_plain(L2Side& side, Set& s, std::uint16_t short_tag, std::uint8_t sectors,
                               const std::uint8_t* in_pieces, Found& out) {
  const std::uint32_t same = words_equal(s.tag, short_tag);
  if (same) {
    const int way = std::countr_zero(same);
    const std::uint8_t here = sectors_of(s.valid, way);
    const auto missing = static_cast<std::uint8_t>(in_pieces[sectors & ~here] & ~here);
    if (missing & sectors_of(s.partial, way)) [[unlikely]]
      return false;  // a fill completes those
    promote(s, way);
    s.valid |= on_way(missing, way);
    out = {here, missing};
    return true;
  }
  if (sectors == 0) [[unlikely]]
    return false;
  const std::uint64_t order = s.order;
  std::uint64_t shift = order >> (kWays * 4 - 4) << 2;
  const std::uint8_t missing = in_pieces[sectors];
  if ((s.dirty | s.partial) >> shift & 15) [[unlikely]]
    shift = side.make_room(s);
  else s.order = std::rotl(order, 4);  // the last becomes the first
  s.tag[shift >> 2] = short_tag;
  s.valid = (s.valid & ~(std::uint64_t{15} << shift)) | std::uint64_t{missing} << shift;
  out = {0, missing};
  return true;
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
  promote(*spot.set, spot.way);
  return sectors_of(spot.set->valid, spot.way);
}

inline void L2Side::fill(const Spot& spot, std::uint8_t sectors, Stay stay) {
  Set& s = *spot.set;
  int way = spot.way;
  if (way < 0) {
    way = claim(s, spot.seat);
    s.valid |= on_way(sectors, way);
  } else {
    promote(s, way);
    const std::uint64_t filled = on_way(sectors, way);
    // A fill completes partial sectors: they are dirty from then on.
    s.dirty |= s.partial & filled;
    s.partial &= ~filled;
    s.valid |= filled;
  }
  mark(spot.seat, way, stay);
}

// Takes a way for the line, as its most recently used.
inline int L2Side::claim(Set& s, const Seat& seat) {
  int way = static_cast<int>(s.order >> (kWays * 4 - 4));
  if (!plain_ || sectors_of(s.dirty | s.partial, way)) [[unlikely]] {
    way = claim_unusual(s, seat);
    promote(s, way);
  } else {
    // The last becomes the first: all of the order moves on by one.
    s.order = std::rotl(s.order, 4);
  }
  s.tag[way] = seat.short_tag;
  if (seat.short_tag >= kOther) [[unlikely]]
    keep_whole_tag(seat, way);
  s.valid &= ~on_way(15, way);
  return way;
}

inline void L2Side::write(const Spot& spot, std::uint8_t sectors, std::uint8_t full,
                          const std::uint32_t* bytes, Stay stay) {
  Set& s = *spot.set;
  int way = spot.way;
  if (way < 0) way = claim(s, spot.seat);
  else promote(s, way);
  mark(spot.seat, way, stay);
  // Sectors that can be read stay so and get dirty; the rest of the written ones are partial.
  std::uint8_t whole = static_cast<std::uint8_t>(full | (sectors & sectors_of(s.valid, way)));
  if (sectors & ~whole) [[unlikely]]
    whole = static_cast<std::uint8_t>(
        whole | write_pieces(spot.seat, way, static_cast<std::uint8_t>(sectors & ~whole), bytes));
  const std::uint64_t written = on_way(whole, way);
  s.partial &= ~written;
  s.valid |= written;
  s.dirty |= written;
  if (s.partial || ways_with(s.dirty) > spec_.dirty_ways) keep_caps(s);
}

}  // namespace warpmem::model
