// Slow and obvious: the rounds in which a global atomic leaves the L1, played one by one.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "model/atomics.hpp"
#include "model/tag_banks.hpp"

namespace warpmem::reference {

inline model::AtomicTraffic atomic_traffic(const model::WarpAccess& a, bool compare_and_swap) {
  model::AtomicTraffic t;
  std::set<std::uint64_t> sectors;
  std::vector<std::uint64_t> lines;  // in the order in which lanes reach them
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (a.mask >> lane & 1) {
      const std::uint64_t line = a.address[lane] / 128;
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
      sectors.insert(a.address[lane] / 32);
    }
  // The tag stage takes the first line of each tag bank, then the second of each, and so on.
  std::map<std::uint64_t, std::size_t> turn;
  std::map<std::uint32_t, std::size_t> in_bank;
  for (std::uint64_t line : lines) turn[line] = in_bank[model::tag_bank(line)]++;
  for (std::size_t now = 0; now < lines.size(); ++now) {
    std::vector<std::uint64_t> waiting;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if ((a.mask >> lane & 1) && turn[a.address[lane] / 128] == now) waiting.push_back(a.address[lane]);
    // A round takes one lane of each of 128 four-byte places. Its sectors go once each, 128 bytes to
    // a request, or 64 where each lane carries two operands.
    while (!waiting.empty()) {
      std::set<std::uint64_t> banks, round_sectors, round_requests;
      std::vector<std::uint64_t> left;
      for (std::uint64_t address : waiting) {
        if (!banks.insert(address / 4 % 128).second) {
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
  }
  t.lines = static_cast<int>(lines.size());
  t.distinct = static_cast<int>(sectors.size());
  return t;
}

}  // namespace warpmem::reference
