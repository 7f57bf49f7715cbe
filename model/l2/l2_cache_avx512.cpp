// What the L2 works out for the lines of an access sixteen at a time, where the host can (AVX-512).
// Each function has a plain twin in l2_cache.cpp, which says the same.
#include <algorithm>
#include <cstddef>

#include "base/wide_words.hpp"
#include "model/cache/tag_banks.hpp"
#include "model/l2/l2_cache.hpp"

#ifdef WARPMEM_AVX512

namespace warpmem::model {

WARPMEM_AVX512 void L2Cache::draw_avx512(const LineWords& words, std::uint64_t home_mask,
                                         const Latencies& latencies, Routed& out) {
  const Latencies l = latencies;
  const __m512i mask = wide::all(static_cast<std::uint32_t>(home_mask));
  const __m512i above = wide::all(parity(words.upper_bits() & home_mask));
  constexpr auto kSlotAbove = static_cast<std::uint32_t>(ReadCoalescer::slot_factor() >> 32),
                 kSlotBelow = static_cast<std::uint32_t>(ReadCoalescer::slot_factor()),
                 kDrawAbove = static_cast<std::uint32_t>(Latencies::kFactor >> 32),
                 kDrawBelow = static_cast<std::uint32_t>(Latencies::kFactor);
  const __m512i slot_above = wide::all(words.upper * kSlotBelow);
  const __m512i draw_above = wide::all(words.upper * kDrawBelow);
  const __m512i upper = wide::all(0xffff0000u), one = wide::all(1);
  for (std::size_t i = 0; i < words.count; i += 16) {
    const __m512i low = _mm512_loadu_si512(words.low.data() + i);
    __m512i bits = _mm512_and_si512(low, mask);
    bits = _mm512_xor_si512(bits, _mm512_srli_epi32(bits, 16));
    bits = _mm512_xor_si512(bits, _mm512_srli_epi32(bits, 8));
    bits = _mm512_xor_si512(bits, _mm512_srli_epi32(bits, 4));
    bits = _mm512_xor_si512(bits, _mm512_srli_epi32(bits, 2));
    bits = _mm512_xor_si512(bits, _mm512_srli_epi32(bits, 1));
    bits = _mm512_and_si512(_mm512_xor_si512(bits, above), one);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out.home.data() + i), _mm512_cvtepi32_epi8(bits));
    __m512i slot = _mm512_add_epi32(wide::upper_product(low, kSlotBelow),
                                    _mm512_mullo_epi32(low, wide::all(kSlotAbove)));
    slot = _mm512_srli_epi32(_mm512_add_epi32(slot, slot_above), ReadCoalescer::slot_shift());
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.entry.data() + i),
                        _mm512_cvtepi32_epi16(slot));
    // Latencies::near() and dram(): of 16 bits of the draw, at the upper end of a word.
    __m512i draw = _mm512_add_epi32(wide::upper_product(low, kDrawBelow),
                                    _mm512_mullo_epi32(low, wide::all(kDrawAbove)));
    draw = _mm512_add_epi32(draw, draw_above);
    const __m512i near = wide::upper_product(_mm512_slli_epi32(draw, 16), l.near_spread);
    _mm512_storeu_si512(out.near.data() + i, _mm512_add_epi32(near, wide::all(l.near_cycles)));
    const __m512i spread = wide::upper_product(_mm512_and_si512(draw, upper), l.dram_spread);
    const __m512i tail =
        wide::upper_product(_mm512_and_si512(_mm512_slli_epi32(draw, 5), upper), l.dram_tail);
    const __m512i dram = _mm512_add_epi32(spread, wide::all(l.dram_cycles));
    const __mmask16 in_tail = _mm512_testn_epi32_mask(draw, wide::all(7u << 8));
    _mm512_storeu_si512(out.dram.data() + i, _mm512_mask_add_epi32(dram, in_tail, dram, tail));
  }
}

