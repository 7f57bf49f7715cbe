#include "model/fast/word_banks.hpp"

#include <array>

#include "base/wide_words.hpp"
#include "model/fast/match.hpp"

namespace warpmem::model {
namespace {

constexpr int kLanes = 32;

#ifdef WARPMEM_AVX512

// In each 64 bits sixteen banks are counted, four bits each: of four lanes, then of eight; before
// there are more they get a byte each.
WARPMEM_AVX512 std::uint32_t wanted_avx512(const std::uint64_t* address) {
  const __m512i one = _mm512_set1_epi64(1), bank = _mm512_set1_epi64(15 * 4),
                upper_bank = _mm512_set1_epi64(16 * 4);
  __m512i lower = _mm512_setzero_si512(), upper = lower;
  for (int i = 0; i < kLanes; i += 8) {
    const __m512i a = _mm512_loadu_si512(address + i);
    const __m512i lane = _mm512_sllv_epi64(one, _mm512_and_si512(a, bank));
    const __mmask8 above = _mm512_test_epi64_mask(a, upper_bank);
    lower = _mm512_mask_add_epi64(lower, static_cast<__mmask8>(~above), lower, lane);
    upper = _mm512_mask_add_epi64(upper, above, upper, lane);
  }
  const auto folded = [](__m512i n) WARPMEM_AVX512 {
    return _mm256_add_epi64(_mm512_castsi512_si256(n), _mm512_extracti64x4_epi64(n, 1));
  };
  const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(folded(lower)), folded(upper), 1);
  const __m512i four_bits = _mm512_set1_epi8(15);
  const auto sums = [](__m512i n) WARPMEM_AVX512 {  // of each half, in all its words
    n = _mm512_add_epi8(n, _mm512_permutex_epi64(n, 0x4e));
    return _mm512_add_epi8(n, _mm512_permutex_epi64(n, 0xb1));
  };
  const __m512i most =
      _mm512_max_epu8(sums(_mm512_and_si512(both, four_bits)),
                      sums(_mm512_and_si512(_mm512_srli_epi64(both, 4), four_bits)));
  __m128i eight = _mm_max_epu8(_mm512_castsi512_si128(most), _mm512_extracti64x2_epi64(most, 2));
  // The least of 16 bits each, of what they lack.
  eight = _mm_xor_si128(eight, _mm_set1_epi8(-1));
  eight = _mm_min_epu8(eight, _mm_srli_epi16(eight, 8));
  return 255u - (static_cast<std::uint32_t>(_mm_cvtsi128_si32(
                     _mm_minpos_epu16(_mm_and_si128(eight, _mm_set1_epi16(255))))) &
                 255u);
}

#endif

}  // namespace

std::uint32_t wanted_of_a_bank(const std::uint64_t* address) {
#ifdef WARPMEM_AVX512
  if (wide_host()) return wanted_avx512(address);
#endif
  std::array<std::uint8_t, kLanes> wanted{};
  for (int i = 0; i < kLanes; ++i) ++wanted[address[i] / 4 % kLanes];
  return most_of_32(wanted.data());
}

}  // namespace warpmem::model
