#include "model/l2/l2_side.hpp"

#include <algorithm>

#include "base/large_pages.hpp"
#include "base/wide_words.hpp"

namespace warpmem::model {

L2Side::L2Side(const Spec& spec) : spec_(spec), sets_(large_pages()) {
  columns_ =
      std::max<std::uint32_t>(1, static_cast<std::uint32_t>(spec.bytes / 128 / spec.ways / kRows));
  by_columns_ = SmallDivisor(columns_);
  oldest_place_ = spec.ways * 4 - 4;
  sets_.resize(static_cast<std::size_t>(columns_) * kRows);
  bytes_.resize(sets_.size() * (spec.partial_ways + 1));
  clear();
}

void L2Side::clear() {
  Set empty{};
  std::fill(std::begin(empty.tag), std::end(empty.tag), kEmpty);
  // The first way is the oldest, so that they are taken in their order; those that the side does
  // not have stay behind it.
  for (std::uint64_t place = 0; place < kWays; ++place)
    empty.order |= (place < spec_.ways ? spec_.ways - 1 - place : place) << place * 4;
  std::fill(sets_.begin(), sets_.end(), empty);
  marks_.clear();
  plain_ = spec_.ways == kWays;
  std::fill(bytes_.begin(), bytes_.end(), PartialBytes{});
  regions_ = 0;
  traffic_ = {};
}

void L2Side::set_aside(std::uint64_t bytes) {
  persist_ways_ = persisting_ways(bytes, sets_.size() * 128, spec_.ways);
}

void L2Side::end_persisting() {
  for (Marks& m : marks_) m.persist = 0;
}

#ifdef WARPMEM_AVX512

WARPMEM_AVX512 std::uint32_t L2Side::spread_avx512(const LineWords& words, std::uint32_t columns,
                                                   std::uint32_t* set, std::uint32_t* tag) {
  const SmallDivisor by_columns(columns);
  const __m512i one = wide::all(1), upper = wide::all(words.upper << 21);
  const __m512i divisor = wide::all(columns), last_row = wide::all(kRows - 1);
  __m512i differ = _mm512_setzero_si512(), first = differ;
  for (std::size_t i = 0; i < words.count; i += 16) {
    const __m512i low = _mm512_loadu_si512(words.low.data() + i);
    const __m512i twin = _mm512_and_si512(_mm512_srli_epi32(low, 5), one);
    // As many low bits of the folded number as a row has.
    const __m512i folded = _mm512_or_si512(_mm512_slli_epi32(_mm512_srli_epi32(low, 6), 5),
                                           _mm512_and_si512(low, wide::all(31)));
    const __m512i block = _mm512_or_si512(_mm512_srli_epi32(low, 11), upper);
    __m512i h = _mm512_mullo_epi32(block, wide::all(kMixFirst));
    h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 15));
    h = _mm512_mullo_epi32(h, wide::all(kMixSecond));
    h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 13));
    __m512i quotient = wide::upper_product(block, by_columns.inverse());
    __m512i rest = _mm512_sub_epi32(block, _mm512_mullo_epi32(quotient, divisor));
    const __mmask16 more = _mm512_cmpge_epu32_mask(rest, divisor);
    quotient = _mm512_mask_add_epi32(quotient, more, quotient, one);
    rest = _mm512_mask_sub_epi32(rest, more, rest, divisor);
    const __m512i row = _mm512_and_si512(_mm512_xor_si512(folded, h), last_row);
    const __m512i tags = _mm512_or_si512(_mm512_slli_epi32(quotient, 1), twin);
    _mm512_storeu_si512(set + i, _mm512_add_epi32(_mm512_mullo_epi32(rest, wide::all(kRows)), row));
    _mm512_storeu_si512(tag + i, tags);
    if (i == 0) first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(tags));
    differ = _mm512_or_si512(differ, _mm512_xor_si512(tags, first));
  }
  return static_cast<std::uint32_t>(_mm512_reduce_or_epi32(differ));
}

WARPMEM_AVX512 void L2Side::shorten_avx512(const std::uint32_t* tag, std::size_t count,
                                           std::uint32_t region, std::uint16_t* out) {
  const __m512i low = wide::all((1u << kLowBits) - 1), above = wide::all(region << kLowBits);
  for (std::size_t i = 0; i < count; i += 16) {
    const __m512i tags = _mm512_loadu_si512(tag + i);
    const __m512i shorter = _mm512_or_si512(_mm512_and_si512(tags, low), above);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm512_cvtepi32_epi16(shorter));
  }
}

