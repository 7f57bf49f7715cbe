// The numbers and rules of an SM's L1. Bytes, counts, sectors, and cycles of the SM clock, as the
// names say.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/cache/allocate/allocate.hpp"
#include "model/cache/cached_spaces.hpp"
#include "model/cache/replacement/replacement.hpp"
#include "model/cache/set_index.hpp"
#include "model/cache/write/write_policy.hpp"

namespace warpmem::model {

// What L1Cache has to know.
struct L1CacheSpec {
  std::uint32_t lines = 0;  // capacity
  std::uint32_t sets = 0;   // a power of two, at least 4
  std::uint32_t ways = 0;
  SetRule index = SetRule::kXorMatrix;
  Replacement replacement = Replacement::kLru;
  std::uint32_t fill_sectors = 1;  // that a miss brings at least
  bool operator==(const L1CacheSpec&) const = default;
};

struct L1Spec {
  bool present = true;
  CachedSpaces cached = CachedSpaces::kBoth;
  Allocate allocate = Allocate::kLoadsAndStores;
  WritePolicy write = WritePolicy::kThrough;
  std::uint32_t line_bytes = 0;
  std::uint32_t fill_sectors = 1, sectors = 1;  // that a miss brings at least; of a line
  std::uint64_t bytes = 0, reserved = 0;        // with shared memory; of it, never data
  SetIndex index;
  std::uint32_t ways = 1;
  Replacement replacement = Replacement::kLru;
  std::uint32_t tag_banks = 4;  // a set is of the bank that its lowest bits say
  // Before compute capability 7.0: sets follow from what shared memory leaves (of_lines()), a word
  // that was stored can be read when its sector is whole, a line goes with the last of its sectors,
  // and each line of an access arrives by itself.
  bool early = false;
  LocalWrite local_write = LocalWrite::kThrough;
  std::uint32_t asked_bytes = 0;  // lines that callers speak of, where they are longer
  std::uint32_t wider = 0;        // the first so many sets have a way more
  std::uint32_t store_entries = 0, store_cycles = 0;
  std::uint32_t read_entries = 1, read_cycles = 0;
  std::uint32_t misses = 0;  // lines outstanding at most; 0: any

  std::uint32_t line_sectors() const { return (1u << sectors) - 1; }
  // Lines beside so much shared memory: never none, but on early GPUs.
  std::uint32_t lines(std::uint64_t shared_config) const {
    const std::uint64_t taken = shared_config + reserved;
    if (taken >= bytes) return early ? 0 : 4;
    return static_cast<std::uint32_t>((bytes - taken) / line_bytes);
  }
  // The same with sets and ways of so many lines: unless the sets are given, a power of two of
  // them, the most with at least so many ways, which share what is left over. (16 KiB of lines of
  // 128 bytes with 4 ways: 32 x 4, 48 KiB: 64 x 6, which is what was found on compute
  // capability 2.x.) Less than one set is one of fewer ways.
  L1Spec of_lines(std::uint32_t lines) const {
    L1Spec out = *this;
    const std::uint32_t given =
        index.sets() > 0 ? index.sets() : std::bit_floor(lines / std::max(1u, ways));
    const std::uint32_t sets =
        lines == 0 ? 0 : std::max(1u, std::min(given, std::bit_floor(lines)));
    out.index = {index.rule(), sets};
    out.ways = sets == 0 ? 0 : lines / sets;
    out.wider = sets == 0 ? 0 : lines % sets;
    return out;
  }
  L1CacheSpec cache(std::uint64_t shared_config) const {
    return {lines(shared_config), index.sets(), ways, index.rule(), replacement, fill_sectors};
  }
};

}  // namespace warpmem::model
