// Reads of several lines on a side of the L2, eight sets at a time, where the host can (AVX-512).
// Comes to the same as L2Sets::Reader, one line after the other.
#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "base/wide_words.hpp"
#include "model/l2/l2_sets.hpp"

#ifdef WARPMEM_AVX512

namespace warpmem::model {
namespace {

[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i all64(std::uint64_t n) {
  return _mm512_set1_epi64(static_cast<long long>(n));
}

// The low bytes of eight words.
[[gnu::always_inline]] WARPMEM_AVX512 inline std::uint64_t low_bytes(__m512i words) {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_cvtepi64_epi8(words)));
}

// An order of ways, newest first in its lowest digit, after `way` has become the newest: what
// promote() does to one.
[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i promoted(__m512i order, __m512i way) {
  const __m512i ones = all64(0x1111111111111111ull);
  const __m512i x = _mm512_xor_si512(order, _mm512_mullo_epi64(ones, way));
  const __m512i zero = _mm512_and_si512(_mm512_andnot_si512(x, _mm512_sub_epi64(x, ones)),
                                        all64(0x8888888888888888ull));
  const __m512i upto = _mm512_xor_si512(zero, _mm512_sub_epi64(zero, all64(1)));
  const __m512i moved = _mm512_or_si512(_mm512_slli_epi64(order, 4), way);
  // Bits of the one where they are set in `upto`, of the other where not.
  return _mm512_ternarylogic_epi64(upto, moved, order, 0xca);
}

}  // namespace

// Eight reads, of eight sets; what they find is a byte each. False, and nothing is done, where one
// of them is out of the ordinary: sectors are partly written, or a way that would have to go is
// dirty.
template <>
[[gnu::always_inline]] WARPMEM_AVX512 inline bool L2Sets<16>::read_eight(
    Set* const* set, const std::uint16_t* tag, const std::uint8_t* sectors,
    const std::uint8_t* in_pieces, std::uint64_t& here, std::uint64_t& missing) {
  static_assert(offsetof(Set, order) == 32 && offsetof(Set, valid) == 40 &&
                offsetof(Set, dirty) == 48 && offsetof(Set, partial) == 56);
  const auto same = [&](int i) WARPMEM_AVX512 {
    return _mm256_cmpeq_epi16_mask(_mm256_load_si256(reinterpret_cast<const __m256i*>(set[i]->tag)),
                                   _mm256_set1_epi16(static_cast<short>(tag[i])));
  };
  const auto four = [&](int i) WARPMEM_AVX512 {
    return _mm512_kunpackd(_mm512_kunpackw(same(i + 3), same(i + 2)),
                           _mm512_kunpackw(same(i + 1), same(i)));
  };
  const __m512i ways =
      _mm512_cvtepu16_epi64(_mm_set_epi64x(static_cast<long long>(_cvtmask64_u64(four(4))),
                                           static_cast<long long>(_cvtmask64_u64(four(0)))));
  // The four words behind the tags, turned round: a vector of each of all eight.
  const auto two = [&](int i, int k) WARPMEM_AVX512 {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(&set[i]->order))),
        _mm256_load_si256(reinterpret_cast<const __m256i*>(&set[k]->order)), 1);
  };
  const __m512i rows[4] = {two(0, 2), two(1, 3), two(4, 6), two(5, 7)};
  const __m512i first = _mm512_unpacklo_epi64(rows[0], rows[1]),
                second = _mm512_unpacklo_epi64(rows[2], rows[3]),
                third = _mm512_unpackhi_epi64(rows[0], rows[1]),
                fourth = _mm512_unpackhi_epi64(rows[2], rows[3]);
  const __m512i order = _mm512_shuffle_i64x2(first, second, 0x88),
                dirty = _mm512_shuffle_i64x2(first, second, 0xdd),
                valid = _mm512_shuffle_i64x2(third, fourth, 0x88),
                partial = _mm512_shuffle_i64x2(third, fourth, 0xdd);

  const __m512i none = _mm512_setzero_si512(), low = all64(15);
  const __mmask8 hit = _mm512_test_epi64_mask(ways, ways);
  const __m512i lowest = _mm512_and_si512(ways, _mm512_sub_epi64(none, ways));
  const __m512i way = _mm512_mask_sub_epi64(_mm512_srli_epi64(order, 60), hit, all64(63),
                                            _mm512_lzcnt_epi64(lowest));
  const __m512i shift = _mm512_slli_epi64(way, 2);
  const __m512i wanted =
      _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(sectors)));
  const __m512i there = _mm512_maskz_and_epi64(hit, _mm512_srlv_epi64(valid, shift), low);
  const __m512i pieces =
      _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in_pieces)));
  const __m512i fetched =
      _mm512_andnot_si512(there, _mm512_shuffle_epi8(pieces, _mm512_andnot_si512(there, wanted)));
  const __m512i in_part = _mm512_srlv_epi64(partial, shift);
  const __m512i unwritten =
      _mm512_and_si512(_mm512_or_si512(_mm512_srlv_epi64(dirty, shift), in_part), low);
  if (_mm512_mask_test_epi64_mask(hit, in_part, fetched) |
      _mm512_mask_test_epi64_mask(static_cast<__mmask8>(~hit), unwritten, unwritten))
    return false;

  // The way that goes is the last one, which becomes the first.
  const __m512i new_order = promoted(order, way);
  const __m512i gone = _mm512_maskz_sllv_epi64(static_cast<__mmask8>(~hit), low, shift);
  const __m512i new_valid =
      _mm512_or_si512(_mm512_andnot_si512(gone, valid), _mm512_sllv_epi64(fetched, shift));
  const __m512i even = _mm512_unpacklo_epi64(new_order, new_valid),
                odd = _mm512_unpackhi_epi64(new_order, new_valid);
  const auto store = [&](int i, __m128i both) WARPMEM_AVX512 {
    _mm_store_si128(reinterpret_cast<__m128i*>(&set[i]->order), both);
  };
  store(0, _mm512_castsi512_si128(even));
  store(1, _mm512_castsi512_si128(odd));
  store(2, _mm512_extracti64x2_epi64(even, 1));
  store(3, _mm512_extracti64x2_epi64(odd, 1));
  store(4, _mm512_extracti64x2_epi64(even, 2));
  store(5, _mm512_extracti64x2_epi64(odd, 2));
  store(6, _mm512_extracti64x2_epi64(even, 3));
  store(7, _mm512_extracti64x2_epi64(odd, 3));
  // Those that hit have their tag already.
  std::uint64_t each = low_bytes(way);
  for (int i = 0; i < 8; ++i, each >>= 8) set[i]->tag[each & 15] = tag[i];
  here = low_bytes(_mm512_and_si512(there, wanted));
  missing = low_bytes(fetched);
  return true;
}

