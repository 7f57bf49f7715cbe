#include "tests/twin/banks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpmem::twin {

std::uint32_t bank_passes(const std::vector<Lane>& lanes, std::uint32_t bytes,
                          const TwinSpec& spec) {
  std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
  std::size_t most = 0;
  const std::uint32_t words = std::max(1u, bytes / spec.sm.bank_bytes);
  for (const Lane& lane : lanes)
    for (std::uint32_t k = 0; k < words; ++k) {
      const std::uint64_t word = lane.address / spec.sm.bank_bytes + k;
      auto& bank = words_of_bank[word % spec.sm.banks];
      bank.insert(word);
      most = std::max(most, bank.size());
    }
  return static_cast<std::uint32_t>(most);
}

std::uint32_t data_cycles(const trace::Record& r, const Access& access, std::uint32_t least,
                          const TwinSpec& spec) {
  if (!r.regular()) return std::max(least, bank_passes(access.lanes, access.bytes, spec));
  // Of lanes a stride apart the engine takes what all of them together would need, evenly spread
  // over the banks that they start in, whichever of them are active.
  const auto active = static_cast<std::uint32_t>(access.lanes.size());
  const std::uint32_t words = std::max(1u, access.bytes / spec.sm.bank_bytes);
  const auto apart = static_cast<std::uint32_t>(std::abs(r.stride)) / spec.sm.bank_bytes;
  if (apart == 0) return least;
  if (apart <= words) return std::max(least, active * words / spec.sm.banks);
  std::uint32_t every = 1;  // so manieth bank has lanes that start in it
  while (every < spec.sm.banks && apart % (2 * every) == 0) every *= 2;
  const std::uint32_t banks = spec.sm.banks / every * std::min(words, every);
  return std::max(least, (active * words + banks - 1) / banks);
}

std::uint32_t tag_cycles(const std::vector<Touch>& lines, const TwinSpec& spec) {
  std::map<std::uint64_t, std::uint32_t> in_bank;
  std::uint32_t most = 0;
  for (const Touch& t : lines)
    most = std::max(most, ++in_bank[spec.l1.set_of(t.line) % spec.l1.tag_banks]);
  return most;
}

}  // namespace warpmem::twin
