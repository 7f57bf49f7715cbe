#include "model/cache/l1_sets.hpp"

#include "base/wide_hosts.hpp"

namespace warpmem::model {

template <std::uint32_t N>
void L1Sets<N>::shape(std::uint32_t sets, std::uint32_t ways, std::uint32_t lines, bool after_hits,
                      std::uint32_t fill) {
  in_pieces_ = pieces_of(fill);
  ways_a_set_ = ways;
  lines_ = lines;
  after_hits_ = after_hits;
  sets_.resize(sets);
  rows_.resize(sets);
  written_.resize(std::size_t{sets} * N);
  reset();
}

template <std::uint32_t N>
void L1Sets<N>::reset() {
  ways_ = Ways(rows_.data(), static_cast<std::uint32_t>(rows_.size()), ways_a_set_, lines_,
               after_hits_);
  ways_.clear();
  epoch_ = 0;
  nowhere_ = 0;
}

template <std::uint32_t N>
void L1Sets<N>::invalidate(std::uint32_t stay, std::uint64_t kept) {
  if (!stay && whole_.empty()) return ways_.clear();
  for (std::uint32_t at = 0; at < sets_.size(); ++at) {
    std::uint32_t ways = 0;
    for (std::uint32_t way = 0; way < kWays; ++way) {
      const std::uint32_t region = sets_[at].state[way] >> kStateBits >> L1SetTag::kLowBits;
      const bool stays =
          region < L1SetTag::kRegions ? stay >> region & 1 : whole_[at * kWays + way] >= kept;
      ways |= std::uint32_t{stays} << way;
    }
    ways_.keep(at, ways);
  }
}

// Arrivals are kept in 32 bits. What arrived two billion cycles ago has been there for everybody
// ever since, so that it may as well be said to come with the epoch.
template <std::uint32_t N>
std::uint64_t L1Sets<N>::from_new_epoch(std::uint64_t cycle) {
  constexpr std::uint64_t kBefore = std::uint64_t{1} << 31;
  if (cycle < epoch_) return 0;
  const std::uint64_t passed = cycle - kBefore - epoch_;
  const auto move = [passed](std::uint32_t& arrival) {
    arrival = arrival > passed ? static_cast<std::uint32_t>(arrival - passed) : 0;
  };
  for (Set& set : sets_) std::for_each(std::begin(set.arrival), std::end(set.arrival), move);
  move(nowhere_);
  epoch_ += passed;
  return kBefore;
}

template <std::uint32_t N>
template <bool allocate>
[[gnu::always_inline]] inline void L1Sets<N>::load_all(const LineList& lines,
                                                       const L1SetTags& set_tags,
                                                       const AskedWords& words, L1Misses& out) {
  Set* const sets = sets_.data();
  Ways ways = ways_;  // no store of the loop changes a copy
  const std::uint64_t epoch = epoch_;
  const auto count = static_cast<std::size_t>(lines.count);
  std::size_t misses = 0;
  std::uint64_t hit = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = set_tags.set[i], tag = set_tags.tag[i];
    Set& set = sets[at];
    std::uint32_t way = kNone;
    if (const std::uint32_t those = alike(set, tag))
      way = find_among(those, at, tag, lines.line[i]);
    const L1Loaded one =
        load(set, ways, way, epoch, lines.line[i], {at, tag}, lines.sectors[i], words, allocate);
    if (tag >= L1SetTag::kOther && allocate) [[unlikely]]
      keep_whole(at, static_cast<std::uint32_t>(one.entry - set.arrival), lines.line[i]);
    out.index[misses] = static_cast<std::uint8_t>(i);
    out.sectors[misses] = one.missing;
    out.entry[misses] = one.entry;
    out.before[misses] = hit;
    if (one.missing) ++misses;
    else hit = std::max(hit, one.arrival);
  }
  ways_ = ways;
  out.count = misses;
  out.hit = hit;
}

template <std::uint32_t N>
WARPMEM_NEW_HOSTS void L1Sets<N>::load_keeping(const LineList& lines, const L1SetTags& set_tags,
                                               const AskedWords& words, L1Misses& out) {
  load_all<true>(lines, set_tags, words, out);
}

template <std::uint32_t N>
void L1Sets<N>::load(const LineList& lines, const L1SetTags& set_tags, const AskedWords& words,
                     bool allocate, L1Misses& out) {
#ifdef WARPMEM_AVX512
  if constexpr (N == 4)
    if (allocate && wide_host() && load_all_new(lines, set_tags, out)) return;
#endif
  if (allocate) load_keeping(lines, set_tags, words, out);
  else load_all<false>(lines, set_tags, words, out);
}

