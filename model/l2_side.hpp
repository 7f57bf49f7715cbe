// One side of the partitioned L2: the lines whose home it is, and copies of the other side's.
//
// Models: 128-byte lines of four sectors, sets of 16 ways, LRU, write-back; a cap on the ways of a
// set that may be dirty and on those that hold partly written sectors. Who is home and what
// crosses is the business of L2Cache (l2_cache.hpp).
//
// The caps come from store footprints on an H200 (kernels/micro/l2_policy.cu, driver 580, CUDA
// 13.0, 2026-11-21): partly written lines are filled from DRAM and written back once more than two
// in sixteen ways hold them (8 MiB of single words: 6.4 % of the lines, as 2.13 lines a set of
// which 2 may stay), fully written ones are written back once more than seven do (26 of 60 MiB stay
// dirty after any larger footprint). The set hash is not identified: an even spread is assumed.
// Invariants: dirty and partial sectors are valid or partial, never both.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::model {

class L2Side {
 public:
  struct Spec {
    std::uint64_t bytes = 31457280;    // capacity of this side
    std::uint32_t ways = 16;           // at most 16
    std::uint32_t dirty_ways = 7;
    std::uint32_t partial_ways = 2;
  };
  // What an operation caused in DRAM, in sectors.
  struct Traffic {
    std::uint32_t fills = 0;       // read to complete partly written sectors
    std::uint32_t writes = 0;      // written back
  };
  explicit L2Side(const Spec& spec);

 private:
  struct Set;

 public:
  // Where a line is, or would go: found once for a lookup and the fill that may follow. Good until
  // the next fill or write on this side.
  struct Spot {
    Set* set;
    std::uint32_t tag;
    int way;  // -1: not here
  };
  Spot find(std::uint64_t line) const;

  // Sectors of the line that can be read here.
  std::uint8_t lookup(const Spot& spot);
  std::uint8_t lookup(std::uint64_t line) { return lookup(find(line)); }
  // Makes sectors readable (a fill from DRAM or from home).
  Traffic fill(const Spot& spot, std::uint8_t sectors, bool persist = false);
  Traffic fill(std::uint64_t line, std::uint8_t sectors, bool persist = false) {
    return fill(find(line), sectors, persist);
  }
  // Writes sectors at home: `full` sectors become readable, the others partial until all their
  // bytes came or the line is filled.
  Traffic write(std::uint64_t line, std::uint8_t sectors, std::uint8_t full, const std::uint32_t* bytes);
  // Drops a copy.
  void drop(std::uint64_t line, std::uint8_t sectors);
  void clear();
  // Ways of a set kept for lines filled with `persist`; 0: none.
  void set_aside(std::uint64_t bytes);

  std::uint64_t dirty_sectors() const;

  // Has the line's set brought into the host's cache; changes nothing.
  void prefetch(std::uint64_t line) const {
    const char* set = reinterpret_cast<const char*>(place(line).set);
    __builtin_prefetch(set, 1);
    __builtin_prefetch(set + 64, 1);
  }

 private:
  static constexpr int kWays = 16;
  struct alignas(64) Set {
    std::uint32_t tag[kWays];     // block of 1,024 lines and the bit left out of the index
    std::uint64_t order;          // ways from most to least recently used, four bits each
    std::uint8_t valid[kWays];    // low: readable sectors; high: dirty sectors
    std::uint8_t partial[kWays];  // low: partly written sectors; bit 7: persisting
    std::uint16_t used;           // ways in use
    std::uint16_t dirty;          // ways with dirty or partial sectors
    std::uint16_t with_partial;   // ways with partial sectors
    std::uint16_t persisting;
  };
  struct Place {
    Set* set;
    std::uint32_t tag;
  };
  static constexpr std::uint32_t kRows = 1024;  // sets are columns x 1024 rows
  struct PartialBytes {
    std::uint64_t line;
    std::uint32_t bytes[4];
  };

  // Shuffles each block of 1,024 lines over the rows, so that a contiguous footprint fills all sets
  // alike and strides still spread.
  static std::uint32_t mix(std::uint32_t block) {
    std::uint32_t h = block * 0x9e3779b1u;
    h ^= h >> 15;
    h *= 0x85ebca77u;
    return h ^ h >> 13;
  }
  Place place(std::uint64_t line) const {
    // Of two 4 KiB chunks that differ in address bit 12 only, one has its home here and the other
    // there (l2_cache.hpp), so that bit takes no part in the index: home lines and copies each
    // spread evenly.
    const std::uint32_t twin = static_cast<std::uint32_t>(line >> 5 & 1);
    const std::uint64_t folded = line >> 6 << 5 | (line & 31);
    const std::uint32_t block = static_cast<std::uint32_t>(folded / kRows);
    const std::uint32_t row = (static_cast<std::uint32_t>(folded) ^ mix(block)) % kRows;
    const auto column = static_cast<std::size_t>(block % columns_);
    return {const_cast<Set*>(sets_.data()) + column * kRows + row, block << 1 | twin};
  }
  static int find(const Set& s, std::uint32_t tag);
  int claim(Set& s, std::uint32_t tag, Traffic& t);
  void clean(Set& s, int way, Traffic& t);
  static void promote(Set& s, int way);
  int oldest(const Set& s, std::uint16_t among) const;
  PartialBytes* partial_bytes(const Place& p, int way, std::uint64_t line);

  Spec spec_;
  std::uint32_t columns_ = 0;          // sets = columns * kRows
  std::uint32_t persist_ways_ = 0;
  std::vector<Set> sets_;
  std::vector<PartialBytes> bytes_;    // partial_ways + 1 entries a set
};

}  // namespace warpmem::model
