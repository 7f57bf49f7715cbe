// What ECC in the memory itself leaves of DRAM: its check bits lie among the data and are read and
// written with it. The transfers themselves are in no counter, as a profiler's DRAM sectors are
// those that the L2 asked for.
#pragma once

#include <cstdint>

#include "model/card/fields/card_numbers.hpp"

namespace warpmem::model {

enum class DramEcc : std::uint8_t { kNone, kOff, kOn };

inline bool ecc_in_memory(const CardNumbers& n) {
  return static_cast<DramEcc>(n.dram_ecc) == DramEcc::kOn;
}

// Sectors in 1,000 SM cycles.
inline std::uint64_t dram_bandwidth(const CardNumbers& n) {
  return ecc_in_memory(n) ? n.dram_sectors_per_kilocycle * n.dram_ecc_permille / 1000
                          : n.dram_sectors_per_kilocycle;
}

// Bytes that a program can have.
inline std::uint64_t dram_room(const CardNumbers& n) {
  return ecc_in_memory(n) ? n.dram_size_bytes - n.dram_size_bytes / n.dram_ecc_part
                          : n.dram_size_bytes;
}

}  // namespace warpmem::model
