// One SM's L1 data cache for global and local memory, compute capability 7.0 and later.
//
// Models: lines of up to four 32-byte sectors; a miss fetches only the missing ones, or whole
// aligned pieces of two or four; stores
// write through and allocate; words that were stored can be read (written_line.hpp); atomics and
// reductions drop their sector; sets of up to 32 ways, where the tag bank is part of the set
// (l1_index.hpp) and the oldest goes (l1_ways.hpp); room for fewer lines than there are ways.
// Leaves out: latency and pending misses (a sector asked for is a hit from then on, which is how an
// H200 counts it too).
//
// Replacement, measured on an H200 (kernels/micro/l1_hash.cu, l1_replacement.cu and l1_room.cu,
// driver 580, CUDA 13.0, 2026-11-23). The tags are those of 256 KiB, whatever part of it is shared
// memory: 512 sets of four ways. A line that finds its set full takes the place of the set's oldest
// one: four random lines of its set push it out of an L1 of any capacity. A line that finds a free
// way but no room takes that of the oldest line of another set of its bank: a hand goes over the
// bank's sets, passing those that hold nothing, and goes on where it was after fences. (In the next
// launch too; here it starts anew, so that launches say the same alone as one after the other.) So
// lines in a row hold up to the capacity, and beyond it the oldest of three or four of each set go;
// columns of a matrix whose rows are apart by a multiple of a power of two may not. A hit of a load
// that would not have allocated makes no line younger. One of a last use makes its line the oldest,
// and a miss of one leaves nothing (local_replacement.cu, 2,000 sequences).
//
// Capacity: 256 KiB less the shared-memory configuration less 7 KiB, to the line, at configurations
// of 32, 132 and 228 KiB; a quarter of it for each bank.
// Invariants: hits + misses = sectors looked up; valid sectors have all bytes.
// Cost: l1_sets.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <utility>

#include "model/access/access.hpp"
#include "model/access/asked_words.hpp"
#include "model/access/line_words.hpp"
#include "model/cache/index/l1_index.hpp"
#include "model/cache/l1_sets.hpp"
#include "model/cache/spec.hpp"

namespace warpmem::model {

class L1Cache {
  // Does something with the sets that this one has.
  template <class Do>
  [[gnu::always_inline]] auto with(Do&& what) {
    if (is_four_) [[likely]]
      return what(four_);
    return spec_.ways <= 8 ? what(eight_) : what(many_);
  }
  template <class Do>
  [[gnu::always_inline]] auto with(Do&& what) const {
    if (is_four_) [[likely]]
      return what(four_);
    return spec_.ways <= 8 ? what(eight_) : what(many_);
  }

 public:
  static constexpr std::uint32_t kBanks = L1Ways<4>::kBanks;  // of tags
  using Spec = L1CacheSpec;
  using SetTag = L1SetTag;
  using SetTags = L1SetTags;
  using Loaded = L1Loaded;
  using Misses = L1Misses;

