// Loads of lines that are all new to an L1, as those of a gather mostly are: whether they are is
// seen four sets at a time where the host can (AVX-512). Comes to the same as one line after the
// other, as no line of an access makes another of it present.
#include <algorithm>
#include <cstddef>

#include "base/wide_words.hpp"
#include "model/cache/l1_sets.hpp"

#ifdef WARPMEM_AVX512

namespace warpmem::model {

// Whether some way looks as if it held one of the lines, or they are of no region.
template <>
[[gnu::always_inline]] WARPMEM_AVX512 inline bool L1Sets<4>::any_alike(
    const LineList& lines, const SetTags& set_tags) const {
  const Set* const sets = sets_.data();
  const auto count = static_cast<std::size_t>(lines.count);
  const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  const __m512i upper = wide::all(~0u << kStateBits), regions = wide::all(L1SetTag::kOther);
  __mmask16 any = 0;
  for (std::size_t i = 0; i < count; i += 4) {
    const std::size_t left = std::min<std::size_t>(4, count - i);
    const auto state = [&](std::size_t k) WARPMEM_AVX512 {
      const Set& set = sets[set_tags.set[i + (k < left ? k : 0)]];
      return _mm_load_si128(reinterpret_cast<const __m128i*>(set.state));
    };
    const __m256i low = _mm256_set_m128i(state(1), state(0)),
                  high = _mm256_set_m128i(state(3), state(2));
    const __m512i held = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    const __m512i tags = _mm512_permutexvar_epi32(
        each, _mm512_castsi128_si512(
                  _mm_loadu_si128(reinterpret_cast<const __m128i*>(set_tags.tag.data() + i))));
    const __m512i differ = _mm512_xor_si512(held, _mm512_slli_epi32(tags, kStateBits));
    const auto there = static_cast<__mmask16>((1u << left * 4) - 1);
    any = _kor_mask16(any, _mm512_mask_testn_epi32_mask(there, differ, upper));
    any = _kor_mask16(any, _mm512_mask_cmpge_epu32_mask(there, tags, regions));
  }
  return any != 0;
}

template <>
WARPMEM_AVX512 bool L1Sets<4>::load_all_new(const LineList& lines, const SetTags& set_tags,
                                            Misses& out) {
  if (any_alike(lines, set_tags)) return false;
  Set* const sets = sets_.data();
  Ways ways = ways_;  // no store of the loop changes a copy
  const auto count = static_cast<std::size_t>(lines.count);
  alignas(64) std::array<std::uint32_t, LineList::kMost> state;
  for (std::size_t i = 0; i < count; i += 16)
    _mm512_store_si512(
        state.data() + i,
        _mm512_or_si512(_mm512_slli_epi32(_mm512_loadu_si512(set_tags.tag.data() + i), kStateBits),
                        wide::of_bytes(lines.sectors.data() + i)));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = set_tags.set[i];
    Set& set = sets[at];
    const std::uint32_t way = ways.take(at);
    set.state[way] = state[i];
    set.arrival[way] = 0;
    out.entry[i] = &set.arrival[way];
  }
  ways_ = ways;
  out.sectors = lines.sectors;
  for (std::size_t i = 0; i < count; ++i) out.index[i] = static_cast<std::uint8_t>(i);
  std::fill_n(out.before.begin(), count, 0);
  out.count = count;
  out.hit = 0;
  out.all_new = true;
  return true;
}

// Where no line was there before, what an entry says is this access's alone, and later lines of it
// arrive no sooner: nothing has to be compared. `all`: the soonest, and when the last is there.
// False, and nothing is done, where cycles of the epoch need more than 31 bits.
template <>
WARPMEM_AVX512 bool L1Sets<4>::arrive_all_new(const Misses& missed, const std::uint64_t* done,
                                              std::uint64_t& all) const {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 31) - 1;
  if (all < epoch_ || all - epoch_ > kMost) return false;
  alignas(64) std::array<std::uint32_t, LineList::kMost> after;
  const __m512i epoch = _mm512_set1_epi64(static_cast<long long>(epoch_)),
                most = _mm512_set1_epi64(static_cast<long long>(kMost));
  const __m512i last = wide::all(15);
  __m512i latest = wide::all(static_cast<std::uint32_t>(all - epoch_));
  for (std::size_t i = 0; i < missed.count; i += 16) {
    const std::uint32_t there = (1u << std::min<std::size_t>(16, missed.count - i)) - 1;
    const auto low = static_cast<__mmask8>(there), high = static_cast<__mmask8>(there >> 8);
    const __m512i first = _mm512_sub_epi64(_mm512_loadu_si512(done + i), epoch),
                  second = _mm512_sub_epi64(_mm512_loadu_si512(done + i + 8), epoch);
    if (_mm512_mask_cmpgt_epu64_mask(low, first, most) |
        _mm512_mask_cmpgt_epu64_mask(high, second, most)) [[unlikely]]
      return false;
    const __m512i arrives =
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_maskz_cvtepi64_epi32(low, first)),
                           _mm512_maskz_cvtepi64_epi32(high, second), 1);
    const __m512i by = wide::largest(_mm512_max_epi32(arrives, latest), latest);
    _mm512_store_si512(after.data() + i, by);
    latest = _mm512_permutexvar_epi32(last, by);
  }
  for (std::size_t k = 0; k < missed.count; ++k) *missed.entry[k] = after[k];
  all = epoch_ + static_cast<std::uint32_t>(_mm512_cvtsi512_si32(latest));
  return true;
}

}  // namespace warpmem::model

#endif
