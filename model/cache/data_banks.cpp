#include "model/cache/data_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "model/fast/word_banks.hpp"

namespace warpmem::model {
namespace {

template <class B>
std::uint32_t passes_of(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least,
                        const B& banks) {
  constexpr bool kUsual = std::is_same_v<B, UsualBanks>;
  const std::uint32_t words = std::max(1u, bytes / banks.bytes);
  const auto active = static_cast<std::uint32_t>(w.active());
  if (w.regular()) {
    const auto step = static_cast<std::uint32_t>(w.stride < 0 ? -w.stride : w.stride) / banks.bytes;
    if (step == 0) return least;
    if (step <= words) return std::max(least, active * words / banks.count);
    // Lanes start in every so manieth bank, and each covers `words` of them.
    const std::uint32_t apart = 1u
                                << std::min(std::countr_zero(banks.count), std::countr_zero(step));
    const std::uint32_t used = banks.count / apart * std::min(words, apart);
    return std::max(least, (active * words + used - 1) / used);
  }
  const std::uint64_t* const address = w.listed;
  // Counting a word as often as it is wanted is cheap, and mostly says that it does not matter.
  if (kUsual && words == 1 && active == kWarpLanes && wanted_of_a_bank(address) <= least)
    return least;
  std::array<std::uint8_t, B::kMost> n{};  // words of each bank
  const auto most = [&n] {
    return std::uint32_t{kUsual ? most_of_32(n.data()) : *std::max_element(n.begin(), n.end())};
  };
  for (std::uint32_t k = 0; k < words; ++k)
    for (std::uint32_t i = 0; i < active; ++i) ++n[(address[i] / banks.bytes + k) % banks.count];
  if (most() <= least) return least;
  n = {};
  std::array<std::uint64_t, 256> seen{};  // words, open addressing; 0: free
  for (std::uint32_t i = 0; i < active; ++i) {
    const std::uint64_t first = address[i] / banks.bytes;
    for (std::uint64_t word = first; word < first + words; ++word) {
      std::size_t at = (word * 0x9e3779b97f4a7c15ull) >> 56;
      while (seen[at] != 0 && seen[at] != word + 1) at = (at + 1) % seen.size();
      if (seen[at] != 0) continue;
      seen[at] = word + 1;
      ++n[word % banks.count];
    }
  }
  return std::max(least, most());
}

}  // namespace

std::uint32_t data_passes(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least) {
  if (w.one_after_another(bytes)) [[likely]]
    return std::max(least, bytes / UsualBanks::bytes);
  return passes_of(w, bytes, least, UsualBanks{});
}

std::uint32_t data_passes(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least,
                          const Banks& banks) {
  return is_usual(banks) ? data_passes(w, bytes, least) : passes_of(w, bytes, least, banks);
}

}  // namespace warpmem::model
