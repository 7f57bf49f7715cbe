// What the twin knows of a GPU: plain numbers, and the functions that say where a line belongs.
//
// Filled from a card by spec_of(). Another GPU is another TwinSpec: a level can be absent, an index
// or a replacement another one. Units: bytes, counts, cycles of the SM clock, as the names say.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/card/card.hpp"

namespace warpmem::twin {

// Which line of a full set goes.
enum class Replacement : std::uint8_t {
  kLru,    // the one that was used longest ago
  kYoung,  // the same, but a new line comes behind the line of the latest hit, and behind that of
           // the hit before if it is another
};

// Where a line belongs: its set, its side, its place in a table.
using Index = std::function<std::uint64_t(std::uint64_t line)>;

struct TwinSpec {
  std::uint32_t line_bytes = 128, sector_bytes = 32;

  struct Sm {
    std::uint32_t count = 132, warps = 64;
    std::uint32_t banks = 32, bank_bytes = 4;  // of shared memory and of the L1's data
  } sm;

  struct L1 {
    bool present = true;
    std::uint64_t bytes = 256 << 10, reserved = 0;  // with shared memory; of it, never data
    std::uint32_t sets = 512, ways = 4;
    Index set_of;
    Replacement replacement = Replacement::kYoung;
    std::uint32_t tag_banks = 4;  // a set is of the bank that its lowest bits say
    std::uint32_t store_entries = 24, store_cycles = 8;
    std::uint32_t read_entries = 1, read_cycles = 0;
  } l1;

  struct L2 {
    std::uint32_t partitions = 2;           // sides
    std::uint32_t sets = 15360, ways = 16;  // of a side
    Index set_of;
    Index home_of;  // the side that is a line's home
    Replacement replacement = Replacement::kLru;
    std::uint32_t dirty_ways = 7, partial_ways = 2;
    std::vector<std::uint32_t> side_of_sm;
    std::uint64_t dirty_before = 0;  // sectors that a flush leaves behind
  } l2;

  // The request coalescer of a group of SMs (a GPC).
  struct Coalescer {
    std::uint32_t merge = 4;  // reads that one request serves; 1: there is none
    std::uint32_t way_cycles = 0;
    std::uint32_t entries = 1024;  // reads that a group remembers; a later one takes a place over
    Index entry_of;
    std::vector<std::uint32_t> group_of_sm;
  } coalescer;

  struct Dram {
    std::uint32_t fetch_sectors = 2;  // at a time
    std::uint32_t sectors_per_kilocycle = 72000;
  } dram;

  struct Latency {
    std::uint32_t l1 = 0, shared = 0, conflict = 0;
    std::uint32_t texture = 0, coordinates = 0, filter = 0;
    std::uint32_t far = 0, host = 0;
    Index near, dram;  // of a line: a hit on the reader's side, and more for DRAM
    std::uint32_t least_near = 0;
  } latency;

  // What a launch itself moves, code apart.
  struct Launch {
    std::uint64_t l2_read_sectors = 0, dram_read_sectors = 0, fabric_sectors = 0;
  } launch;

  std::uint32_t sectors() const { return line_bytes / sector_bytes; }  // of a line
  // Lines that an L1 holds beside so much shared memory.
  std::uint64_t l1_lines(std::uint64_t shared_config) const;
};

TwinSpec spec_of(const model::Card& card);

}  // namespace warpmem::twin
