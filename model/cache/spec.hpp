// The numbers and rules of an SM's L1. Bytes, counts, sectors, and cycles of the SM clock, as the
// names say.
#pragma once

#include <cstdint>

#include "model/cache/replacement/replacement.hpp"
#include "model/cache/set_index.hpp"
#include "model/cache/write_policy.hpp"

namespace warpmem::model {

// What L1Cache has to know.
struct L1CacheSpec {
  std::uint32_t lines = 0;  // capacity
  std::uint32_t sets = 0;   // a power of two, at least 4
  std::uint32_t ways = 0;
  SetRule index = SetRule::kXorMatrix;
  Replacement replacement = Replacement::kLru;
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
  std::uint32_t store_entries = 0, store_cycles = 0;
  std::uint32_t read_entries = 1, read_cycles = 0;

  std::uint32_t line_sectors() const { return (1u << sectors) - 1; }
  // Lines beside so much shared memory: never none.
  std::uint32_t lines(std::uint64_t shared_config) const {
    const std::uint64_t taken = shared_config + reserved;
    return taken >= bytes ? 4 : static_cast<std::uint32_t>((bytes - taken) / line_bytes);
  }
  L1CacheSpec cache(std::uint64_t shared_config) const {
    return {lines(shared_config), index.sets(), ways, index.rule(), replacement};
  }
};

}  // namespace warpmem::model
