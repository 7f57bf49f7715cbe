#include "model/l1_cache.hpp"

#include <bit>
#include <numeric>

namespace warpmem::model {

L1Cache::L1Cache(const Spec& spec, std::pmr::memory_resource* memory)
    : spec_(spec),
      buckets_(memory),
      entry_(memory),
      epoch_(memory),
      slot_(memory),
      partial_(memory) {
  per_bank_ = std::max<std::uint32_t>(1, spec_.lines / 4);
  epoch_lines_ = std::max<std::uint32_t>(1, spec_.lines / std::max<std::uint32_t>(1, spec_.ages));
  stride_ = 161;
  while (std::gcd(stride_, per_bank_) != 1) ++stride_;
  const std::uint32_t entries = per_bank_ * 4;
  bucket_count_ = std::max<std::uint32_t>(1, entries / (kSlots / 2));
  buckets_.assign(bucket_count_, Bucket{});
  entry_.assign(entries + 1, Entry{});
  epoch_.assign(entries, 0);
  slot_.assign(entries, 0);
  partial_.assign(entries, Bytes{});
}

void L1Cache::invalidate() {
  std::fill(buckets_.begin(), buckets_.end(), Bucket{});
  for (int b = 0; b < 4; ++b) used_[b] = hand_[b] = 0;
  accesses_ = 0;
  now_ = 1;
}

// The line's entry, or kNone.
inline std::uint32_t L1Cache::find(const Tables& t, std::uint64_t line, const Seat& seat) {
  for (std::uint32_t b = seat.bucket;; b = behind(t, b)) {
    const Bucket& bucket = t.buckets[b];
    for (std::uint32_t same = bytes_equal(bucket.mark, seat.mark); same; same &= same - 1) {
      const std::uint32_t e = bucket.entry[std::countr_zero(same)];
      if (t.entry[e].state >> 5 == line) return e;
    }
    if (bucket.passed == 0) [[likely]]
      return kNone;
  }
}

// There are more slots than entries: one is free somewhere.
inline void L1Cache::link(const Tables& t, std::uint32_t entry, const Seat& seat) {
  for (std::uint32_t b = seat.bucket;; b = behind(t, b)) {
    Bucket& bucket = t.buckets[b];
    if (const std::uint32_t free = bytes_equal(bucket.mark, 0)) [[likely]] {
      const auto slot = static_cast<unsigned>(std::countr_zero(free));
      bucket.mark[slot] = seat.mark;
      bucket.entry[slot] = static_cast<std::uint16_t>(entry);
      t.slot[entry] = static_cast<std::uint16_t>(b * kSlots + slot);
      if (b != seat.bucket)
        bucket.displaced = static_cast<std::uint16_t>(bucket.displaced | 1u << slot);
      return;
    }
    ++bucket.passed;
  }
}

inline void L1Cache::unlink(const Tables& t, std::uint32_t entry) const {
  const std::uint32_t at = t.slot[entry] / kSlots, slot = t.slot[entry] % kSlots;
  Bucket& bucket = t.buckets[at];
  bucket.mark[slot] = 0;
  if (!(bucket.displaced >> slot & 1)) [[likely]]
    return;
  bucket.displaced = static_cast<std::uint16_t>(bucket.displaced & ~(1u << slot));
  for (std::uint32_t b = bucket_of(hash(t.entry[entry].state >> 5)); b != at; b = behind(t, b))
    --t.buckets[b].passed;
}

// All lines grow older by one. Before the eight-bit counter wraps, all ages are
// moved down together.
void L1Cache::age() {
  accesses_ = 0;
  if (now_ < 250) {
    ++now_;
    return;
  }
  const std::uint8_t shift = 128;
  for (auto& e : epoch_) e = e > shift ? static_cast<std::uint8_t>(e - shift) : 0;
  now_ = static_cast<std::uint8_t>(now_ - shift + 1);
}

// The next old line that a hand finds which goes round the bank's entries.
inline std::uint32_t L1Cache::pick_victim(const Tables& t, std::uint32_t bank) {
  const std::uint8_t* first = t.epoch + bank * t.per_bank;
  // The first of [from, to) that is old; `to` if none is.
  const auto search = [first](std::uint32_t from, std::uint32_t to, std::uint8_t old) {
    for (; from + kSlots <= to; from += kSlots)
      if (const std::uint32_t found = bytes_at_most(first + from, old))
        return from + static_cast<std::uint32_t>(std::countr_zero(found));
    while (from < to && first[from] > old) ++from;
    return from;
  };
  const std::uint32_t hand = hand_[bank];
  const auto next = [this, &t, bank](std::uint32_t at) {
    hand_[bank] = at + 1 == t.per_bank ? 0 : at + 1;
    return bank * t.per_bank + at;
  };
  auto old = static_cast<std::uint8_t>(now_ >= spec_.ages ? now_ - spec_.ages + 1 : 0);
  if (first[hand] <= old) [[likely]]
    return next(hand);
  for (;; ++old) {
    std::uint32_t at = search(hand, t.per_bank, old);
    if (at == t.per_bank) {
      at = search(0, hand, old);
      if (at == hand) continue;
    }
    return next(at);
  }
}

inline std::uint32_t L1Cache::allocate(const Tables& t, std::uint64_t line, const Seat& seat) {
  const std::uint32_t bank = seat.bank;
  std::uint32_t e;
  if (used_[bank] == t.per_bank) [[likely]] {
    e = pick_victim(t, bank);
    unlink(t, e);
    prefetch_victim(bank, 2);
    __builtin_prefetch(&t.entry[e] + 4, 1);
  } else {
    // Entries are taken in a scattered order, as a hash of the address would.
    e = bank * t.per_bank +
        static_cast<std::uint32_t>(std::uint64_t{used_[bank]++} * stride_ % t.per_bank);
  }
  t.entry[e] = {line << 5, 0};
  link(t, e, seat);
  return e;
}

void L1Cache::load(const LineTouch* lines, const Seat* seats, int count, bool may_allocate,
                   Loaded* out) {
  const Tables t = tables();
  for (int i = 0; i < count; ++i) {
    const std::uint64_t line = lines[i].line;
    const std::uint8_t sectors = lines[i].sectors;
    std::uint32_t e = find(t, line, seats[i]);
    if (e == kNone) {
      if (!may_allocate) {
        const std::uint32_t nowhere = t.per_bank * 4;
        t.entry[nowhere].arrival = 0;
        out[i] = {0, nowhere, sectors};
        continue;
      }
      e = allocate(t, line, seats[i]);
    }
    Entry& entry = t.entry[e];
    out[i] = {entry.arrival, e, static_cast<std::uint8_t>(sectors & ~entry.state)};
    if (may_allocate) entry.state |= sectors;
    touch(t, e);
  }
}

std::uint8_t L1Cache::load(std::uint64_t line, std::uint8_t sectors, bool may_allocate) {
  LineTouch touch;
  touch.line = line;
  touch.sectors = sectors;
  const Seat at = seat(line);
  Loaded loaded;
  load(&touch, &at, 1, may_allocate, &loaded);
  return loaded.missing;
}

bool L1Cache::store(std::uint64_t line, const Seat& seat, std::uint8_t sectors, std::uint8_t full,
                    const std::uint32_t* bytes) {
  const Tables t = tables();
  std::uint32_t e = find(t, line, seat);
  const bool present = e != kNone;
  if (!present) e = allocate(t, line, seat);
  std::uint64_t state = t.entry[e].state | full;
  if (sectors & ~state) {
    Bytes& partial = partial_[e];
    if (!(state & kPartial)) partial = Bytes{};
    state |= kPartial;
    for (int s = 0; s < 4; ++s) {
      if (!(sectors >> s & 1) || (state >> s & 1)) continue;
      partial.sector[s] |= bytes[s];
      if (partial.sector[s] == ~0u) state |= 1u << s;
    }
  }
  t.entry[e].state = state;
  touch(t, e);
  return present;
}

void L1Cache::drop(std::uint64_t line, std::uint8_t sectors) {
  const std::uint32_t e = find(tables(), line, seat(line));
  if (e == kNone) return;
  entry_[e].state &= ~std::uint64_t{sectors};
  for (int s = 0; s < 4; ++s)
    if (sectors >> s & 1) partial_[e].sector[s] = 0;
}

}  // namespace warpmem::model
