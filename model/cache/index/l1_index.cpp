#include "model/cache/index/l1_index.hpp"

#include "base/wide_words.hpp"

namespace warpmem::model {
namespace {

// Of 32 lines, 16 bits each are worked on at a time, one bit of all after the other: `low` and
// `high` halves of 32 bits; all others contribute `upper`. Without a branch, as nothing else is
// vectorised.
WARPMEM_WIDE_HOSTS void sets_of_bits(const std::uint32_t* __restrict words, std::uint16_t upper,
                                     std::uint32_t* __restrict set) {
  constexpr std::size_t kSide = LineWords::kStep;
  std::uint16_t low[kSide], high[kSide], sets[kSide];
  for (std::size_t i = 0; i < kSide; ++i) {
    low[i] = static_cast<std::uint16_t>(words[i]);
    high[i] = static_cast<std::uint16_t>(words[i] >> 16);
  }
  for (std::size_t i = 0; i < kSide; ++i) {
    unsigned s = upper;
    for (unsigned b = 0; b < 16; ++b) {
      s ^= -(low[i] >> b & 1u) & kL1SetOfBit[b];
      s ^= -(high[i] >> b & 1u) & kL1SetOfBit[16 + b];
    }
    sets[i] = static_cast<std::uint16_t>(s);
  }
  for (std::size_t i = 0; i < kSide; ++i) set[i] = sets[i];
}

std::uint16_t upper_part(const LineWords& words) {
  return static_cast<std::uint16_t>(l1_set(words.upper_bits()));
}

#ifdef WARPMEM_AVX512

// What five bits contribute together, by their value: a table that fits a register. Bits
// [5 part, 5 part + 5); the last part has bits 30 and 31 only.
constexpr std::size_t kParts = 7;
alignas(64) constexpr auto kOfFive = [] {
  std::array<std::array<std::uint16_t, 32>, kParts> all{};
  for (unsigned part = 0; part < kParts; ++part)
    for (unsigned bits = 0; bits < 32; ++bits)
      for (unsigned b = 0; b < 5 && part * 5 + b < 32; ++b)
        if (bits >> b & 1)
          all[part][bits] = static_cast<std::uint16_t>(all[part][bits] ^ kL1SetOfBit[part * 5 + b]);
  return all;
}();

// 32 lines at a time; a look-up takes the lowest five bits of each as its place in the table.
WARPMEM_AVX512 void sets_avx512(const LineWords& words, std::uint32_t* set) {
  __m512i table[kParts];
  for (std::size_t part = 0; part < kParts; ++part)
    table[part] = _mm512_load_si512(kOfFive[part].data());
  const __m512i upper = _mm512_set1_epi16(static_cast<short>(upper_part(words)));
  for (std::size_t from = 0; from < words.count; from += LineWords::kStep) {
    const __m512i first = _mm512_loadu_si512(words.low.data() + from);
    const __m512i second = _mm512_loadu_si512(words.low.data() + from + 16);
    // Lower and upper halves of 32 bits; bit 15 goes with the upper ones.
    const auto halves = [&](int shift) WARPMEM_AVX512 {
      return _mm512_inserti64x4(
          _mm512_castsi256_si512(
              _mm512_cvtepi32_epi16(_mm512_srli_epi32(first, static_cast<unsigned>(shift)))),
          _mm512_cvtepi32_epi16(_mm512_srli_epi32(second, static_cast<unsigned>(shift))), 1);
    };
    const __m512i low = halves(0), high = halves(15);
    __m512i sets = upper;
    sets = _mm512_xor_si512(sets, _mm512_permutexvar_epi16(low, table[0]));
    sets = _mm512_xor_si512(sets, _mm512_permutexvar_epi16(_mm512_srli_epi16(low, 5), table[1]));
    sets = _mm512_xor_si512(sets, _mm512_permutexvar_epi16(_mm512_srli_epi16(low, 10), table[2]));
    sets = _mm512_xor_si512(sets, _mm512_permutexvar_epi16(high, table[3]));
    sets = _mm512_xor_si512(sets, _mm512_permutexvar_epi16(_mm512_srli_epi16(high, 5), table[4]));
    sets = _mm512_xor_si512(sets, _mm512_permutexvar_epi16(_mm512_srli_epi16(high, 10), table[5]));
    // Bits 30 and 31, and bit 31 is beyond `high`.
    const __m512i last = halves(30);
    sets = _mm512_xor_si512(sets, _mm512_permutexvar_epi16(last, table[6]));
    _mm512_storeu_si512(set + from, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(sets)));
    _mm512_storeu_si512(set + from + 16, _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(sets, 1)));
  }
}

#endif

}  // namespace

void l1_sets(const LineWords& words, std::uint32_t* set) {
#ifdef WARPMEM_AVX512
  if (wide_host()) return sets_avx512(words, set);
#endif
  const std::uint16_t upper = upper_part(words);
  for (std::size_t from = 0; from < words.count; from += LineWords::kStep)
    sets_of_bits(words.low.data() + from, upper, set + from);
}

}  // namespace warpmem::model
