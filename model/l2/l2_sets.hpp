// The sets of one side of the L2: tags, sectors that can be read, dirty and partly written ones,
// and in which order lines go. l2_side.hpp says what was measured, and where a line belongs.
//
// Cost: one line of the host's cache an access of up to 16 ways, three of more.
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
#include "model/access/sector_pieces.hpp"
#include "model/access/stay.hpp"
#include "model/fast/match.hpp"
#include "model/l2/l2_order.hpp"
#include "model/l2/spec.hpp"

namespace warpmem::model {

// What an operation caused in DRAM, in sectors.
struct L2Traffic {
  std::uint32_t fills = 0;   // read to complete partly written sectors
  std::uint32_t writes = 0;  // written back
  std::uint32_t set = 0;     // whose they were, for line_of(): the last one's
  std::uint16_t short_tag = 0;
  L2Traffic& add(const L2Traffic& later) {
    fills += later.fills;
    writes += later.writes;
    set = later.set;
    short_tag = later.short_tag;
    return *this;
  }
};

// Where a line belongs. One side's set_tags are good on another of the same Spec, if that side has
// only ever seen set_tags of the first.
struct L2SetTag {
  std::uint32_t set;
  std::uint32_t tag;        // distinguishes the lines of a set
  std::uint16_t short_tag;  // as the set holds it

  // Short tags: the low bits of a tag and which region of memory (16 GB on an H200) it is from.
  // There are as many lines of further regions as of others, but all share a number: their whole
  // tags are looked at as well.
  static constexpr unsigned kLowBits = 13;
  static constexpr std::uint32_t kRegions = 7;
  static constexpr std::uint16_t kOther = kRegions << kLowBits;
  static constexpr std::uint16_t kEmpty = 0xffff;
};
// The same for several lines.
struct L2SetTags {
  std::array<std::uint32_t, LineList::kMost> set, tag;
  std::array<std::uint16_t, LineList::kMost> short_tag;
  bool known = false;  // all are of known regions
  L2SetTag operator[](std::size_t i) const { return {set[i], tag[i], short_tag[i]}; }
  void put(std::size_t i, const L2SetTag& s) {
    set[i] = s.set, tag[i] = s.tag, short_tag[i] = s.short_tag;
  }
};
// Where a line is, or would go: found once for a lookup and the fill that may follow. Good until
// the next fill or write on this side.
struct L2Lookup {
  L2SetTag set_tag;
  int way;  // -1: not here
};
// What a read meets: what can be read here, and what of the line has been made readable because it
// could not, in pieces of so many sectors.
struct L2Found {
  std::uint8_t here, missing;
};

// `N`: the most ways that a set may have, 16 or 32.
template <unsigned N>
class L2Sets {
  using Order = typename L2WaysOf<N>::Order;
  using Sectors = typename L2WaysOf<N>::Sectors;
  using Ways = typename L2WaysOf<N>::Ways;
  struct alignas(64) Set {
    std::uint16_t tag[N];  // kEmpty: never used
    Order order;           // ways from most to least recently used; never used ones are oldest
    Sectors valid;         // readable sectors
    Sectors dirty;
    Sectors partial;  // partly written sectors
  };

 public:
  L2Sets();
  void shape(std::uint32_t sets, const L2SideSpec& spec);

  L2Found read(const L2SetTag& set_tag, std::uint8_t sectors, std::uint32_t piece, Stay stay) {
    L2Found found;
    return plain_ && stay == Stay::kUnsaid && set_tag.short_tag < L2SetTag::kOther &&
                   read_plain(sets_[set_tag.set], set_tag.short_tag, sectors, pieces_of(piece),
                              found)
               ? found
               : read_other(set_tag, sectors, piece, stay);
  }
  // The same for lines of a list, one after the other, in a loop.
  class Reader {
   public:
    Reader(L2Sets& of, const L2SetTags& set_tags, std::uint32_t piece)
        : of_(of),
          sets_(of.sets_.data()),
          piece_(piece),
          in_pieces_(pieces_of(piece)),
          plain_(of.plain_ && set_tags.known) {}
    [[gnu::always_inline]] L2Found operator()(const L2SetTags& set_tags, std::size_t at,
                                              std::uint8_t sectors) const {
      L2Found found;
      if (plain_ && of_.read_plain(sets_[set_tags.set[at]], set_tags.short_tag[at], sectors,
                                   in_pieces_, found)) [[likely]]
        return found;
      return of_.read_other(set_tags[at], sectors, piece_, Stay::kUnsaid);
    }