// read_unshared() where all lines of a list are read, no more than a warp has lanes. False, and
// nothing is done, where they are not. What later steps read as a whole is written as a whole: a
// host waits for bytes that it has just written piece by piece.
WARPMEM_AVX512 bool L2Cache::read_unshared_avx512(int sm, const Routed& lines,
                                                  const LineParts& parts, std::uint64_t now,
                                                  std::uint32_t granularity, std::uint64_t* done) {
  const std::size_t count = parts.count;
  if (count == 0 || count != static_cast<std::size_t>(lines.count) || count > kWarpLanes)
    return false;
  const std::uint32_t side = reads_.sm(sm).side;
  alignas(64) std::array<std::uint8_t, LineList::kMost> here, missing, fetched, brought;
  side_[side].read(lines.set_tag, parts, granularity, here.data(), missing.data(), true);
  sink_.reads(wide::bits_in_low_halves(parts.sectors.data(), count));
  sink_.read_hits(wide::bits_in_low_halves(here.data(), count));
  sink_.read_requests(count);

  // What goes on to the other side, one behind the other: numbers, with the sectors above them.
  const auto there = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i near = wide::all(side);
  const auto goes_on = [&](std::size_t i, __mmask16& crosses) WARPMEM_AVX512 {
    const __m512i lacks = wide::of_bytes(missing.data() + i);
    const __mmask16 missed =
        _mm512_mask_test_epi32_mask(static_cast<__mmask16>(there >> i), lacks, lacks);
    crosses = _mm512_mask_cmpneq_epi32_mask(missed, wide::of_bytes(lines.home.data() + i), near);
    const __m512i number = _mm512_add_epi32(numbers, wide::all(static_cast<std::uint32_t>(i)));
    return _mm512_maskz_compress_epi32(crosses,
                                       _mm512_or_si512(number, _mm512_slli_epi32(lacks, 8)));
  };
  __mmask16 low_crosses, high_crosses;
  const __m512i low = goes_on(0, low_crosses), high = goes_on(16, high_crosses);
  const auto lows = static_cast<std::uint32_t>(_mm_popcnt_u32(low_crosses));
  const __m512i behind =
      _mm512_sub_epi32(numbers, wide::all(lows));  // of `high`, from its place on
  const __m512i first =
      _mm512_mask_permutexvar_epi32(low, static_cast<__mmask16>(~0u << lows), behind, high);
  const __m512i second = _mm512_maskz_permutexvar_epi32(
      static_cast<__mmask16>((1u << lows) - 1), _mm512_add_epi32(behind, wide::all(16)), high);
  const auto bytes = [](__m512i one, __m512i other) WARPMEM_AVX512 {
    return _mm256_set_m128i(_mm512_cvtepi32_epi8(other), _mm512_cvtepi32_epi8(one));
  };
  const std::uint32_t crossing = low_crosses | std::uint32_t{high_crosses} << 16;  // by number
  LineParts far;
  far.count = lows + static_cast<std::size_t>(_mm_popcnt_u32(high_crosses));
  if (far.count > 0) {
    const __m256i sectors = bytes(_mm512_srli_epi32(first, 8), _mm512_srli_epi32(second, 8));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(far.index.data()), bytes(first, second));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(far.sectors.data()), sectors);
    side_[1 - side].read(lines.set_tag, far, 1, here.data(), brought.data());
    sink_.crosses(wide::bits_in_low_halves(_mm512_zextsi256_si512(sectors)),
                  wide::bits_in_low_halves(here.data(), far.count));
  }
  const auto fetches = [&](std::size_t i, __mmask16 crosses, std::size_t from) WARPMEM_AVX512 {
    return _mm512_mask_expand_epi32(wide::of_bytes(missing.data() + i), crosses,
                                    wide::of_bytes(brought.data() + from));
  };
  const __m256i of_all = bytes(fetches(0, low_crosses, 0), fetches(16, high_crosses, lows));
  _mm256_store_si256(reinterpret_cast<__m256i*>(fetched.data()), of_all);
  for (L2Side& s : side_)
    if (s.has_traffic()) account(s.take_traffic());
  sink_.dram_reads(
      wide::bits_in_low_halves(_mm512_maskz_mov_epi8(there, _mm512_zextsi256_si512(of_all))));
  wait(lines, parts, now, fetched.data(), crossing, done);
  enter(sm, lines, parts, now, missing.data(), done);
  return true;
}

