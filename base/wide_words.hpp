// Words of 32 bits, sixteen in a 512-bit vector, for the functions that are written for it
// (wide_hosts.hpp).
#pragma once

#include "base/wide_hosts.hpp"

#ifdef WARPMEM_AVX512

// GCC 12 warns of the undefined operands in its own header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace warpmem::wide {

[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i all(std::uint32_t n) {
  return _mm512_set1_epi32(static_cast<int>(n));
}

// Upper halves of products of 64 bits.
[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i upper_product(__m512i a, std::uint32_t n) {
  const __m512i factor = all(n);
  const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(a, factor), 32);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), factor);
  return _mm512_mask_mov_epi32(even, 0xaaaa, odd);
}

// Sixteen bytes.
[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i of_bytes(const std::uint8_t* at) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

// Bits that are set in the low halves of bytes; of the first `count` at most 64. All 64 are read: a
// host that has just written them as a whole has them at hand then.
[[gnu::always_inline]] WARPMEM_AVX512 inline unsigned bits_in_low_halves(__m512i bytes) {
  const __m512i bits =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  const __m512i low = _mm512_and_si512(bytes, _mm512_set1_epi8(15));
  const __m512i n = _mm512_sad_epu8(_mm512_shuffle_epi8(bits, low), _mm512_setzero_si512());
  return static_cast<unsigned>(_mm512_reduce_add_epi64(n));
}
[[gnu::always_inline]] WARPMEM_AVX512 inline unsigned bits_in_low_halves(const std::uint8_t* at,
                                                                         std::size_t count) {
  const __mmask64 these = ~std::uint64_t{0} >> (64 - count);
  return bits_in_low_halves(_mm512_maskz_mov_epi8(these, _mm512_loadu_si512(at)));
}

// The lower or the upper eight as words of 64 bits.
[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i widen_half(__m512i words, bool upper) {
  return _mm512_cvtepu32_epi64(upper ? _mm512_extracti64x4_epi64(words, 1)
                                     : _mm512_castsi512_si256(words));
}

// Of each the sum, or the largest, of those up to it; `least` is in all places of a vector.
[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i sums(__m512i n) {
  const __m512i none = _mm512_setzero_si512();
  n = _mm512_add_epi32(n, _mm512_alignr_epi32(n, none, 15));
  n = _mm512_add_epi32(n, _mm512_alignr_epi32(n, none, 14));
  n = _mm512_add_epi32(n, _mm512_alignr_epi32(n, none, 12));
  return _mm512_add_epi32(n, _mm512_alignr_epi32(n, none, 8));
}
[[gnu::always_inline]] WARPMEM_AVX512 inline __m512i largest(__m512i n, __m512i least) {
  n = _mm512_max_epi32(n, _mm512_alignr_epi32(n, least, 15));
  n = _mm512_max_epi32(n, _mm512_alignr_epi32(n, least, 14));
  n = _mm512_max_epi32(n, _mm512_alignr_epi32(n, least, 12));
  return _mm512_max_epi32(n, _mm512_alignr_epi32(n, least, 8));
}

}  // namespace warpmem::wide

#endif
