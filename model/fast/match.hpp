// Which of sixteen numbers hold (or of four), as a mask with bit i for number i: the caches' tables
// are searched a host instruction at a time where the host has one (SSE2).
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace warpmem::model {

#ifdef __SSE2__

inline std::uint32_t bytes_equal(const std::uint8_t* bytes, std::uint8_t value) {
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(static_cast<char>(value)))));
}

inline std::uint32_t bytes_at_most(const std::uint8_t* bytes, std::uint8_t value) {
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __m128i lower = _mm_min_epu8(all, _mm_set1_epi8(static_cast<char>(value)));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(all, lower)));
}

inline std::uint32_t words_equal(const std::uint16_t* words, std::uint16_t value) {
  const __m128i want = _mm_set1_epi16(static_cast<short>(value));
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + 8));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_packs_epi16(_mm_cmpeq_epi16(low, want), _mm_cmpeq_epi16(high, want))));
}

// Of four, those that are `value` but for their lowest `low` bits, which `value` has not.
template <int low>
std::uint32_t upper_equal(const std::uint32_t* four, std::uint32_t value) {
  const __m128i upper = _mm_set1_epi32(static_cast<int>(~0u << low));
  const __m128i all = _mm_load_si128(reinterpret_cast<const __m128i*>(four));
  const __m128i same =
      _mm_cmpeq_epi32(_mm_and_si128(all, upper), _mm_set1_epi32(static_cast<int>(value)));
  return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(same)));
}

// The largest of 32.
inline std::uint8_t most_of_32(const std::uint8_t* bytes) {
  const __m128i* const at = reinterpret_cast<const __m128i*>(bytes);
  __m128i most = _mm_max_epu8(_mm_loadu_si128(at), _mm_loadu_si128(at + 1));
  most = _mm_max_epu8(most, _mm_srli_si128(most, 8));
  most = _mm_max_epu8(most, _mm_srli_si128(most, 4));
  most = _mm_max_epu8(most, _mm_srli_si128(most, 2));
  most = _mm_max_epu8(most, _mm_srli_si128(most, 1));
  return static_cast<std::uint8_t>(_mm_cvtsi128_si32(most));
}

// Bits that are set in the low halves of the first `count` of some bytes, at most 64; up to fifteen
// behind them are read.
inline std::uint32_t bits_in_low_halves(const std::uint8_t* bytes, std::size_t count) {
  const __m128i numbers = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m128i all = _mm_setzero_si128();
  for (std::size_t i = 0; i < count; i += 16) {
    const __m128i these = _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(count - i)), numbers);
    __m128i n = _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i)), these);
    n = _mm_add_epi8(_mm_and_si128(n, _mm_set1_epi8(5)),
                     _mm_and_si128(_mm_srli_epi64(n, 1), _mm_set1_epi8(5)));
    all = _mm_add_epi8(all, _mm_add_epi8(_mm_and_si128(n, _mm_set1_epi8(3)),
                                         _mm_and_si128(_mm_srli_epi64(n, 2), _mm_set1_epi8(3))));
  }
  const __m128i halves = _mm_sad_epu8(all, _mm_setzero_si128());
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4));
}

#else

inline std::uint32_t bits_in_low_halves(const std::uint8_t* bytes, std::size_t count) {
  constexpr std::uint8_t kBits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < count; ++i) n += kBits[bytes[i] & 15];
  return n;
}

template <int low>
std::uint32_t upper_equal(const std::uint32_t* four, std::uint32_t value) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i)
    mask |= static_cast<std::uint32_t>(four[i] >> low << low == value) << i;
  return mask;
}

inline std::uint8_t most_of_32(const std::uint8_t* bytes) {
  std::uint8_t most = 0;
  for (unsigned i = 0; i < 32; ++i) most = bytes[i] > most ? bytes[i] : most;
  return most;
}

inline std::uint32_t bytes_equal(const std::uint8_t* bytes, std::uint8_t value) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 16; ++i) mask |= static_cast<std::uint32_t>(bytes[i] == value) << i;
  return mask;
}

inline std::uint32_t bytes_at_most(const std::uint8_t* bytes, std::uint8_t value) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 16; ++i) mask |= static_cast<std::uint32_t>(bytes[i] <= value) << i;
  return mask;
}

inline std::uint32_t words_equal(const std::uint16_t* words, std::uint16_t value) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 16; ++i) mask |= static_cast<std::uint32_t>(words[i] == value) << i;
  return mask;
}

#endif

}  // namespace warpmem::model