// When the reads of a list's lines are back, where all of them are read and nobody else has a say.
// False, and nothing is done, where they are not, or numbers are so large that they need more than
// 32 bits. Cycles and millicycles count from `now`.
//
// DRAM begins with a read when it is done with those before it, and not before that is there: it is
// done after the work of all since the latest that it waited for.
WARPMEM_AVX512 bool L2Cache::back_avx512(const Routed& lines, const LineParts& parts,
                                         std::uint64_t now, const std::uint8_t* fetched,
                                         std::uint64_t crossing, std::uint64_t* done) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  constexpr std::uint32_t kShift = std::countr_zero(kLinesACycle);
  const auto count = static_cast<std::uint32_t>(parts.count);
  const std::uint64_t free = std::max(dram_free_, now * 1000) - now * 1000;
  if (parts.count != static_cast<std::size_t>(lines.count) || free > kMost ||
      dram_cost_[15] > 1u << 20)
    return false;
  alignas(64) std::array<std::uint32_t, 16> costs;
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] = static_cast<std::uint32_t>(dram_cost_[i]);
  const __m512i cost_of = _mm512_load_si512(costs.data()), none = _mm512_setzero_si512();
  const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i start = _mm512_set1_epi64(static_cast<long long>(now));
  const __m512i far = wide::all(spec_.far_cycles), last = wide::all(15);
  // DRAM's work so far, and when it would have begun with that had it done all of it at once.
  __m512i work = none, began = wide::all(static_cast<std::uint32_t>(free));
  __mmask16 any_fetched = 0;
  for (std::uint32_t i = 0; i < count; i += 16) {
    const auto there = static_cast<__mmask16>((1u << std::min(16u, count - i)) - 1);
    const __m512i number = _mm512_add_epi32(numbers, wide::all(i));
    const __m512i later = _mm512_srli_epi32(number, kShift);
    const __m512i fetches = _mm512_maskz_mov_epi32(there, wide::of_bytes(fetched + i));
    const __mmask16 fetched_ones = _mm512_test_epi32_mask(fetches, fetches);
    any_fetched |= fetched_ones;

    const __m512i cost = _mm512_permutexvar_epi32(fetches, cost_of);
    const __m512i done_by = _mm512_add_epi32(work, wide::sums(cost)),
                  before = _mm512_sub_epi32(done_by, cost);
    const __m512i asked = _mm512_mullo_epi32(later, wide::all(1000));
    const __m512i not_before = _mm512_mask_sub_epi32(began, fetched_ones, asked, before);
    const __m512i since = _mm512_max_epi32(began, wide::largest(not_before, began));
    const __m512i begins = _mm512_add_epi32(since, before);
    work = _mm512_permutexvar_epi32(last, done_by);
    began = _mm512_permutexvar_epi32(last, since);
    const __m512i in_queue =
        _mm512_srli_epi32(wide::upper_product(begins, 0x10624dd3), 6);  // / 1000

    const __m512i near = _mm512_loadu_si512(lines.near.data() + i);
    const __m512i in_dram = _mm512_add_epi32(in_queue, _mm512_loadu_si512(lines.dram.data() + i));
    __m512i back = _mm512_add_epi32(near, later);
    back = _mm512_mask_add_epi32(back, fetched_ones, near, in_dram);
    back = _mm512_mask_add_epi32(back, static_cast<__mmask16>(crossing >> i), back, far);
    for (std::uint32_t half = 0; half < 2 && there >> half * 8; ++half)
      _mm512_storeu_si512(done + i + half * 8,
                          _mm512_add_epi64(wide::widen_half(back, half), start));
  }
  if (any_fetched)  // or DRAM is as it was
    dram_free_ = now * 1000 +
                 static_cast<std::uint32_t>(_mm512_cvtsi512_si32(_mm512_add_epi32(work, began)));
  return true;
}