#endif

// What seat() says of sets and tags, side by side; the bits in which the tags differ.
WARPMEM_WIDE_HOSTS std::uint32_t L2Side::spread_plain(const LineWords& words, std::uint32_t columns,
                                                      std::uint32_t* __restrict set,
                                                      std::uint32_t* __restrict tag) {
  const SmallDivisor by_columns(columns);
  const std::uint32_t* const __restrict low = words.low.data();
  const std::uint32_t upper = words.upper;
  const std::size_t count = words.count;
  for (std::size_t from = 0; from < count; from += LineWords::kStep)
    for (std::size_t i = from; i < from + LineWords::kStep; ++i) {
      const std::uint32_t twin = low[i] >> 5 & 1, folded = low[i] >> 6 << 5 | (low[i] & 31);
      const std::uint32_t block = low[i] >> 11 | upper << 21;
      const SmallDivisor::Parts place = by_columns.divide(block);
      set[i] = place.rest * kRows + (folded ^ mix(block)) % kRows;
      tag[i] = place.quotient << 1 | twin;
    }
  // Apart, as tags that are written and read in one loop are not worked on side by side.
  const std::uint32_t first = tag[0];
  std::uint32_t differ = 0;
  for (std::size_t from = 0; from < count; from += LineWords::kStep)
    for (std::size_t i = from; i < from + LineWords::kStep; ++i) differ |= tag[i] ^ first;
  return differ;
}

// Tags of one region.
WARPMEM_WIDE_HOSTS void L2Side::shorten_plain(const std::uint32_t* __restrict tag,
                                              std::size_t count, std::uint32_t region,
                                              std::uint16_t* __restrict out) {
  for (std::size_t from = 0; from < count; from += LineWords::kStep)
    for (std::size_t i = from; i < from + LineWords::kStep; ++i)
      out[i] = static_cast<std::uint16_t>(region << kLowBits | tag[i] % (1u << kLowBits));
}

std::uint32_t L2Side::spread(const LineWords& words, std::uint32_t columns, std::uint32_t* set,
                             std::uint32_t* tag) {
#ifdef WARPMEM_AVX512
  if (wide_host()) return spread_avx512(words, columns, set, tag);
#endif
  return spread_plain(words, columns, set, tag);
}

void L2Side::shorten(const std::uint32_t* tag, std::size_t count, std::uint32_t region,
                     std::uint16_t* out) {
#ifdef WARPMEM_AVX512
  if (wide_host()) return shorten_avx512(tag, count, region, out);
#endif
  shorten_plain(tag, count, region, out);
}

void L2Side::seats(const LineList& lines, const LineWords& words, Seats& out) {
  const auto count = static_cast<std::size_t>(lines.count);
  out.known = false;
  if (words.alike) [[likely]] {
    // They are mostly of one region. Others get their numbers in the order of the lines.
    const std::uint32_t differ = spread(words, columns_, out.set.data(), out.tag.data());
    const std::uint16_t first = short_tag(out.tag[0]);
    out.known = !(differ >> kLowBits || first >= kOther);
    if (out.known)
      return shorten(out.tag.data(), words.count, first >> kLowBits, out.short_tag.data());
  }
  for (std::size_t i = 0; i < count; ++i) out.put(i, seat(lines.line[i]));
}

std::uint16_t L2Side::add_region(std::uint32_t tag) {
  const std::uint32_t low = tag % (1u << kLowBits);
  if (regions_ < kRegions) {
    region_[regions_] = tag >> kLowBits;
    return static_cast<std::uint16_t>(regions_++ << kLowBits | low);
  }
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(kOther | low, kEmpty - 1));
}

// What seat() did, backwards.
std::uint64_t L2Side::line_of(std::uint32_t set, std::uint16_t short_tag) const {
  const std::uint32_t region = short_tag >> kLowBits;
  const std::uint32_t upper = region < regions_ ? region_[region] : 0;
  const std::uint32_t tag = upper << kLowBits | short_tag % (1u << kLowBits);
  const std::uint32_t block = (tag >> 1) * columns_ + set / kRows;
  const std::uint64_t folded = std::uint64_t{block} * kRows + ((set ^ mix(block)) % kRows);
  return folded >> 5 << 6 | std::uint64_t{tag & 1} << 5 | (folded & 31);
}

