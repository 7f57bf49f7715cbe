// One SM's L1 data cache for global and local memory, compute capability 7.0 and later.
//
// Models: 128-byte lines of four 32-byte sectors; a miss fetches only the missing sectors; stores
// write through and allocate, keeping a byte mask, so that a sector is readable only once all its
// bytes are there; atomics and reductions drop their sector; four tag banks (tag_banks.hpp) with a
// quarter of the lines each; replacement by age in steps.
// Leaves out: latency and pending misses (a sector asked for is a hit from then on, which is how an
// H200 counts it too).
//
// Replacement, measured on an H200 (kernels/micro/l1_sets.cu, driver 580, CUDA 13.0, 2026-11-21):
// 1,728 lines hold without a loss; beyond that each new line takes the place of an old one, in no
// visible order, and never of one among the latest 1,024 to 1,300; a line that is read again counts
// as young. So a line has one of four ages, a quarter of the capacity in accesses each, and the
// victim is some line of its bank of the oldest age. Cyclic reading of 32 to 192 lines too many
// loses within 8 % of what was measured (1,588 of 1,760 hit, 1,243 of 1,888).
//
// Capacity: 256 KiB less the shared-memory configuration less 8 KiB (measured at six carve-outs).
// Invariants: hits + misses = sectors looked up; valid sectors have all bytes.
// Cost: one bucket of a hash table a line; a miss adds one more, of the line that goes.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/match.hpp"
#include "model/tag_banks.hpp"

namespace warpmem::model {

class L1Cache {
 public:
  struct Spec {
    std::uint32_t lines = 1728;  // capacity, at most 32,768
    std::uint32_t ages = 4;      // a line ages by one every lines / ages line accesses
  };
  explicit L1Cache(const Spec& spec);

  // Which of `sectors` miss; they are valid afterwards. `allocate` false: a hit counts, a miss
  // leaves nothing behind.
  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate = true);
  // A store of the given bytes. True when the line was present (all its sectors count as hits).
  bool store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes);
  // When the line of the latest load() is all there: a caller that keeps time sets it on a miss and
  // waits for it on a hit. 0 until set; meaningless after a load that left nothing behind.
  std::uint64_t& arrival() { return entry_[latest_].arrival; }
  // Drops sectors (atomics).
  void drop(std::uint64_t line, std::uint8_t sectors);
  // Forgets everything (kernel start, acquire fence).
  void invalidate();

  // Has what an access to the line will look at brought into the host's cache; changes nothing.
  void prefetch(std::uint64_t line) const {
    __builtin_prefetch(&buckets_[bucket_of(hash(line))], 1);
    prefetch_victim(tag_bank(line), 0);
  }

  const Spec& spec() const { return spec_; }

 private:
  static constexpr std::uint32_t kNone = 0xffff;
  static constexpr std::uint64_t kPartial = 16;  // in Entry::state: partial_ holds something
  static constexpr std::uint32_t kSlots = 16;
  struct Bytes {
    std::uint32_t sector[4];
  };
  struct Entry {
    std::uint64_t state = 0;    // line, kPartial, readable sectors (four bits)
    std::uint64_t arrival = 0;  // cycle
  };
  // Lines that hash alike, one line of the host's cache: of each a byte of its hash, which spares
  // nearly all looks at other lines' entries, and its entry.
  struct alignas(64) Bucket {
    std::uint8_t mark[kSlots];  // 0: free
    std::uint16_t entry[kSlots];
    std::uint16_t passed;     // lines that found it full and lie in one of those behind it
    std::uint16_t displaced;  // bit s: the line in slot s is one of those that passed others
  };

  static std::uint64_t hash(std::uint64_t line) { return line * 0x9e3779b97f4a7c15ull; }
  static std::uint8_t mark_of(std::uint64_t hash) {
    const auto byte = static_cast<std::uint8_t>(hash >> 24);
    return static_cast<std::uint8_t>(byte + (byte == 0));
  }
  std::uint32_t bucket_of(std::uint64_t hash) const {
    return static_cast<std::uint32_t>((hash >> 32) * bucket_count_ >> 32);
  }
  std::uint32_t behind(std::uint32_t bucket) const {
    return bucket + 1 == bucket_count_ ? 0 : bucket + 1;
  }
  std::uint64_t line_of(std::uint32_t entry) const { return entry_[entry].state >> 5; }
  // The bucket of the `ahead`-th entry from the hand on: most likely one of the next to go.
  void prefetch_victim(std::uint32_t bank, std::uint32_t ahead) const {
    const std::uint32_t at = hand_[bank] + ahead;
    if (at < per_bank_) __builtin_prefetch(&buckets_[slot_[bank * per_bank_ + at] / kSlots], 1);
  }
  std::uint32_t find(std::uint64_t line, std::uint64_t hash) const;
  std::uint32_t allocate(std::uint64_t line, std::uint64_t hash);
  std::uint32_t pick_victim(std::uint32_t bank);
  void touch(std::uint32_t entry) {
    epoch_[entry] = now_;
    if (++accesses_ >= epoch_lines_) [[unlikely]]
      age();
  }
  void link(std::uint32_t entry, std::uint64_t hash);
  void unlink(std::uint32_t entry);
  void age();

  Spec spec_;
  std::uint32_t per_bank_ = 0;
  std::uint32_t epoch_lines_ = 1;  // accesses after which all lines are one age older
  std::uint32_t bucket_count_ = 1;
  std::vector<Bucket> buckets_;      // half full when the cache is
  std::vector<Entry> entry_;         // grouped by bank; one more for loads that leave nothing
  std::vector<std::uint8_t> epoch_;  // by entry
  std::vector<std::uint16_t> slot_;  // by entry: bucket * kSlots + slot
  std::vector<Bytes> partial_;       // by entry: bytes written in sectors that are not readable
  std::uint32_t latest_ = 0;         // entry of the latest load()
  std::uint32_t used_[4] = {};
  std::uint32_t hand_[4] = {};
  std::uint32_t stride_ = 1;  // between entries that are taken one after the other
  std::uint32_t accesses_ = 0;
  std::uint8_t now_ = 1;
};

inline std::uint32_t L1Cache::find(std::uint64_t line, std::uint64_t h) const {
  const std::uint8_t mark = mark_of(h);
  for (std::uint32_t b = bucket_of(h);; b = behind(b)) {
    const Bucket& bucket = buckets_[b];
    for (std::uint32_t same = bytes_equal(bucket.mark, mark); same; same &= same - 1) {
      const std::uint32_t e = bucket.entry[std::countr_zero(same)];
      if (line_of(e) == line) return e;
    }
    if (bucket.passed == 0) [[likely]]
      return kNone;
  }
}

inline std::uint8_t L1Cache::load(std::uint64_t line, std::uint8_t sectors, bool may_allocate) {
  const std::uint64_t h = hash(line);
  std::uint32_t e = find(line, h);
  if (e == kNone) {
    if (!may_allocate) {
      latest_ = per_bank_ * 4;
      entry_[latest_].arrival = 0;
      return sectors;
    }
    e = allocate(line, h);
  }
  latest_ = e;
  std::uint64_t& state = entry_[e].state;
  const auto missing = static_cast<std::uint8_t>(sectors & ~state);
  if (may_allocate) state |= sectors;
  touch(e);
  return missing;
}

}  // namespace warpmem::model
