#include "model/cache/l1_cache.hpp"

#include "base/wide_hosts.hpp"

namespace warpmem::model {

L1Cache::L1Cache(const Spec& spec, std::pmr::memory_resource* memory)
    : spec_(spec),
      said_by_set_(static_cast<unsigned>(std::countr_zero(std::min(spec.sets, kL1Sets)))),
      sets_(memory),
      rows_(memory),
      written_(memory) {
  sets_.resize(spec_.sets);
  rows_.resize(spec_.sets);
  written_.resize(std::size_t{spec_.sets} * kWays);
  reset();
}

void L1Cache::reset() {
  ways_ = L1Ways(rows_.data(), spec_.sets, spec_.lines);
  ways_.clear();
  regions_ = 0;
  epoch_ = 0;
  nowhere_ = 0;
}

// Regions keep their numbers: lines that are on their way here have been given theirs.
void L1Cache::invalidate(std::uint64_t kept) {
  const unsigned region_bits = said_by_set_ + kLowBits;
  std::uint32_t stay = 0;  // regions whose lines do
  for (std::uint32_t r = 0; r < regions_; ++r)
    if (region_[r] >= kept >> region_bits) stay |= 1u << r;
  if (!stay && whole_.empty()) return ways_.clear();
  for (std::uint32_t at = 0; at < spec_.sets; ++at) {
    std::uint32_t ways = 0;
    for (std::uint32_t way = 0; way < kWays; ++way) {
      const std::uint32_t region = sets_[at].state[way] >> kStateBits >> kLowBits;
      const bool stays = region < kRegions ? stay >> region & 1 : whole_[at * kWays + way] >= kept;
      ways |= std::uint32_t{stays} << way;
    }
    ways_.keep(at, ways);
  }
}

// Arrivals are kept in 32 bits. What arrived two billion cycles ago has been there for everybody
// ever since, so that it may as well be said to come with the epoch.
std::uint64_t L1Cache::from_new_epoch(std::uint64_t cycle) {
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

// In caches of other than 512 sets, of which nothing was measured: further bits for more, and in
// fewer lines in a row still take all sets by turns, in the same banks.
std::uint32_t L1Cache::set_of_others(std::uint32_t of_512, std::uint64_t line) const {
  const std::uint32_t last = spec_.sets - 1;
  if (spec_.sets > kL1Sets)
    return (of_512 | static_cast<std::uint32_t>((line >> 9 ^ line >> 18) / kL1Sets * kL1Sets)) & last;
  const std::uint32_t row = static_cast<std::uint32_t>(line) ^ l1_set(line & ~std::uint64_t{last});
  return of_512 % kBanks | (row & last) / kBanks * kBanks;
}

void L1Cache::sets(const LineList& lines, const LineWords& words, std::uint32_t* out) const {
  if (spec_.sets == kL1Sets && words.alike) [[likely]]
    return l1_sets(words, out);
  for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
    const std::uint32_t set = l1_set(lines.line[i]);
    out[i] = spec_.sets == kL1Sets ? set : set_of_others(set, lines.line[i]);
  }
}

void L1Cache::seats(const LineList& lines, const LineWords& words, Seats& out) {
  const std::uint32_t region = tag(lines.line[0]) >> kLowBits;
  if (spec_.sets == kL1Sets && words.alike && region < kRegions) [[likely]] {
    l1_sets(words, out.set.data());
    tags(words, region, out.tag.data());
    return;
  }
  const auto count = static_cast<std::size_t>(lines.count);
  for (std::size_t i = 0; i < count; ++i) out.put(i, seat(lines.line[i]));
}

// Of lines of one region, in a cache of kL1Sets.
WARPMEM_WIDE_HOSTS void L1Cache::tags(const LineWords& words, std::uint32_t region,
                                      std::uint32_t* __restrict tag) {
  constexpr unsigned kSaidBySet = std::countr_zero(kL1Sets);
  const std::uint32_t* const __restrict low = words.low.data();
  const std::uint32_t upper = words.upper << (32 - kSaidBySet);
  const std::size_t count = words.count;
  for (std::size_t from = 0; from < count; from += LineWords::kStep)
    for (std::size_t i = from; i < from + LineWords::kStep; ++i)
      tag[i] = region << kLowBits | ((low[i] >> kSaidBySet | upper) % (1u << kLowBits));
}

template <bool allocate>
[[gnu::always_inline]] inline void L1Cache::load_all(const LineList& lines, const Seats& seats,
                                                     const AskedWords& words, Misses& out) {
  Set* const sets = sets_.data();
  L1Ways ways = ways_;  // no store of the loop changes a copy
  const std::uint64_t epoch = epoch_;
  const auto count = static_cast<std::size_t>(lines.count);
  std::size_t misses = 0;
  std::uint64_t hit = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = seats.set[i], tag = seats.tag[i];
    Set& set = sets[at];
    std::uint32_t way = kNone;
    if (const std::uint32_t those = alike(set, tag))
      way = find_among(those, at, tag, lines.line[i]);
    const Loaded one = load(set, ways, way, epoch, lines.line[i], {at, tag}, lines.sectors[i],
                            words, allocate);
    if (tag >= kOther && allocate) [[unlikely]]
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

WARPMEM_NEW_HOSTS void L1Cache::load_keeping(const LineList& lines, const Seats& seats,
                                             const AskedWords& words, Misses& out) {
  load_all<true>(lines, seats, words, out);
}

void L1Cache::load(const LineList& lines, const Seats& seats, const AskedWords& words,
                   bool allocate, Misses& out) {
#ifdef WARPMEM_AVX512
  if (allocate && wide_host() && load_strangers(lines, seats, out)) return;
#endif
  if (allocate) load_keeping(lines, seats, words, out);
  else load_all<false>(lines, seats, words, out);
}

std::uint64_t L1Cache::arrive(const Misses& missed, const std::uint64_t* done,
                              std::uint64_t soonest) {
  std::uint64_t all = soonest, epoch = epoch_;
#ifdef WARPMEM_AVX512
  if (missed.strangers && arrive_strangers(missed, done, all)) [[likely]]
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
[[gnu::noinline]] std::uint8_t L1Cache::load_written(const Seat& seat, std::uint32_t way,
                                                     std::uint8_t sectors, std::uint32_t words,
                                                     bool allocate) {
  std::uint32_t& state = sets_[seat.set].state[way];
  WrittenLine& written = written_[seat.set * kWays + way];
  if (!written.has(sectors, words)) {
    // The line comes anew, of which nothing stays but what this load asked for.
    if (allocate) state = (state & ~(kWritten | kEverySector)) | sectors;
    return sectors;
  }
  const auto missing = static_cast<std::uint8_t>(sectors & ~state & ~written.touched);
  if (allocate) state |= missing;
  return missing;
}

// Apart from the loops that mostly need it not, which have better use for the host's registers.
[[gnu::noinline]] std::uint32_t L1Cache::find_among(std::uint32_t ways, std::uint32_t at,
                                                    std::uint32_t tag, std::uint64_t line) const {
  if (tag >= kOther) [[unlikely]] {
    std::uint32_t same = 0;
    for (; ways; ways &= ways - 1) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(ways));
      if (whole_[std::size_t{at} * kWays + way] == line) same |= 1u << way;
    }
    ways = same;
  }
  return ways_.find(at, ways);
}

[[gnu::noinline]] void L1Cache::keep_whole(std::uint32_t at, std::uint32_t way,
                                           std::uint64_t line) {
  whole_.resize(sets_.size() * kWays);
  whole_[std::size_t{at} * kWays + way] = line;
}

// Of a line of which something was stored in part, or is now.
[[gnu::noinline]] void L1Cache::store_written(const Seat& seat, std::uint32_t way,
                                              std::uint8_t part, std::uint8_t full,
                                              const std::uint32_t* bytes) {
  std::uint32_t& state = sets_[seat.set].state[way];
  WrittenLine& written = written_[seat.set * kWays + way];
  if (!(state & kWritten)) written = {};
  written.drop(full);
  if (part) state |= written.store(part, bytes);
  state = written.touched ? state | kWritten : state & ~kWritten;
}

std::uint8_t L1Cache::load_last(std::uint64_t line, std::uint8_t sectors, const AskedWords& words) {
  const Seat here = seat(line);
  Set& set = sets_[here.set];
  const std::uint32_t way = find(set, here.set, here.tag, line);
  if (way == kNone) return sectors;
  ways_.retire(here.set, way);
  std::uint32_t& state = set.state[way];
  if (state & kWritten) return load_written(here, way, sectors, words(line), true);
  const auto missing = static_cast<std::uint8_t>(sectors & ~state);
  state |= sectors;
  return missing;
}

void L1Cache::drop(std::uint64_t line, std::uint8_t sectors) {
  const Seat here = seat(line);
  const std::uint32_t at = here.set, way = find(sets_[at], at, here.tag, line);
  if (way == kNone) return;
  std::uint32_t& state = sets_[at].state[way];
  state &= ~std::uint32_t{sectors};
  if (!(state & kWritten)) return;
  WrittenLine& written = written_[at * kWays + way];
  written.drop(sectors);
  if (!written.touched) state &= ~kWritten;
}

}  // namespace warpmem::model