// Any read.
L2Side::Found L2Side::read_other(const Seat& seat, std::uint8_t sectors, std::uint32_t piece,
                                 Stay stay) {
  const Spot spot = find(seat);
  const std::uint8_t here = lookup(spot);
  const auto missing = static_cast<std::uint8_t>(
      in_pieces(static_cast<std::uint8_t>(sectors & ~here), piece) & ~here);
  if (missing) fill(spot, missing, stay);
  else if (spot.way >= 0) mark(seat, spot.way, stay);
  return {here, missing};
}

// The least recently used way that has any of these sectors.
int L2Side::oldest(std::uint64_t order, std::uint64_t among) {
  for (int at = 60; at >= 0; at -= 4) {
    const int way = static_cast<int>(order >> at & 15);
    if (sectors_of(among, way)) return way;
  }
  return -1;
}

L2Side::PartialBytes* L2Side::partial_bytes(const Seat& seat, int way) {
  PartialBytes* const first = &bytes_[std::size_t{seat.set} * (spec_.partial_ways + 1)];
  PartialBytes* const end = first + spec_.partial_ways + 1;
  for (PartialBytes* b = first; b != end; ++b)
    if (b->seat.tag == seat.tag && b->seat.set == seat.set) return b;
  const Set& s = sets_[seat.set];
  if (sectors_of(s.partial, way)) return nullptr;
  // A free entry: its line has no partial sectors any more.
  for (PartialBytes* b = first; b != end; ++b) {
    const int w = b->seat.set == seat.set ? find(b->seat).way : -1;
    if (w >= 0 && sectors_of(s.partial, w)) continue;
    *b = {seat, {}};
    return b;
  }
  return nullptr;
}

// Writes a way back and fills its partial sectors; it stays, clean.
void L2Side::clean(Set& s, int way) {
  const std::uint8_t partial = sectors_of(s.partial, way), dirty = sectors_of(s.dirty, way);
  s.valid |= on_way(partial, way);
  s.dirty &= ~on_way(15, way);
  s.partial &= ~on_way(15, way);
  traffic_.add({sectors_in(partial), sectors_in(dirty | partial),
                static_cast<std::uint32_t>(&s - sets_.data()), s.tag[way]});
}

// The oldest way is dirty: it is written back, and the oldest of the clean ones goes instead. With
// none clean, the oldest itself.
int L2Side::spare_dirty(Set& s, int oldest_way) {
  const std::uint64_t dirty = s.dirty | s.partial;
  clean(s, oldest_way);
  for (int at = static_cast<int>(oldest_place_) - 4; at >= 0; at -= 4) {
    const int way = static_cast<int>(s.order >> at & 15);
    if (!sectors_of(dirty, way)) return way;
  }
  return oldest_way;
}

// Of a plain side's set whose oldest way is dirty: four times the way that gives up its line, which
// is the most recently used one from now on.
[[gnu::noinline]] std::uint64_t L2Side::make_room(Set& s) {
  const int way = spare_dirty(s, static_cast<int>(s.order >> (kWays * 4 - 4)));
  promote(s, way);
  return static_cast<std::uint64_t>(way) << 2;
}

// The way to give up where some are marked: the oldest of the first to go; or else the oldest of
// those that do not persist, or of all where more persist than may. A dirty one is spared as
// elsewhere.
int L2Side::replace_marked(Set& s, std::size_t set) {
  Marks& marks = marks_[set];
  const int last = static_cast<int>(s.order >> oldest_place_ & 15);
  if (s.tag[last] == kEmpty) return last;
  const bool held = static_cast<std::uint32_t>(std::popcount(marks.persist)) <= persist_ways_;
  const std::uint64_t dirty = s.dirty | s.partial;
  int turn = -1, clean_one = -1;
  const auto look = [&](bool first) {
    for (int at = static_cast<int>(oldest_place_); at >= 0; at -= 4) {
      const int way = static_cast<int>(s.order >> at & 15);
      if ((marks.first >> way & 1) != first || (held && (marks.persist >> way & 1))) continue;
      if (turn < 0) turn = way;
      if (clean_one < 0 && !sectors_of(dirty, way)) clean_one = way;
    }
  };
  if (marks.first) look(true);
  if (clean_one < 0) look(false);
  if (sectors_of(dirty, turn)) clean(s, turn);
  const int gone = clean_one < 0 ? turn : clean_one;
  const auto others = static_cast<std::uint16_t>(~(1u << gone));
  marks.persist &= others;
  marks.first &= others;
  return gone;
}

