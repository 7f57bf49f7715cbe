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

}  // namespace warpmem::wide

#endif