template <std::uint32_t N>
std::uint64_t L1Sets<N>::arrive(const L1Misses& missed, const std::uint64_t* done,
                                std::uint64_t soonest) {
  std::uint64_t all = soonest, epoch = epoch_;
#ifdef WARPMEM_AVX512
  if constexpr (N == 4)
    if (missed.all_new && arrive_all_new(missed, done, all)) [[likely]]
      return all;
#endif
  for (std::size_t k = 0; k < missed.count; ++k) {
    all = std::max({all, missed.before[k], done[missed.index[k]]});
    const std::uint64_t after = all - epoch;
    if (after >> 32) [[unlikely]] {
      arrives(missed.entry[k], all);
      epoch = epoch_;
      continue;
    }
    *missed.entry[k] = std::max(*missed.entry[k], static_cast<std::uint32_t>(after));
  }
  return all;
}

// Of a line of which something was stored in part.
template <std::uint32_t N>
[[gnu::noinline]] std::uint8_t L1Sets<N>::load_written(const L1SetTag& set_tag, std::uint32_t way,
                                                       std::uint8_t sectors, std::uint32_t words,
                                                       bool allocate) {
  std::uint32_t& state = sets_[set_tag.set].state[way];
  WrittenLine& written = written_[set_tag.set * kWays + way];
  if (!written.has(sectors, words)) {
    // The line comes anew, of which nothing stays but what this load asked for.
    if (allocate) state = (state & ~(kWritten | kEverySector)) | sectors;
    return sectors;
  }
  const std::uint32_t here = state | written.touched;
  const auto missing = static_cast<std::uint8_t>(brought(sectors & ~here) & ~here);
  if (allocate) state |= missing;
  return missing;
}

// Apart from the loops that mostly need it not, which have better use for the host's registers.
template <std::uint32_t N>
[[gnu::noinline]] std::uint32_t L1Sets<N>::find_among(std::uint32_t ways, std::uint32_t at,
                                                      std::uint32_t tag, std::uint64_t line) const {
  if (tag >= L1SetTag::kOther) [[unlikely]] {
    std::uint32_t same = 0;
    for (; ways; ways &= ways - 1) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(ways));
      if (whole_[std::size_t{at} * kWays + way] == line) same |= 1u << way;
    }
    ways = same;
  }
  return ways_.find(at, ways);
}

template <std::uint32_t N>
[[gnu::noinline]] void L1Sets<N>::keep_whole(std::uint32_t at, std::uint32_t way,
                                             std::uint64_t line) {
  whole_.resize(sets_.size() * kWays);
  whole_[std::size_t{at} * kWays + way] = line;
}

// Of a line of which something was stored in part, or is now.
template <std::uint32_t N>
[[gnu::noinline]] void L1Sets<N>::store_written(const L1SetTag& set_tag, std::uint32_t way,
                                                std::uint8_t part, std::uint8_t full,
                                                const std::uint32_t* bytes) {
  std::uint32_t& state = sets_[set_tag.set].state[way];
  WrittenLine& written = written_[set_tag.set * kWays + way];
  if (!(state & kWritten)) written = {};
  written.drop(full);
  if (part) state |= written.store(part, bytes);
  state = written.touched ? state | kWritten : state & ~kWritten;
}

template <std::uint32_t N>
std::uint8_t L1Sets<N>::load_last(std::uint64_t line, const L1SetTag& here, std::uint8_t sectors,
                                  const AskedWords& words) {
  Set& set = sets_[here.set];
  const std::uint32_t way = find(set, here.set, here.tag, line);
  if (way == kNone) return sectors;
  ways_.retire(here.set, way);
  std::uint32_t& state = set.state[way];
  if (state & kWritten) return load_written(here, way, sectors, words(line), true);
  const auto missing = static_cast<std::uint8_t>(brought(sectors & ~state) & ~state);
  state |= missing;
  return missing;
}

template <std::uint32_t N>
void L1Sets<N>::drop(std::uint64_t line, const L1SetTag& here, std::uint8_t sectors) {
  const std::uint32_t at = here.set, way = find(sets_[at], at, here.tag, line);
  if (way == kNone) return;
  std::uint32_t& state = sets_[at].state[way];
  state &= ~std::uint32_t{sectors};
  if (!(state & kWritten)) return;
  WrittenLine& written = written_[at * kWays + way];
  written.drop(sectors);
  if (!written.touched) state &= ~kWritten;
}

template class L1Sets<4>;
template class L1Sets<8>;
template class L1Sets<32>;

}  // namespace warpmem::model