// Of up to 32 parts from this one on, bit i is set where the one in place i has the set of another
// of the same eight.
template <>
[[gnu::always_inline]] WARPMEM_AVX512 inline std::uint32_t L2Sets<16>::meet(
    const L2SetTags& set_tags, const std::uint8_t* index, std::size_t count) {
  const auto sixteen = [&set_tags](std::size_t from) WARPMEM_AVX512 {
    return _mm512_cvtepi32_epi16(_mm512_loadu_si512(set_tags.set.data() + from));
  };
  const auto half = [&](std::size_t from) WARPMEM_AVX512 {
    return _mm512_inserti64x4(_mm512_castsi256_si512(sixteen(from)), sixteen(from + 16), 1);
  };
  alignas(64) static constexpr auto kNobody = [] {
    std::array<std::uint16_t, 32> all{};
    for (unsigned i = 0; i < 32; ++i) all[i] = static_cast<std::uint16_t>(kMostSets + i);
    return all;
  }();
  const __m512i of =
      _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)));
  const auto there =
      static_cast<__mmask32>((std::uint64_t{1} << std::min<std::size_t>(count, 32)) - 1);
  const __m512i sets = _mm512_mask_mov_epi16(_mm512_load_si512(kNobody.data()), there,
                                             _mm512_permutex2var_epi16(half(0), of, half(32)));
  // Each is compared with the four behind it, in a ring of eight.
  const auto same = [&sets](auto bytes) WARPMEM_AVX512 {
    return _mm512_cmpeq_epi16_mask(sets, _mm512_alignr_epi8(sets, sets, bytes.value));
  };
  return same(std::integral_constant<int, 2>{}) | same(std::integral_constant<int, 4>{}) |
         same(std::integral_constant<int, 6>{}) | same(std::integral_constant<int, 8>{});
}

