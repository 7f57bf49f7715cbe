// One side of the partitioned L2: the lines whose home it is, and copies of the other side's.
//
// Models: lines of up to four sectors, sets of up to 32 ways, LRU, write-back; a cap on the ways
// of a set that may be dirty and on those that hold partly written sectors. Who is home and what
// crosses is the business of L2Cache (l2_cache.hpp).
//
// The caps come from store footprints on an H200 (kernels/micro/l2_policy.cu, driver 580, CUDA
// 13.0, 2026-11-21): partly written lines are filled from DRAM and written back once more than two
// in sixteen ways hold them (8 MiB of single words: 6.4 % of the lines, as 2.13 lines a set of
// which 2 may stay), fully written ones are written back once more than seven do (26 of 60 MiB stay
// dirty after any larger footprint). A dirty line whose turn it is to go is written back and stays,
// clean, while the oldest clean line goes in its place: stores that reads push out leave at half
// the pace of LRU, and are then still there to be read (l2_writeback.cu, 2026-11-22). The
// hardware's write-backs also lag behind reads at full rate; here they are done at once. The set
// hash is not identified: an even spread is assumed. How lines that persist and lines that are the
// first to go change whose turn it is: stay.hpp. Invariants: dirty and partial sectors are
// valid or partial, never both. Cost: l2_sets.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/prefetch.hpp"
#include "model/access/access.hpp"
#include "model/access/line_words.hpp"
#include "model/access/stay.hpp"
#include "model/fast/divisor.hpp"
#include "model/l2/l2_sets.hpp"
#include "model/l2/spec.hpp"

namespace warpmem::model {

class L2Side {
 public:
  using Spec = L2SideSpec;
  using Traffic = L2Traffic;
  using SetTag = L2SetTag;
  using SetTags = L2SetTags;
  using Lookup = L2Lookup;
  using Found = L2Found;

  // Whether there is a side of such sets.
  static bool takes(std::uint64_t sets, std::uint64_t ways, SetRule index);
  explicit L2Side(const Spec& spec);

  SetTag set_tag(std::uint64_t line);
  void set_tags(const LineList& lines, const LineWords& words, SetTags& out);
  void set_tags(const LineList& lines, SetTags& out) { set_tags(lines, LineWords(lines), out); }
  // The line of a set_tag that this side gave out; of those beyond its regions only one like it.
  std::uint64_t line_of(std::uint32_t set, std::uint16_t short_tag) const;
  Lookup find(const SetTag& set_tag) const {
    return few() ? few_.find(set_tag) : many_.find(set_tag);
  }
  // As sets hold a line's tag; a region that is new gets a number.
  std::uint16_t short_tag(std::uint32_t tag);

  // A read; what it misses is here from then on.
  Found read(const SetTag& set_tag, std::uint8_t sectors, std::uint32_t piece,
             Stay stay = Stay::kUnsaid) {
    return few() ? few_.read(set_tag, sectors, piece, stay)
                 : read_many(set_tag, sectors, piece, stay);
  }
  // The same for lines of a list, one after the other, in a loop.
  class Reader {
   public:
    Reader(L2Side& side, const SetTags& set_tags, std::uint32_t piece)
        : few_(side.few_, set_tags, piece),
          many_(side.many_, set_tags, piece),
          is_few_(side.few()) {}
    [[gnu::always_inline]] Found operator()(const SetTags& set_tags, std::size_t at,
                                            std::uint8_t sectors) const {
      if (is_few_) [[likely]]
        return few_(set_tags, at, sectors);
      return of_many(set_tags, at, sectors);
    }