  // Whether there is an L1Cache of such sets.
  static bool takes(std::uint32_t ways, std::uint32_t sets, SetRule index, Replacement replacement);
  // Its tables take their memory from `memory`.
  explicit L1Cache(const Spec& spec,
                   std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  SetTag set_tag(std::uint64_t line) { return {set_of(line), tag(line)}; }
  // Of a line whose set is known.
  SetTag set_tag(std::uint64_t line, std::uint32_t set) { return {set, tag(line)}; }
  // The sets of lines, which are the same in all L1s of one Spec.
  void sets(const LineList& lines, const LineWords& words, std::uint32_t* out) const;
  void set_tags(const LineList& lines, const LineWords& words, SetTags& out);
  void set_tags(const LineList& lines, SetTags& out) { set_tags(lines, LineWords(lines), out); }

  // Loads the lines of a list, one after the other. What misses is valid afterwards. `allocate`
  // false: a hit counts, a miss leaves nothing behind.
  void load(const LineList& lines, const SetTags& set_tags, const AskedWords& words, bool allocate,
            Misses& out) {
    with([&](auto& sets) { sets.load(lines, set_tags, words, allocate, out); });
  }
  // The same, but nothing is done and the answer is false where some line is there in part or
  // whole, or where one line after the other is as fast.
  bool load_all_new_of(const LineList& lines, const SetTags& set_tags, bool allocate, Misses& out) {
    return with([&](auto& sets) { return sets.load_all_new_of(lines, set_tags, allocate, out); });
  }
  // The same for one line.
  [[gnu::always_inline]] Loaded load(std::uint64_t line, const SetTag& set_tag,
                                     std::uint8_t sectors, const AskedWords& words, bool allocate) {
    if (is_four_) [[likely]]
      return four_.load(line, set_tag, sectors, words, allocate);
    return load_other(line, set_tag, sectors, words, allocate);
  }
  // Which of `sectors` miss.
  std::uint8_t load(std::uint64_t line, std::uint8_t sectors, bool allocate = true,
                    const AskedWords& words = {}) {
    return load(line, set_tag(line), sectors, words, allocate).missing;
  }
  std::uint8_t load(const LineTouch& asked, const AskedWords& words = {}) {
    return load(asked.line, asked.sectors, true, words);
  }
  // Which of `sectors` a load misses that says it is the last one (LDL.LU): its line, if there is
  // one, is the oldest of its set from then on, and if there is none, none comes.
  std::uint8_t load_last(std::uint64_t line, std::uint8_t sectors, const AskedWords& words) {
    return with([&](auto& sets) { return sets.load_last(line, set_tag(line), sectors, words); });
  }
  std::uint8_t load_last(const LineTouch& asked, const AskedWords& words) {
    return load_last(asked.line, asked.sectors, words);
  }
  // What a load missed arrives at this cycle, or later if that was said before. Loads of one access
  // are announced in their order, at cycles that do not go back: a line that made room for a later
  // one of them then leaves it nothing to wait for.
  void arrives(std::uint32_t* entry, std::uint64_t cycle) {
    with([&](auto& sets) { sets.arrives(entry, cycle); });
  }
  // The same for what an access missed, each line in its turn: it arrives with what was asked for
  // before it. `done`: by line, when it is back. The cycle in which the last one is there, no
  // sooner than `soonest`.
  std::uint64_t arrive(const Misses& missed, const std::uint64_t* done, std::uint64_t soonest) {
    return with([&](auto& sets) { return sets.arrive(missed, done, soonest); });
  }
  // A store of the given bytes. True when the line was present (all its sectors count as hits).
  [[gnu::always_inline]] bool store(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors,
                                    std::uint8_t full, const std::uint32_t* bytes) {
    if (is_four_) [[likely]]
      return four_.store(line, set_tag, sectors, full, bytes);
    return store_other(line, set_tag, sectors, full, bytes);
  }
  bool store(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes) {
    return store(line, set_tag(line), sectors, full, bytes);
  }
  bool store(const LineTouch& t) { return store(t, set_tag(t.line)); }
  bool store(const LineTouch& t, const SetTag& set_tag) {
    return store(t.line, set_tag, t.sectors, t.full, t.bytes.data());
  }
  // Drops sectors (atomics).
  void drop(std::uint64_t line, std::uint8_t sectors) {
    with([&](auto& sets) { sets.drop(line, set_tag(line), sectors); });
  }
  // Forgets all lines below this one, a multiple of 1 TiB (CCTL.IVALL, which leaves local
  // memory's).
  void invalidate(std::uint64_t kept = ~std::uint64_t{0});
  // As new.
  void reset();

  // Has what an access to the line will look at brought into the host's cache; changes nothing.
  void prefetch(const SetTag& set_tag) const { prefetch(set_tag.set); }
  void prefetch(std::uint32_t set) const {
    with([set](const auto& sets) { sets.prefetch(set); });
  }
  void prefetch(const SetTags& set_tags, std::size_t count) const {
    with([&](const auto& sets) { sets.prefetch(set_tags, count); });
  }

  const Spec& spec() const { return spec_; }

 private:
  Loaded load_other(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors,
                    const AskedWords& words, bool allocate);
  bool store_other(std::uint64_t line, const SetTag& set_tag, std::uint8_t sectors,
                   std::uint8_t full, const std::uint32_t* bytes);

  std::uint32_t set_of(std::uint64_t line) const {
    const std::uint32_t set = l1_set(line);
    return measured_ ? set : set_of_others(set, line);
  }
  std::uint32_t tag(std::uint64_t line) {
    const std::uint64_t above = line >> said_by_set_;
    return region(above >> SetTag::kLowBits) << SetTag::kLowBits |
           static_cast<std::uint32_t>(above % (1u << SetTag::kLowBits));
  }
  // The number of a region; a new one gets one.
  std::uint32_t region(std::uint64_t upper) {
    std::uint32_t number = 0;
    while (number < regions_ && region_[number] != upper) ++number;
    if (number == regions_ && regions_ < SetTag::kRegions) region_[regions_++] = upper;
    return number;
  }
  std::uint32_t set_of_others(std::uint32_t of_512, std::uint64_t line) const;
  static void tags(const LineWords& words, std::uint32_t region, std::uint32_t* tag);

  Spec spec_;
  bool is_four_ = true;       // ways, and misses bring what was asked for: four_ has the sets
  bool measured_ = true;      // the sets and their index are those that were measured
  unsigned said_by_set_ = 9;  // low bits of a line's number that its set and its other bits tell
  L1Sets<4> four_;            // one of these has sets
  L1Sets<8> eight_;
  L1Sets<32> many_;
  std::uint64_t region_[SetTag::kRegions] = {};  // upper bits of the lines in it
  std::uint32_t regions_ = 0;                    // known
};

}  // namespace warpmem::model
