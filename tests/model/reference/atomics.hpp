// Slow and obvious: the rounds in which a global atomic leaves the L1, played one by one.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/atomics/atomics.hpp"
#include "model/cache/tag_banks.hpp"

namespace warpmem::reference {

inline model::AtomicTraffic atomic_traffic(const model::WarpAccess& a, bool compare_and_swap) {
  model::AtomicTraffic t;
  std::set<std::uint64_t> sectors, lines;
  std::vector<std::uint64_t> waiting;  // addresses, lower lanes first
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (a.mask >> lane & 1) {
      waiting.push_back(a.address[lane]);
      lines.insert(a.address[lane] / 128);
      sectors.insert(a.address[lane] / 32);
    }
  while (!waiting.empty()) {
    // Who has each place, a word of a tag bank, and the line that each bank takes.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> winner;
    std::map<std::uint32_t, std::uint64_t> taken;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const std::uint64_t line = waiting[i] / 128;
      const std::uint32_t bank = model::tag_bank(line);
      winner.emplace(std::pair{bank, waiting[i] / 4 % 32}, i);
      taken.emplace(bank, line);
    }
    // What goes: its sectors once each, 128 bytes to a request, or 64 where each lane carries two
    // operands.
    std::set<std::uint64_t> round_sectors, round_requests;
    std::vector<std::uint64_t> left;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const std::uint64_t line = waiting[i] / 128;
      const std::uint32_t bank = model::tag_bank(line);
      if (winner.at({bank, waiting[i] / 4 % 32}) != i || taken.at(bank) != line) {
        left.push_back(waiting[i]);
        continue;
      }
      round_sectors.insert(waiting[i] / 32);
      round_requests.insert(waiting[i] / (compare_and_swap ? 64 : 128));
    }
    t.sectors += static_cast<int>(round_sectors.size());
    t.requests += static_cast<int>(round_requests.size());
    waiting = left;
  }
  t.lines = static_cast<int>(lines.size());
  t.distinct = static_cast<int>(sectors.size());
  return t;
}

}  // namespace warpmem::reference
