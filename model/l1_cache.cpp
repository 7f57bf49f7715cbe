#include "model/l1_cache.hpp"

#include <algorithm>
#include <numeric>

namespace warpmem::model {

L1Cache::L1Cache(const Spec& spec) : spec_(spec) {
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

// There are more slots than entries: one is free somewhere.
inline void L1Cache::link(std::uint32_t entry, std::uint64_t h) {
  const std::uint32_t home = bucket_of(h);
  for (std::uint32_t b = home;; b = behind(b)) {
    Bucket& bucket = buckets_[b];
    if (const std::uint32_t free = bytes_equal(bucket.mark, 0)) [[likely]] {
      const auto slot = static_cast<unsigned>(std::countr_zero(free));
      bucket.mark[slot] = mark_of(h);
      bucket.entry[slot] = static_cast<std::uint16_t>(entry);
      slot_[entry] = static_cast<std::uint16_t>(b * kSlots + slot);
      if (b != home) bucket.displaced = static_cast<std::uint16_t>(bucket.displaced | 1u << slot);
      return;
    }
    ++bucket.passed;
  }
}

inline void L1Cache::unlink(std::uint32_t entry) {
  const std::uint32_t at = slot_[entry] / kSlots, slot = slot_[entry] % kSlots;
  Bucket& bucket = buckets_[at];
  bucket.mark[slot] = 0;
  if (!(bucket.displaced >> slot & 1)) [[likely]]
    return;
  bucket.displaced = static_cast<std::uint16_t>(bucket.displaced & ~(1u << slot));
  for (std::uint32_t b = bucket_of(hash(line_of(entry))); b != at; b = behind(b))
    --buckets_[b].passed;
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
inline std::uint32_t L1Cache::pick_victim(std::uint32_t bank) {
  const std::uint8_t* first = epoch_.data() + bank * per_bank_;
  // The first of [from, to) that is old; `to` if none is.
  const auto search = [first](std::uint32_t from, std::uint32_t to, std::uint8_t old) {
    for (; from + kSlots <= to; from += kSlots)
      if (const std::uint32_t found = bytes_at_most(first + from, old))
        return from + static_cast<std::uint32_t>(std::countr_zero(found));
    while (from < to && first[from] > old) ++from;
    return from;
  };
  const std::uint32_t hand = hand_[bank];
  const auto next = [this, bank](std::uint32_t at) {
    hand_[bank] = at + 1 == per_bank_ ? 0 : at + 1;
    return bank * per_bank_ + at;
  };
  auto old = static_cast<std::uint8_t>(now_ >= spec_.ages ? now_ - spec_.ages + 1 : 0);
  if (first[hand] <= old) [[likely]]
    return next(hand);
  for (;; ++old) {
    std::uint32_t at = search(hand, per_bank_, old);
    if (at == per_bank_) {
      at = search(0, hand, old);
      if (at == hand) continue;
    }
    return next(at);
  }
}

std::uint32_t L1Cache::allocate(std::uint64_t line, std::uint64_t hash) {
  const std::uint32_t bank = tag_bank(line);
  std::uint32_t e;
  if (used_[bank] < per_bank_) {
    // Entries are taken in a scattered order, as a hash of the address would.
    e = bank * per_bank_ +
        static_cast<std::uint32_t>(std::uint64_t{used_[bank]++} * stride_ % per_bank_);
  } else {
    e = pick_victim(bank);
    unlink(e);
    prefetch_victim(bank, 2);
    __builtin_prefetch(&entry_[e] + 4, 1);
  }
  entry_[e] = {line << 5, 0};
  link(e, hash);
  return e;
}

bool L1Cache::store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
                    const std::uint32_t* bytes) {
  const std::uint64_t h = hash(line);
  std::uint32_t e = find(line, h);
  const bool present = e != kNone;
  if (!present) e = allocate(line, h);
  std::uint64_t state = entry_[e].state | full;
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
  entry_[e].state = state;
  touch(e);
  return present;
}

void L1Cache::drop(std::uint64_t line, std::uint8_t sectors) {
  const std::uint32_t e = find(line, hash(line));
  if (e == kNone) return;
  entry_[e].state &= ~std::uint64_t{sectors};
  for (int s = 0; s < 4; ++s)
    if (sectors >> s & 1) partial_[e].sector[s] = 0;
}

}  // namespace warpmem::model
