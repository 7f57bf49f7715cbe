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

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "model/match.hpp"
#include "model/tag_banks.hpp"

namespace warpmem::model {

class L1Cache {
 public:
  struct Spec {
    std::uint32_t lines = 1728;  // capacity, at most 32,768
    std::uint32_t ages = 4;      // a line ages by one every lines / ages line accesses
    bool operator==(const Spec&) const = default;
  };
  // Where the tables have a line, or would: worked out once for all that concerns it.
  struct Seat {
    std::uint32_t bucket;
    std::uint8_t mark, bank;
  };
  // What a load of one line met. A caller that keeps time says when what misses arrives.
  struct Loaded {
    std::uint64_t arrival;  // cycle from which what is there is there; 0: never said
    std::uint32_t entry;    // for arrives()
    std::uint8_t missing;   // sectors
  };
  // Its tables take their memory from `memory`.
  explicit L1Cache(const Spec& spec,
                   std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  Seat seat(std::uint64_t line) const {
    const std::uint64_t h = hash(line);
    return {bucket_of(h), mark_of(h), static_cast<std::uint8_t>(tag_bank(line))};
  }

  // Loads different lines, one after the other. What misses is valid afterwards. `allocate` false:
  // a hit counts, a miss leaves nothing behind.
  void load(const LineTouch* lines, const Seat* seats, int count, bool allocate, Loaded* out);
  // Which of `sectors` miss.
  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate = true);
  // What a load missed arrives at this cycle, or later if that was said before. Loads of one call
  // are told in their order, at cycles that do not go back: a line that made room for a later one
  // of them then leaves it nothing to wait for.
  void arrives(std::uint32_t entry, std::uint64_t cycle) {
    entry_[entry].arrival = std::max(entry_[entry].arrival, cycle);
  }
  // A store of the given bytes. True when the line was present (all its sectors count as hits).
  bool store(std::uint64_t line, const Seat& seat, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes);
  bool store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes) {
    return store(line, seat(line), sectors, full, bytes);
  }
  // Drops sectors (atomics).
  void drop(std::uint64_t line, std::uint8_t sectors);
  // Forgets everything (kernel start, acquire fence).
  void invalidate();

  // Has what an access to the line will look at brought into the host's cache; changes nothing.
  void prefetch(const Seat& seat) const {
    __builtin_prefetch(&buckets_[seat.bucket], 1);
    prefetch_victim(seat.bank, 0);
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
  // The tables' places. A copy of its own lets a loop keep them in registers, where the compiler
  // has to expect that any byte it writes is part of *this.
  struct Tables {
    Bucket* buckets;
    Entry* entry;
    std::uint8_t* epoch;
    std::uint16_t* slot;
    std::uint32_t per_bank, bucket_count;
  };
  Tables tables() {
    return {buckets_.data(), entry_.data(), epoch_.data(), slot_.data(), per_bank_, bucket_count_};
  }

  static std::uint64_t hash(std::uint64_t line) { return line * 0x9e3779b97f4a7c15ull; }
  static std::uint8_t mark_of(std::uint64_t hash) {
    const auto byte = static_cast<std::uint8_t>(hash >> 24);
    return static_cast<std::uint8_t>(byte + (byte == 0));
  }
  std::uint32_t bucket_of(std::uint64_t hash) const {
    return static_cast<std::uint32_t>((hash >> 32) * bucket_count_ >> 32);
  }
  static std::uint32_t behind(const Tables& t, std::uint32_t bucket) {
    return bucket + 1 == t.bucket_count ? 0 : bucket + 1;
  }
  // The bucket of the `ahead`-th entry from the hand on: most likely one of the next to go.
  void prefetch_victim(std::uint32_t bank, std::uint32_t ahead) const {
    const std::uint32_t at = hand_[bank] + ahead;
    if (at < per_bank_) __builtin_prefetch(&buckets_[slot_[bank * per_bank_ + at] / kSlots], 1);
  }
  static std::uint32_t find(const Tables& t, std::uint64_t line, const Seat& seat);
  std::uint32_t allocate(const Tables& t, std::uint64_t line, const Seat& seat);
  std::uint32_t pick_victim(const Tables& t, std::uint32_t bank);
  static void link(const Tables& t, std::uint32_t entry, const Seat& seat);
  void unlink(const Tables& t, std::uint32_t entry) const;
  void touch(const Tables& t, std::uint32_t entry) {
    t.epoch[entry] = now_;
    if (++accesses_ >= epoch_lines_) [[unlikely]]
      age();
  }
  void age();

  Spec spec_;
  std::uint32_t per_bank_ = 0;
  std::uint32_t epoch_lines_ = 1;  // accesses after which all lines are one age older
  std::uint32_t bucket_count_ = 1;
  std::pmr::vector<Bucket> buckets_;      // half full when the cache is
  std::pmr::vector<Entry> entry_;         // grouped by bank; one more for loads that leave nothing
  std::pmr::vector<std::uint8_t> epoch_;  // by entry
  std::pmr::vector<std::uint16_t> slot_;  // by entry: bucket * kSlots + slot
  std::pmr::vector<Bytes> partial_;  // by entry: bytes written in sectors that are not readable
  std::uint32_t used_[4] = {};
  std::uint32_t hand_[4] = {};
  std::uint32_t stride_ = 1;  // between entries that are taken one after the other
  std::uint32_t accesses_ = 0;
  std::uint8_t now_ = 1;
};

}  // namespace warpmem::model
