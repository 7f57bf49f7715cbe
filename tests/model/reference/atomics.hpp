// Slow and obvious: the rounds in which a global atomic leaves the L1, played one by one.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "model/atomics.hpp"

namespace warpmem::reference {

inline model::AtomicTraffic atomic_traffic(const model::WarpAccess& a, bool compare_and_swap) {
  model::AtomicTraffic t;
  std::set<std::uint64_t> lines, sectors;
  std::vector<std::uint64_t> waiting;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (a.mask >> lane & 1) {
      waiting.push_back(a.address[lane]);
      lines.insert(a.address[lane] / 128);
      sectors.insert(a.address[lane] / 32);
    }
  // Each round takes one lane of every address. Its sectors go once each, 128 bytes to a request,
  // or 64 where each lane carries two operands.
  while (!waiting.empty()) {
    std::set<std::uint64_t> taken, round_sectors, round_requests;
    std::vector<std::uint64_t> left;
    for (std::uint64_t address : waiting) {
      if (!taken.insert(address).second) {
        left.push_back(address);
        continue;
      }
      round_sectors.insert(address / 32);
      round_requests.insert(address / (compare_and_swap ? 64 : 128));
    }
    t.sectors += static_cast<int>(round_sectors.size());
    t.requests += static_cast<int>(round_requests.size());
    waiting = left;
  }
  t.lines = static_cast<int>(lines.size());
  t.distinct_sectors = static_cast<int>(sectors.size());
  return t;
}

}  // namespace warpmem::reference
