// Which of sixteen numbers hold (or of four), as a mask with bit i for number i: the caches' tables
// are searched a host instruction at a time where the host has one (SSE2).
#pragma once

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

// Of four, those that are `value` but for their lowest `low` bits.
template <int low>
std::uint32_t upper_equal(const std::uint64_t* four, std::uint64_t value) {
  const __m128i want = _mm_set1_epi64x(static_cast<long long>(value << low));
  const auto differ = [&](int at) {
    const __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i*>(four + at));
    return _mm_castsi128_ps(_mm_srli_epi64(_mm_xor_si128(two, want), low));
  };
  const __m128 a = differ(0), b = differ(2);
  const __m128 halves = _mm_or_ps(_mm_shuffle_ps(a, b, 0x88), _mm_shuffle_ps(a, b, 0xdd));
  const __m128i same = _mm_cmpeq_epi32(_mm_castps_si128(halves), _mm_setzero_si128());
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

#else

template <int low>
std::uint32_t upper_equal(const std::uint64_t* four, std::uint64_t value) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) mask |= static_cast<std::uint32_t>(four[i] >> low == value) << i;
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