   private:
    L2Sets& of_;
    Set* const sets_;
    const std::uint32_t piece_;
    const std::uint8_t* const in_pieces_;
    const bool plain_;
  };
  // As those of L2Side.
  void read(const L2SetTags& set_tags, const LineParts& parts, std::uint32_t piece,
            std::uint8_t* here, std::uint8_t* missing, bool all) {
#ifdef WARPMEM_AVX512
    if constexpr (N == 16)
      if (plain_ && set_tags.known && sets_.size() <= kMostSets && wide_host())
        return all && parts.count % 8 == 0
                   ? read_whole_avx512(set_tags, parts, piece, here, missing)
                   : read_avx512(set_tags, parts, piece, here, missing);
#endif
    static_cast<void>(all);
    const Reader one(*this, set_tags, piece);
    for (std::size_t k = 0; k < parts.count; ++k) {
      const L2Found found = one(set_tags, parts.index[k], parts.sectors[k]);
      here[k] = found.here & parts.sectors[k];
      missing[k] = found.missing;
    }
  }
  L2Lookup find(const L2SetTag& set_tag) const {
    std::uint32_t same = tags_equal(sets_[set_tag.set], set_tag.short_tag);
    if (set_tag.short_tag >= L2SetTag::kOther) [[unlikely]]
      same = same_whole_tag(set_tag, same);
    return {set_tag, same ? std::countr_zero(same) : -1};
  }
  std::uint8_t lookup(const L2Lookup& found_at) {
    if (found_at.way < 0) return 0;
    Set& s = sets_[found_at.set_tag.set];
    s.order.promote(found_at.way);
    return sectors_of(s.valid, found_at.way);
  }
  void fill(const L2Lookup& found_at, std::uint8_t sectors, Stay stay);
  void write(const L2Lookup& found_at, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes, Stay stay);
  bool has_traffic() const { return traffic_.writes != 0; }
  L2Traffic take_traffic() { return std::exchange(traffic_, {}); }
  void drop(const L2SetTag& set_tag, std::uint8_t sectors);
  void keep(const L2SetTag& set_tag, Stay stay) {
    const L2Lookup found_at = find(set_tag);
    if (found_at.way >= 0) mark(set_tag, found_at.way, stay);
  }
  void discard(const L2SetTag& set_tag);
  void clear();
  void set_aside(std::uint64_t bytes);
  void end_persisting();
  std::uint64_t dirty_sectors() const;

  std::size_t size() const { return sets_.size(); }
  const void* data() const { return sets_.data(); }
  static constexpr std::size_t kSetBytes = sizeof(Set);

 private:
  static constexpr std::uint32_t kMostSets = 1u << 15;  // for read_avx512()

  // Ways of a set that are not like others.
  struct Marks {
    Ways persist = 0, first = 0;
  };
  struct PartialBytes {
    L2SetTag set_tag{~0u, 0, 0};
    std::uint32_t bytes[4] = {};
  };

  static std::uint32_t tags_equal(const Set& s, std::uint16_t tag) {
    std::uint32_t ways = words_equal(s.tag, tag);
    if constexpr (N == 32) ways |= words_equal(s.tag + 16, tag) << 16;
    return ways;
  }
  static std::uint8_t sectors_of(Sectors ways, int way) {
    return static_cast<std::uint8_t>(ways >> way * 4 & 15);
  }
  static Sectors on_way(std::uint8_t sectors, int way) { return Sectors{sectors} << way * 4; }
  // The least recently used way. A plain side of 16 has all of them.
  int last(const Set& s) const { return s.order.at(last_place_); }
  int last_of_plain(const Set& s) const { return s.order.at(N == 16 ? N - 1 : last_place_); }

  bool read_plain(Set& set, std::uint16_t short_tag, std::uint8_t sectors,
                  const std::uint8_t* in_pieces, L2Found& out);
  static std::uint32_t meet(const L2SetTags& set_tags, const std::uint8_t* index,
                            std::size_t count);
  static bool read_eight(Set* const* set, const std::uint16_t* tag, const std::uint8_t* sectors,
                         const std::uint8_t* in_pieces, std::uint64_t& here,
                         std::uint64_t& missing);
  void read_eights(const L2SetTags& set_tags, const LineParts& parts, std::uint32_t piece,
                   std::uint8_t* here, std::uint8_t* missing, bool whole);
  void read_avx512(const L2SetTags& set_tags, const LineParts& parts, std::uint32_t piece,
                   std::uint8_t* here, std::uint8_t* missing);
  void read_whole_avx512(const L2SetTags& set_tags, const LineParts& parts, std::uint32_t piece,
                         std::uint8_t* here, std::uint8_t* missing);
  L2Found read_other(const L2SetTag& set_tag, std::uint8_t sectors, std::uint32_t piece, Stay stay);
  int oldest(const Order& order, Sectors among) const;

  int claim(Set& s, const L2SetTag& set_tag);
  int claim_unusual(Set& s, const L2SetTag& set_tag);
  int spare_dirty(Set& s, int oldest_way);
  int make_room(Set& s);
  int replace_marked(Set& s, std::size_t set);
  void clean(Set& s, int way);
  void keep_caps(Set& s);
  Sectors held(const Set& s) const;
  std::uint8_t write_pieces(const L2SetTag& set_tag, int way, std::uint8_t piece,
                            const std::uint32_t* bytes);
  void mark(const L2SetTag& set_tag, int way, Stay stay) {
    if (stay != Stay::kUnsaid || !plain_) [[unlikely]]
      mark_way(set_tag, way, stay);
  }
  void mark_way(const L2SetTag& set_tag, int way, Stay stay);
  void keep_whole_tag(const L2SetTag& set_tag, int way);
  std::uint32_t same_whole_tag(const L2SetTag& set_tag, std::uint32_t ways) const;
  PartialBytes* partial_bytes(const L2SetTag& set_tag, int way);