// `whole`: the parts are all lines of a list, in eights.
template <>
[[gnu::always_inline]] WARPMEM_AVX512 inline void L2Sets<16>::read_eights(
    const L2SetTags& set_tags, const LineParts& parts, std::uint32_t piece, std::uint8_t* here,
    std::uint8_t* missing, bool whole) {
  Set* const sets = sets_.data();
  const Reader one(*this, set_tags, piece);
  const std::uint8_t* const in_pieces = pieces_of(piece);
  Set nobody{};  // in the place of lines that there are not
  nobody.order.all = 0xfedcba9876543210;
  std::uint32_t met = 0;
  // Written at once when all is known: a host waits for bytes that it has written piece by piece
  // and reads as a whole.
  __m512i all_here = _mm512_setzero_si512(), all_missing = all_here;
  for (std::size_t k = 0; k < parts.count; k += 8, met >>= 8) {
    const std::size_t count = std::min<std::size_t>(8, parts.count - k);
    if (k % 32 == 0) met = meet(set_tags, parts.index.data() + k, parts.count - k);
    Set* set[8];
    std::uint16_t tag[8];
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t at = whole ? k + i : parts.index[k + (i < count ? i : 0)];
      set[i] = whole || i < count ? sets + set_tags.set[at] : &nobody;
      tag[i] = set_tags.short_tag[at];
    }
    std::uint64_t found_here = 0, found_missing = 0;
    if ((met & 255) || !read_eight(set, tag, parts.sectors.data() + k, in_pieces, found_here,
                                   found_missing)) [[unlikely]]
      for (std::size_t i = 0; i < count; ++i) {
        const L2Found found = one(set_tags, parts.index[k + i], parts.sectors[k + i]);
        found_here |= std::uint64_t{static_cast<std::uint8_t>(found.here & parts.sectors[k + i])}
                      << i * 8;
        found_missing |= std::uint64_t{found.missing} << i * 8;
      }
    const auto place = static_cast<__mmask8>(1u << k / 8);
    all_here = _mm512_mask_set1_epi64(all_here, place, static_cast<long long>(found_here));
    all_missing = _mm512_mask_set1_epi64(all_missing, place, static_cast<long long>(found_missing));
  }
  _mm512_storeu_si512(here, all_here);
  _mm512_storeu_si512(missing, all_missing);
}

template <>
WARPMEM_AVX512 void L2Sets<16>::read_avx512(const L2SetTags& set_tags, const LineParts& parts,
                                            std::uint32_t piece, std::uint8_t* here,
                                            std::uint8_t* missing) {
  read_eights(set_tags, parts, piece, here, missing, false);
}

template <>
WARPMEM_AVX512 void L2Sets<16>::read_whole_avx512(const L2SetTags& set_tags, const LineParts& parts,
                                                  std::uint32_t piece, std::uint8_t* here,
                                                  std::uint8_t* missing) {
  read_eights(set_tags, parts, piece, here, missing, true);
}

}  // namespace warpmem::model

#endif
