#include "model/atomics.hpp"

#include <algorithm>

namespace warpmem::model {

void atomic_sectors(const WarpAccess& access, SectorPasses& out) {
  out.count = 0;
  std::uint32_t rest = access.mask;
  while (rest) {
    // All lanes on the lowest pending lane's address.
    const std::uint64_t address = access.address[std::countr_zero(rest)];
    int lanes = 0;
    for (std::uint32_t r = rest; r; r &= r - 1) {
      const int l = std::countr_zero(r);
      if (access.address[l] != address) continue;
      ++lanes;
      rest &= ~(1u << l);
    }
    const std::uint64_t sector = address / kSectorBytes;
    int i = 0;
    while (i < out.count && out.sector[i] != sector) ++i;
    if (i == out.count) {
      out.sector[i] = sector;
      out.passes[i] = 0;
      ++out.count;
    }
    out.passes[i] = std::max(out.passes[i], lanes);
  }
}

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap) {
  SectorPasses s;
  atomic_sectors(access, s);
  AtomicTraffic t;
  t.distinct_sectors = s.count;
  const std::uint64_t per_request = compare_and_swap ? 2 : kSectorsPerLine;
  for (int i = 0; i < s.count; ++i) {
    t.sectors += s.passes[i];
    // The first sector of its line (of its request group) speaks for the others.
    bool first_of_line = true, first_of_group = true;
    int rounds = s.passes[i];
    for (int j = 0; j < s.count; ++j) {
      if (j == i) continue;
      if (j < i && s.sector[j] / kSectorsPerLine == s.sector[i] / kSectorsPerLine) first_of_line = false;
      if (s.sector[j] / per_request != s.sector[i] / per_request) continue;
      if (j < i) first_of_group = false;
      rounds = std::max(rounds, s.passes[j]);
    }
    t.lines += first_of_line;
    if (first_of_group) t.requests += rounds;
  }
  return t;
}

}  // namespace warpmem::model
