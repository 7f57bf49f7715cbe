#include "model/cache/data_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "model/fast/word_banks.hpp"

namespace warpmem::model {

std::uint32_t data_passes(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least) {
  if (w.one_after_another(bytes)) [[likely]]
    return std::max(least, bytes / 4);
  const std::uint32_t words = std::max(1u, bytes / 4);
  const auto active = static_cast<std::uint32_t>(w.active());
  if (w.regular()) {
    const auto step = static_cast<std::uint32_t>(w.stride < 0 ? -w.stride : w.stride) / 4;
    if (step == 0) return least;
    if (step <= words) return std::max(least, active * words / 32);
    // Lanes start in every so manieth bank, and each covers `words` of them.
    const std::uint32_t apart = 1u << std::min(5, std::countr_zero(step));
    const std::uint32_t banks = 32 / apart * std::min(words, apart);
    return std::max(least, (active * words + banks - 1) / banks);
  }
  const std::uint64_t* const address = w.listed;
  // Counting a word as often as it is wanted is cheap, and mostly says that it does not matter.
  if (words == 1 && active == kWarpLanes && wanted_of_a_bank(address) <= least) return least;
  std::array<std::uint8_t, 32> n{};  // words of each bank
  const auto most = [&n] { return std::uint32_t{most_of_32(n.data())}; };
  for (std::uint32_t k = 0; k < words; ++k)
    for (std::uint32_t i = 0; i < active; ++i) ++n[(address[i] / 4 + k) % 32];
  if (most() <= least) return least;
  n = {};
  std::array<std::uint64_t, 256> seen{};  // words, open addressing; 0: free
  for (std::uint32_t i = 0; i < active; ++i) {
    const std::uint64_t first = address[i] / 4;
    for (std::uint64_t word = first; word < first + words; ++word) {
      std::size_t at = (word * 0x9e3779b97f4a7c15ull) >> 56;
      while (seen[at] != 0 && seen[at] != word + 1) at = (at + 1) % seen.size();
      if (seen[at] != 0) continue;
      seen[at] = word + 1;
      ++n[word % 32];
    }
  }
  return std::max(least, most());
}

}  // namespace warpmem::model