  L2SideSpec spec_;
  unsigned last_place_ = 0;  // in an order: of the last way that a set has
  bool plain_ = false;       // no way is marked; of a side of up to 16 ways, it has 16
  std::uint32_t persist_ways_ = 1;
  L2Traffic traffic_;
  std::pmr::vector<Set> sets_;
  std::vector<std::uint32_t> whole_tag_;  // by set and way, once there are lines of no region
  std::vector<Marks> marks_;              // by set; empty until there is one
  std::vector<PartialBytes> bytes_;       // partial_ways + 1 entries a set
};

#ifdef WARPMEM_AVX512
template <>
void L2Sets<16>::read_avx512(const L2SetTags& set_tags, const LineParts& parts, std::uint32_t piece,
                             std::uint8_t* here, std::uint8_t* missing);
template <>
void L2Sets<16>::read_whole_avx512(const L2SetTags& set_tags, const LineParts& parts,
                                   std::uint32_t piece, std::uint8_t* here, std::uint8_t* missing);
#endif

// A read as most are: of what is here, or of what takes the place of another line. False, and
// nothing is done, where it is another. Only where the side is plain, and of a line of a known
// region.
template <unsigned N>
inline bool L2Sets<N>::read_plain(Set& s, std::uint16_t short_tag, std::uint8_t sectors,
                                  const std::uint8_t* in_pieces, L2Found& out) {
  const std::uint32_t same = tags_equal(s, short_tag);
  if (same) {
    const int way = std::countr_zero(same);
    const std::uint8_t here = sectors_of(s.valid, way);
    const auto missing = static_cast<std::uint8_t>(in_pieces[sectors & ~here] & ~here);
    if (missing & sectors_of(s.partial, way)) [[unlikely]]
      return false;  // a fill completes those
    s.order.promote(way);
    s.valid |= on_way(missing, way);
    out = {here, missing};
    return true;
  }
  if (sectors == 0) [[unlikely]]
    return false;
  int way = last_of_plain(s);
  const std::uint8_t missing = in_pieces[sectors];
  if (sectors_of(s.dirty | s.partial, way)) [[unlikely]]
    way = make_room(s);
  else s.order.last_to_front(last_place_);
  s.tag[way] = short_tag;
  s.valid = (s.valid & ~on_way(15, way)) | on_way(missing, way);
  out = {0, missing};
  return true;
}

template <unsigned N>
inline void L2Sets<N>::fill(const L2Lookup& found_at, std::uint8_t sectors, Stay stay) {
  Set& s = sets_[found_at.set_tag.set];
  int way = found_at.way;
  if (way < 0) {
    way = claim(s, found_at.set_tag);
    s.valid |= on_way(sectors, way);
  } else {
    s.order.promote(way);
    const Sectors filled = on_way(sectors, way);
    // A fill completes partial sectors: they are dirty from then on.
    s.dirty |= s.partial & filled;
    s.partial &= ~filled;
    s.valid |= filled;
  }
  mark(found_at.set_tag, way, stay);
}

// Takes a way for the line, as its most recently used.
template <unsigned N>
inline int L2Sets<N>::claim(Set& s, const L2SetTag& set_tag) {
  int way = last_of_plain(s);
  if (!plain_ || sectors_of(s.dirty | s.partial, way)) [[unlikely]] {
    way = claim_unusual(s, set_tag);
    s.order.promote(way);
  } else {
    s.order.last_to_front(last_place_);
  }
  s.tag[way] = set_tag.short_tag;
  if (set_tag.short_tag >= L2SetTag::kOther) [[unlikely]]
    keep_whole_tag(set_tag, way);
  s.valid &= ~on_way(15, way);
  return way;
}

template <unsigned N>
inline void L2Sets<N>::write(const L2Lookup& found_at, std::uint8_t sectors, std::uint8_t full,
                             const std::uint32_t* bytes, Stay stay) {
  Set& s = sets_[found_at.set_tag.set];
  int way = found_at.way;
  if (way < 0) way = claim(s, found_at.set_tag);
  else s.order.promote(way);
  mark(found_at.set_tag, way, stay);
  // Sectors that can be read stay so and get dirty; the rest of the written ones are partial.
  auto whole = static_cast<std::uint8_t>(full | (sectors & sectors_of(s.valid, way)));
  if (sectors & ~whole) [[unlikely]]
    whole = static_cast<std::uint8_t>(
        whole |
        write_pieces(found_at.set_tag, way, static_cast<std::uint8_t>(sectors & ~whole), bytes));
  const Sectors written = on_way(whole, way);
  s.partial &= ~written;
  s.valid |= written;
  s.dirty |= written;
  if (s.partial || ways_with(s.dirty) > spec_.dirty_ways) keep_caps(s);
}

}  // namespace warpmem::model