// enter() where all lines of a list are read. False, and nothing is done, where they are not, or
// numbers are so large that they need more than 32 bits. Cycles count from `now`.
//
// A read leaves its SM a cycle after the one before it, but neither sooner than it may nor later
// than it has to: clamped again and again by bounds that move on by one in kLinesACycle, which is
// the same as once by all of them together.
WARPMEM_AVX512 bool L2Cache::enter_avx512(int sm, const Routed& lines, const LineParts& parts,
                                          std::uint64_t now, const std::uint8_t* missing,
                                          const std::uint64_t* until) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  constexpr std::uint32_t kShift = std::countr_zero(kLinesACycle);
  Sm& from = reads_.sm(sm);
  const auto count = static_cast<std::uint32_t>(parts.count);
  const std::uint64_t soonest = spec_.read_cycles, latest = spec_.read_entries;
  if (parts.count != static_cast<std::size_t>(lines.count) || latest < soonest || latest > kMost)
    return false;
  const std::uint64_t sooner = now - std::min<std::uint64_t>(now, LineList::kMost);
  const auto left = static_cast<std::int32_t>(
      std::min(std::max(from.leaves, sooner) - sooner, kMost) - (now - sooner));
  const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i start = _mm512_set1_epi64(static_cast<long long>(now));
  const __m512i reader = wide::all(Outstanding::by(sm));
  const __m512i first_two = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i last_two = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  Outstanding* const entries = reads_.entries(from);
  __m512i leaves = _mm512_setzero_si512();
  for (std::uint32_t i = 0; i < count; i += 16) {
    const __m512i number = _mm512_add_epi32(numbers, wide::all(i));
    const __m512i later = _mm512_srli_epi32(number, kShift);
    const __m512i highest = _mm512_add_epi32(wide::all(static_cast<std::uint32_t>(latest)), later);
    const __m512i lowest = _mm512_min_epi32(
        _mm512_add_epi32(wide::all(static_cast<std::uint32_t>(soonest)), number), highest);
    leaves = _mm512_add_epi32(number, wide::all(static_cast<std::uint32_t>(left + 1)));
    leaves = _mm512_min_epi32(_mm512_max_epi32(leaves, lowest), highest);

    const __m512i lacks = _mm512_slli_epi32(wide::of_bytes(missing + i), 4);
    const __m512i how =
        _mm512_or_si512(_mm512_or_si512(reader, wide::of_bytes(parts.sectors.data() + i)), lacks);
    const __m512i request = _mm512_add_epi32(number, wide::all(from.requests + 1));
    for (std::uint32_t half = 0; half < 2 && i + half * 8 < count; ++half) {
      const std::uint32_t at = i + half * 8;
      const __m512i back = _mm512_loadu_si512(until + at);
      const __m512i leave = _mm512_add_epi64(wide::widen_half(leaves, half), start);
      const __m512i rest = _mm512_or_si512(wide::widen_half(request, half),
                                           _mm512_slli_epi64(wide::widen_half(how, half), 32));
      const __m512i line = _mm512_loadu_si512(lines.line.data() + at);
      // An entry is four words of 64 bits: those with even numbers and those with odd ones.
      const __m512i even = _mm512_unpacklo_epi64(line, leave),
                    odd = _mm512_unpackhi_epi64(line, leave),
                    even_rest = _mm512_unpacklo_epi64(back, rest),
                    odd_rest = _mm512_unpackhi_epi64(back, rest);
      const __m512i rows[4] = {_mm512_permutex2var_epi64(even, first_two, even_rest),
                               _mm512_permutex2var_epi64(odd, first_two, odd_rest),
                               _mm512_permutex2var_epi64(even, last_two, even_rest),
                               _mm512_permutex2var_epi64(odd, last_two, odd_rest)};
      for (std::uint32_t k = 0; k < 8 && at + k < count; ++k) {
        const __m512i two = rows[k / 4 * 2 + k % 2];
        const __m256i row =
            k / 2 % 2 ? _mm512_extracti64x4_epi64(two, 1) : _mm512_castsi512_si256(two);
        _mm256_store_si256(reinterpret_cast<__m256i*>(entries + lines.entry[at + k]), row);
      }
    }
  }
  alignas(64) std::array<std::uint32_t, 16> left_at;
  _mm512_store_si512(left_at.data(), leaves);
  from.leaves = now + left_at[(count - 1) % 16];
  from.requests += count;
  return true;
}

}  // namespace warpmem::model

#endif