void L2Side::keep_whole_tag(const Seat& seat, int way) {
  if (whole_tag_.empty()) whole_tag_.resize(sets_.size() * kWays);
  whole_tag_[std::size_t{seat.set} * kWays + static_cast<unsigned>(way)] = seat.tag;
}

// Of these ways with the seat's short tag, those with its whole tag.
std::uint32_t L2Side::same_whole_tag(const Seat& seat, std::uint32_t ways) const {
  std::uint32_t same = 0;
  for (; ways; ways &= ways - 1) {
    const auto way = static_cast<unsigned>(std::countr_zero(ways));
    if (whole_tag_[std::size_t{seat.set} * kWays + way] == seat.tag) same |= 1u << way;
  }
  return same;
}

int L2Side::claim_unusual(Set& s, const Seat& seat) {
  if (!marks_.empty()) return replace_marked(s, seat.set);
  const int way = static_cast<int>(s.order >> oldest_place_ & 15);
  return sectors_of(s.dirty | s.partial, way) ? spare_dirty(s, way) : way;
}

void L2Side::mark_way(const Seat& seat, int way, Stay stay) {
  if (marks_.empty()) {
    if (stay == Stay::kUnsaid || stay == Stay::kNormal) return;
    marks_.resize(sets_.size());
    plain_ = false;
  }
  Marks& m = marks_[seat.set];
  const auto bit = static_cast<std::uint16_t>(1u << way);
  const auto others = static_cast<std::uint16_t>(~bit);
  if (stay != Stay::kFirst) m.first &= others;
  else if (!(m.persist & bit)) m.first |= bit;
  if (stay == Stay::kNormal) m.persist &= others;
  if (stay == Stay::kPersist) m.persist |= bit;
}

// Keeps the bytes of sectors that are written in part; those whose bytes have all come are whole.
std::uint8_t L2Side::write_pieces(const Seat& seat, int way, std::uint8_t piece,
                                  const std::uint32_t* bytes) {
  Set& s = sets_[seat.set];
  std::uint8_t whole = 0;
  if (PartialBytes* b = partial_bytes(seat, way)) {
    for (int k = 0; k < 4; ++k) {
      if (!(piece >> k & 1)) continue;
      if (!(sectors_of(s.partial, way) >> k & 1)) b->bytes[k] = 0;
      b->bytes[k] |= bytes[k];
      if (b->bytes[k] == ~0u) whole = static_cast<std::uint8_t>(whole | 1u << k);
    }
  }
  s.partial |= on_way(static_cast<std::uint8_t>(piece & ~whole), way);
  return whole;
}

// Sectors of the lines that persist in a set, in which no more of them are than may.
std::uint64_t L2Side::held(const Set& s) const {
  if (marks_.empty()) return 0;
  const std::uint32_t persist = marks_[static_cast<std::size_t>(&s - sets_.data())].persist;
  if (static_cast<std::uint32_t>(std::popcount(persist)) > persist_ways_) return 0;
  std::uint64_t sectors = 0;
  for (std::uint32_t left = persist; left; left &= left - 1)
    sectors |= on_way(15, std::countr_zero(left));
  return sectors;
}

// Writes back what is more than may stay. Lines that persist stay as they are (measured:
// kernels/micro/l2_sliding.cu).
void L2Side::keep_caps(Set& s) {
  if (s.partial && ways_with(s.partial) > spec_.partial_ways) clean(s, oldest(s.order, s.partial));
  const std::uint64_t dirty = (s.dirty | s.partial) & ~held(s);
  if (ways_with(dirty) > spec_.dirty_ways) clean(s, oldest(s.order, dirty));
}

void L2Side::drop(const Seat& seat, std::uint8_t sectors) {
  const Spot spot = find(seat);
  if (spot.way >= 0) spot.set->valid &= ~on_way(sectors & 15, spot.way);
}

void L2Side::discard(const Seat& seat) {
  const Spot spot = find(seat);
  if (spot.way < 0) return;
  const std::uint64_t others = ~on_way(15, spot.way);
  spot.set->valid &= others;
  spot.set->dirty &= others;
  spot.set->partial &= others;
}

std::uint64_t L2Side::dirty_sectors() const {
  std::uint64_t n = 0;
  for (const Set& s : sets_) n += static_cast<std::uint64_t>(std::popcount(s.dirty | s.partial));
  return n;
}

}  // namespace warpmem::model