   private:
    [[gnu::noinline]] Found of_many(const SetTags& set_tags, std::size_t at,
                                    std::uint8_t sectors) const {
      return many_(set_tags, at, sectors);
    }
    const L2Sets<16>::Reader few_;
    const L2Sets<32>::Reader many_;
    const bool is_few_;
  };
  // The same for all of these lines; `all`: they are all of the list's. `here` (of what is read)
  // and `missing` have room for as many as a list may have.
  void read(const SetTags& set_tags, const LineParts& parts, std::uint32_t piece,
            std::uint8_t* here, std::uint8_t* missing, bool all = false) {
    if (few()) few_.read(set_tags, parts, piece, here, missing, all);
    else many_.read(set_tags, parts, piece, here, missing, all);
  }
  // Sectors of the line that can be read here.
  std::uint8_t lookup(const Lookup& found_at) {
    return few() ? few_.lookup(found_at) : many_.lookup(found_at);
  }
  std::uint8_t lookup(std::uint64_t line) { return lookup(find(set_tag(line))); }
  // Makes sectors readable (a fill from DRAM or from home).
  void fill(const Lookup& found_at, std::uint8_t sectors, Stay stay = Stay::kUnsaid) {
    if (few()) few_.fill(found_at, sectors, stay);
    else fill_many(found_at, sectors, stay);
  }
  Traffic fill(std::uint64_t line, std::uint8_t sectors, Stay stay = Stay::kUnsaid) {
    fill(find(set_tag(line)), sectors, stay);
    return take_traffic();
  }
  // Writes sectors at home: `full` sectors become readable, the others partial until all their
  // bytes came or the line is filled.
  void write(const Lookup& found_at, std::uint8_t sectors, std::uint8_t full,
             const std::uint32_t* bytes, Stay stay = Stay::kUnsaid) {
    if (few()) few_.write(found_at, sectors, full, bytes, stay);
    else write_many(found_at, sectors, full, bytes, stay);
  }
  Traffic write(std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
                const std::uint32_t* bytes, Stay stay = Stay::kUnsaid) {
    write(find(set_tag(line)), sectors, full, bytes, stay);
    return take_traffic();
  }
  // Whether fills and writes have caused any since take_traffic(). Few do, so that they say so here
  // and not each by itself.
  bool has_traffic() const { return few() ? few_.has_traffic() : many_.has_traffic(); }
  Traffic take_traffic() { return few() ? few_.take_traffic() : many_.take_traffic(); }
  // Drops a copy.
  void drop(const SetTag& set_tag, std::uint8_t sectors) {
    few() ? few_.drop(set_tag, sectors) : many_.drop(set_tag, sectors);
  }
  void drop(std::uint64_t line, std::uint8_t sectors) { drop(set_tag(line), sectors); }
  // What a line that is here is from now on.
  void keep(const SetTag& set_tag, Stay stay) {
    few() ? few_.keep(set_tag, stay) : many_.keep(set_tag, stay);
  }
  // Gives up a line with what was written to it.
  void discard(const SetTag& set_tag) { few() ? few_.discard(set_tag) : many_.discard(set_tag); }
  void clear();
  // For lines that persist.
  void set_aside(std::uint64_t bytes) { few() ? few_.set_aside(bytes) : many_.set_aside(bytes); }
  // No line persists any more.
  void end_persisting() { few() ? few_.end_persisting() : many_.end_persisting(); }

  std::uint64_t dirty_sectors() const {
    return few() ? few_.dirty_sectors() : many_.dirty_sectors();
  }

  // The sets of a side, which stay where they are.
  struct Memory {
    const char* first = nullptr;
    std::size_t bytes = 0;  // of a set
    // Has a set brought into the host's cache; changes nothing.
    void prefetch(std::uint32_t set) const {
      const char* const at = first + set * bytes;
      warpmem::prefetch(at);
      if (bytes > 64) [[unlikely]]
        warpmem::prefetch(at + 64), warpmem::prefetch(at + 128);
    }
  };
  Memory memory() const {
    return few() ? Memory{static_cast<const char*>(few_.data()), L2Sets<16>::kSetBytes}
                 : Memory{static_cast<const char*>(many_.data()), L2Sets<32>::kSetBytes};
  }

 private:
  static constexpr std::uint32_t kRows = kMostRows;
  static constexpr std::uint32_t kMixFirst = 0x9e3779b1u, kMixSecond = 0x85ebca77u;

