#include "model/l1_cache.hpp"

#include <algorithm>
#include <numeric>

#include "model/tag_banks.hpp"

namespace warpmem::model {

L1Cache::L1Cache(const Spec& spec) : spec_(spec) {
  per_bank_ = std::max<std::uint32_t>(1, spec_.lines / 4);
  epoch_lines_ = std::max<std::uint32_t>(1, spec_.lines / std::max<std::uint32_t>(1, spec_.ages));
  stride_ = 161;
  while (std::gcd(stride_, per_bank_) != 1) ++stride_;
  const std::uint32_t entries = per_bank_ * 4;
  std::uint32_t slots = 64;
  while (slots < 2 * entries) slots *= 2;
  slots_mask_ = slots - 1;
  slots_.assign(slots, Slot{kNone, 0});
  state_.assign(entries, 0);
  epoch_.assign(entries, 0);
  partial_.assign(entries, Bytes{});
  arrival_.assign(entries + 1, 0);
}

void L1Cache::invalidate() {
  std::fill(slots_.begin(), slots_.end(), Slot{kNone, 0});
  for (int b = 0; b < 4; ++b) used_[b] = hand_[b] = 0;
  accesses_ = 0;
  now_ = 1;
}

std::uint32_t L1Cache::find(std::uint64_t line) const {
  const std::uint16_t h = hash(line);
  for (std::uint32_t s = h & slots_mask_;; s = (s + 1) & slots_mask_) {
    const Slot slot = slots_[s];
    if (slot.entry == kNone || (slot.hash == h && line_of(slot.entry) == line)) return slot.entry;
  }
}

// Removes an entry from the slot table, closing the gap (linear probing without tombstones).
void L1Cache::unlink(std::uint32_t entry) {
  std::uint32_t s = hash(line_of(entry)) & slots_mask_;
  while (slots_[s].entry != entry) s = (s + 1) & slots_mask_;
  for (std::uint32_t next = (s + 1) & slots_mask_; slots_[next].entry != kNone; next = (next + 1) & slots_mask_) {
    const std::uint32_t want = slots_[next].hash & slots_mask_;
    if (((next - want) & slots_mask_) >= ((next - s) & slots_mask_)) {
      slots_[s] = slots_[next];
      s = next;
    }
  }
  slots_[s].entry = kNone;
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

void L1Cache::touch(std::uint32_t entry) {
  epoch_[entry] = now_;
  if (++accesses_ >= epoch_lines_) age();
}

// The next old line that a hand finds which goes round the bank's entries.
std::uint32_t L1Cache::pick_victim(std::uint32_t bank) {
  const std::uint8_t* first = epoch_.data() + bank * per_bank_;
  std::uint8_t old = static_cast<std::uint8_t>(now_ >= spec_.ages ? now_ - spec_.ages + 1 : 0);
  for (;; ++old)
    for (std::uint32_t n = 0; n < per_bank_; ++n) {
      const std::uint32_t at = hand_[bank];
      hand_[bank] = at + 1 == per_bank_ ? 0 : at + 1;
      if (first[at] <= old) return bank * per_bank_ + at;
    }
}

std::uint32_t L1Cache::allocate(std::uint64_t line) {
  const std::uint32_t bank = tag_bank(line);
  std::uint32_t e;
  if (used_[bank] < per_bank_) {
    // Entries are taken in a scattered order, as a hash of the address would.
    e = bank * per_bank_ + static_cast<std::uint32_t>(std::uint64_t{used_[bank]++} * stride_ % per_bank_);
  } else {
    e = pick_victim(bank);
    unlink(e);
    // Most likely the next to go: its slot will have come in by then.
    prefetch(line_of(bank * per_bank_ + hand_[bank]));
  }
  state_[e] = line << 5;
  const std::uint16_t h = hash(line);
  std::uint32_t s = h & slots_mask_;
  while (slots_[s].entry != kNone) s = (s + 1) & slots_mask_;
  slots_[s] = {static_cast<std::uint16_t>(e), h};
  return e;
}

std::uint8_t L1Cache::load(std::uint64_t line, std::uint8_t sectors, bool may_allocate) {
  std::uint32_t e = find(line);
  if (e == kNone) {
    if (!may_allocate) {
      latest_ = per_bank_ * 4;
      arrival_[latest_] = 0;
      return sectors;
    }
    e = allocate(line);
    arrival_[e] = 0;
  }
  latest_ = e;
  const auto missing = static_cast<std::uint8_t>(sectors & ~state_[e]);
  if (may_allocate) state_[e] |= sectors;
  touch(e);
  return missing;
}

bool L1Cache::store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full, const std::uint32_t* bytes) {
  std::uint32_t e = find(line);
  const bool present = e != kNone;
  if (!present) {
    e = allocate(line);
    arrival_[e] = 0;
  }
  std::uint64_t state = state_[e] | full;
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
  state_[e] = state;
  touch(e);
  return present;
}

void L1Cache::drop(std::uint64_t line, std::uint8_t sectors) {
  const std::uint32_t e = find(line);
  if (e == kNone) return;
  state_[e] &= ~std::uint64_t{sectors};
  for (int s = 0; s < 4; ++s)
    if (sectors >> s & 1) partial_[e].sector[s] = 0;
}

}  // namespace warpmem::model
