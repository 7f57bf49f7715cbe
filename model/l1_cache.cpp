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
  slots_.assign(slots, kNone);
  tag_.assign(entries, 0);
  valid_.assign(entries, 0);
  epoch_.assign(entries, 0);
  partial_.assign(entries, Bytes{});
}

void L1Cache::invalidate() {
  std::fill(slots_.begin(), slots_.end(), static_cast<std::uint16_t>(kNone));
  for (int b = 0; b < 4; ++b) used_[b] = hand_[b] = 0;
  accesses_ = 0;
  now_ = 1;
}

std::uint32_t L1Cache::home(std::uint64_t line) const {
  return static_cast<std::uint32_t>(line * 0x9e3779b97f4a7c15ull >> 40) & slots_mask_;
}

std::uint32_t L1Cache::find(std::uint64_t line) const {
  for (std::uint32_t s = home(line);; s = (s + 1) & slots_mask_) {
    const std::uint32_t e = slots_[s];
    if (e == kNone || tag_[e] == line) return e;
  }
}

// Removes a line from the slot table, closing the gap (linear probing without tombstones).
void L1Cache::unlink(std::uint64_t line) {
  std::uint32_t s = home(line);
  while (tag_[slots_[s]] != line) s = (s + 1) & slots_mask_;
  for (std::uint32_t next = (s + 1) & slots_mask_; slots_[next] != kNone; next = (next + 1) & slots_mask_) {
    const std::uint32_t want = home(tag_[slots_[next]]);
    if (((next - want) & slots_mask_) >= ((next - s) & slots_mask_)) {
      slots_[s] = slots_[next];
      s = next;
    }
  }
  slots_[s] = kNone;
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
    unlink(tag_[e]);
  }
  tag_[e] = line;
  valid_[e] = 0;
  partial_[e] = Bytes{};
  std::uint32_t s = home(line);
  while (slots_[s] != kNone) s = (s + 1) & slots_mask_;
  slots_[s] = static_cast<std::uint16_t>(e);
  return e;
}

std::uint8_t L1Cache::load(std::uint64_t line, std::uint8_t sectors, bool may_allocate) {
  std::uint32_t e = find(line);
  if (e == kNone) {
    if (!may_allocate) return sectors;
    e = allocate(line);
  }
  const std::uint8_t missing = static_cast<std::uint8_t>(sectors & ~valid_[e]);
  if (may_allocate) valid_[e] = static_cast<std::uint8_t>(valid_[e] | sectors);
  touch(e);
  return missing;
}

bool L1Cache::store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full, const std::uint32_t* bytes) {
  std::uint32_t e = find(line);
  const bool present = e != kNone;
  if (!present) e = allocate(line);
  valid_[e] = static_cast<std::uint8_t>(valid_[e] | full);
  for (int s = 0; s < 4; ++s) {
    if (!(sectors >> s & 1) || (valid_[e] >> s & 1)) continue;
    partial_[e].sector[s] |= bytes[s];
    if (partial_[e].sector[s] == ~0u) valid_[e] = static_cast<std::uint8_t>(valid_[e] | 1u << s);
  }
  touch(e);
  return present;
}

void L1Cache::drop(std::uint64_t line, std::uint8_t sectors) {
  const std::uint32_t e = find(line);
  if (e == kNone) return;
  valid_[e] = static_cast<std::uint8_t>(valid_[e] & ~sectors);
  for (int s = 0; s < 4; ++s)
    if (sectors >> s & 1) partial_[e].sector[s] = 0;
}

}  // namespace warpmem::model