  // Shuffles each block of 1,024 lines over the rows, so that a contiguous footprint fills all sets
  // alike and strides still spread.
  static std::uint32_t mix(std::uint32_t block) {
    std::uint32_t h = block * kMixFirst;
    h ^= h >> 15;
    h *= kMixSecond;
    return h ^ h >> 13;
  }
  static std::uint32_t spread(const LineWords& words, std::uint32_t columns, std::uint32_t* set,
                              std::uint32_t* tag);
  static std::uint32_t spread_plain(const LineWords& words, std::uint32_t columns,
                                    std::uint32_t* set, std::uint32_t* tag);
  static std::uint32_t spread_by_rest(const LineWords& words, const Divisor& sets,
                                      std::uint32_t* set, std::uint32_t* tag);
  static std::uint32_t spread_avx512(const LineWords& words, std::uint32_t columns,
                                     std::uint32_t* set, std::uint32_t* tag);
  static void shorten(const std::uint32_t* tag, std::size_t count, std::uint32_t region,
                      std::uint16_t* out);
  static void shorten_plain(const std::uint32_t* tag, std::size_t count, std::uint32_t region,
                            std::uint16_t* out);
  static void shorten_avx512(const std::uint32_t* tag, std::size_t count, std::uint32_t region,
                             std::uint16_t* out);
  SetTag set_tag_of_others(std::uint64_t line);
  std::uint16_t add_region(std::uint32_t tag);

  bool few() const { return is_few_; }
  // Apart from what most cards do, which is part of its callers.
  Found read_many(const SetTag& set_tag, std::uint8_t sectors, std::uint32_t piece, Stay stay);
  void fill_many(const Lookup& found_at, std::uint8_t sectors, Stay stay);
  void write_many(const Lookup& found_at, std::uint8_t sectors, std::uint8_t full,
                  const std::uint32_t* bytes, Stay stay);

  std::uint32_t sets_ = 0;
  std::uint32_t columns_ = 0;  // sets = columns * rows
  SmallDivisor by_columns_;
  Divisor by_sets_;
  unsigned row_bits_ = 10;                       // rows, as a power of two
  bool measured_ = true;                         // mixed rows of kRows
  bool mixed_ = true;                            // else a set is the rest of the line's number
  bool is_few_ = true;                           // ways, so that few_ has the sets
  std::uint32_t region_[SetTag::kRegions] = {};  // upper bits of the tags in it
  std::uint32_t regions_ = 0;                    // known
  L2Sets<16> few_;
  L2Sets<32> many_;
};

inline L2Side::SetTag L2Side::set_tag(std::uint64_t line) {
  if (!measured_) [[unlikely]]
    return set_tag_of_others(line);
  // Of two 4 KiB chunks that differ in address bit 12 only, one has its home here and the other
  // there (l2_cache.hpp), so that bit takes no part in the index: home lines and copies each
  // spread evenly.
  const auto twin = static_cast<std::uint32_t>(line >> 5 & 1);
  const std::uint64_t folded = line >> 6 << 5 | (line & 31);
  const auto block = static_cast<std::uint32_t>(folded / kRows);
  const std::uint32_t row = (static_cast<std::uint32_t>(folded) ^ mix(block)) % kRows;
  const SmallDivisor::Parts place = by_columns_.divide(block);
  const std::uint32_t tag = place.quotient << 1 | twin;
  return {place.rest * kRows + row, tag, short_tag(tag)};
}

inline std::uint16_t L2Side::short_tag(std::uint32_t tag) {
  const std::uint32_t upper = tag >> SetTag::kLowBits;
  std::uint32_t region = 0;
  while (region < regions_ && region_[region] != upper) ++region;
  return region < regions_ ? static_cast<std::uint16_t>(region << SetTag::kLowBits |
                                                        tag % (1u << SetTag::kLowBits))
                           : add_region(tag);
}

}  // namespace warpmem::model
