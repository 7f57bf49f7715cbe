#include "model/l2/l2_side.hpp"

#include <algorithm>
#include <bit>

#include "base/wide_words.hpp"

namespace warpmem::model {

bool L2Side::takes(std::uint64_t sets, std::uint64_t ways, SetRule index) {
  return ways >= 1 && ways <= 32 && sets >= kRows &&
         (index == SetRule::kMixedRows || index == SetRule::kLowBits);
}

L2Side::L2Side(const Spec& spec)
    : sets_(static_cast<std::uint32_t>(spec.bytes / spec.line_bytes / spec.ways)),
      by_sets_(sets_),
      mixed_(spec.index == SetRule::kMixedRows),
      is_few_(spec.ways <= 16) {
  const std::uint32_t rows = rows_of_sets(sets_);
  row_bits_ = static_cast<unsigned>(std::countr_zero(rows));
  columns_ = sets_ / rows;
  by_columns_ = SmallDivisor(columns_);
  measured_ = mixed_ && rows == kRows;
  if (few()) few_.shape(sets_, spec);
  else many_.shape(sets_, spec);
}

// By the rest of the line's number, or in rows of another length than was measured.
L2Side::SetTag L2Side::set_tag_of_others(std::uint64_t line) {
  if (!mixed_) {
    const Divisor::Parts place = by_sets_.divide(line);
    const auto tag = static_cast<std::uint32_t>(place.quotient);
    return {static_cast<std::uint32_t>(place.rest), tag, short_tag(tag)};
  }
  const auto twin = static_cast<std::uint32_t>(line >> 5 & 1);
  const std::uint64_t folded = line >> 6 << 5 | (line & 31);
  const auto block = static_cast<std::uint32_t>(folded >> row_bits_);
  const std::uint32_t row =
      (static_cast<std::uint32_t>(folded) ^ mix(block)) & ((1u << row_bits_) - 1);
  const SmallDivisor::Parts place = by_columns_.divide(block);
  const std::uint32_t tag = place.quotient << 1 | twin;
  return {place.rest << row_bits_ | row, tag, short_tag(tag)};
}

void L2Side::clear() {
  few() ? few_.clear() : many_.clear();
  regions_ = 0;
}

L2Side::Found L2Side::read_many(const SetTag& set_tag, std::uint8_t sectors, std::uint32_t piece,
                                Stay stay) {
  return many_.read(set_tag, sectors, piece, stay);
}
void L2Side::fill_many(const Lookup& found_at, std::uint8_t sectors, Stay stay) {
  many_.fill(found_at, sectors, stay);
}
void L2Side::write_many(const Lookup& found_at, std::uint8_t sectors, std::uint8_t full,
                        const std::uint32_t* bytes, Stay stay) {
  many_.write(found_at, sectors, full, bytes, stay);
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
  const __m512i low = wide::all((1u << SetTag::kLowBits) - 1),
                above = wide::all(region << SetTag::kLowBits);
  for (std::size_t i = 0; i < count; i += 16) {
    const __m512i tags = _mm512_loadu_si512(tag + i);
    const __m512i shorter = _mm512_or_si512(_mm512_and_si512(tags, low), above);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm512_cvtepi32_epi16(shorter));
  }
}

#endif

// What set_tag() says of sets and tags, vectorised; the bits in which the tags differ.
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
  // Apart, as tags that are written and read in one loop are not vectorised.
  const std::uint32_t first = tag[0];
  std::uint32_t differ = 0;
  for (std::size_t from = 0; from < count; from += LineWords::kStep)
    for (std::size_t i = from; i < from + LineWords::kStep; ++i) differ |= tag[i] ^ first;
  return differ;
}

// The same where a set is the rest of the line's number. Of that the upper half is divided once for
// all lines.
WARPMEM_WIDE_HOSTS std::uint32_t L2Side::spread_by_rest(const LineWords& words, const Divisor& sets,
                                                        std::uint32_t* __restrict set,
                                                        std::uint32_t* __restrict tag) {
  const Divisor::Parts above = sets.divide(words.upper_bits());
  const auto number = static_cast<std::uint32_t>(sets.number()),
             rest = static_cast<std::uint32_t>(above.rest),
             quotient = static_cast<std::uint32_t>(above.quotient);
  const SmallDivisor by_sets(number);
  const std::uint32_t* const __restrict low = words.low.data();
  const std::size_t count = words.count;
  for (std::size_t from = 0; from < count; from += LineWords::kStep)
    for (std::size_t i = from; i < from + LineWords::kStep; ++i) {
      const SmallDivisor::Parts place = by_sets.divide(low[i]);
      const std::uint32_t both = place.rest + rest;
      const std::uint32_t over = both >= number;
      set[i] = both - (over ? number : 0);
      tag[i] = quotient + place.quotient + over;
    }
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
      out[i] = static_cast<std::uint16_t>(region << SetTag::kLowBits |
                                          tag[i] % (1u << SetTag::kLowBits));
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

void L2Side::set_tags(const LineList& lines, const LineWords& words, SetTags& out) {
  const auto count = static_cast<std::size_t>(lines.count);
  out.known = false;
  if (words.alike && (measured_ || !mixed_)) [[likely]] {
    // They are mostly of one region. Others get their numbers in the order of the lines.
    const std::uint32_t differ =
        measured_ ? spread(words, columns_, out.set.data(), out.tag.data())
                  : spread_by_rest(words, by_sets_, out.set.data(), out.tag.data());
    const std::uint16_t first = short_tag(out.tag[0]);
    out.known = !(differ >> SetTag::kLowBits || first >= SetTag::kOther);
    if (out.known)
      return shorten(out.tag.data(), words.count, first >> SetTag::kLowBits, out.short_tag.data());
  }
  bool known = !measured_;
  for (std::size_t i = 0; i < count; ++i) {
    const SetTag one = set_tag(lines.line[i]);
    out.put(i, one);
    known &= one.short_tag < SetTag::kOther;
  }
  out.known = known;
}

std::uint16_t L2Side::add_region(std::uint32_t tag) {
  const std::uint32_t low = tag % (1u << SetTag::kLowBits);
  if (regions_ < SetTag::kRegions) {
    region_[regions_] = tag >> SetTag::kLowBits;
    return static_cast<std::uint16_t>(regions_++ << SetTag::kLowBits | low);
  }
  return static_cast<std::uint16_t>(
      std::min<std::uint32_t>(SetTag::kOther | low, SetTag::kEmpty - 1));
}

// What set_tag() did, backwards.
std::uint64_t L2Side::line_of(std::uint32_t set, std::uint16_t short_tag) const {
  const std::uint32_t region = short_tag >> SetTag::kLowBits;
  const std::uint32_t upper = region < regions_ ? region_[region] : 0;
  const std::uint32_t tag = upper << SetTag::kLowBits | short_tag % (1u << SetTag::kLowBits);
  if (!mixed_) return std::uint64_t{tag} * sets_ + set;
  const std::uint32_t block = (tag >> 1) * columns_ + (set >> row_bits_);
  const std::uint32_t last_row = (1u << row_bits_) - 1;
  const std::uint64_t folded = std::uint64_t{block} << row_bits_ | ((set ^ mix(block)) & last_row);
  return folded >> 5 << 6 | std::uint64_t{tag & 1} << 5 | (folded & 31);
}

}  // namespace warpmem::model
