#include "tests/twin/atomics.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpmem::twin {

AtomicRounds atomic_rounds(const Access& access, bool compare_and_swap, const TwinSpec& spec) {
  AtomicRounds out;
  const auto line_of = [&](const Lane& l) { return l.address / spec.line_bytes; };
  const auto bank_of = [&](const Lane& l) {
    return spec.l1.set_of(line_of(l)) % spec.l1.tag_banks;
  };
  const auto place_of = [&](const Lane& l) {
    return std::pair(bank_of(l), l.address % spec.line_bytes / spec.sm.bank_bytes);
  };
  std::set<std::uint64_t> lines;
  for (const Lane& l : access.lanes) lines.insert(line_of(l));
  out.lines = lines.size();

  std::vector<Lane> waiting = access.lanes;
  while (!waiting.empty()) {
    // The lowest lane has its place, and its tag bank takes its line.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> has_place;
    std::map<std::uint64_t, std::uint64_t> line_taken;
    for (const Lane& l : waiting) {
      has_place.emplace(place_of(l), l.number);
      line_taken.emplace(bank_of(l), line_of(l));
    }
    std::set<std::uint64_t> sent, requests;
    std::vector<Lane> left;
    for (const Lane& l : waiting) {
      if (has_place.at(place_of(l)) != l.number || line_taken.at(bank_of(l)) != line_of(l)) {
        left.push_back(l);
        continue;
      }
      requests.insert(l.address / (compare_and_swap ? spec.line_bytes / 2 : spec.line_bytes));
      if (!sent.insert(l.address / spec.sector_bytes).second) continue;
      const auto sector =
          static_cast<std::uint32_t>(l.address % spec.line_bytes / spec.sector_bytes);
      auto known =
          std::find_if(out.sectors.begin(), out.sectors.end(), [&](const AtomicRounds::Sector& s) {
            return s.line == line_of(l) && s.sector == sector;
          });
      if (known == out.sectors.end()) known = out.sectors.insert(known, {line_of(l), sector, 0});
      ++known->passes;
    }
    out.passes += sent.size();
    out.requests += requests.size();
    waiting = left;
  }
  return out;
}

}  // namespace warpmem::twin
