// Which line of a full set goes: one of some policies.
//
// A cache keeps a set's lines in the order of their last use, the youngest first, and each with the
// number of the way that it lies in; this says which of them is the victim, and what a use changes.
// Random choices come from a counter, so that they are the same in every run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::model {

enum class Replacement : std::uint8_t {
  kLru,            // the one that was used longest ago
  kAfterHits,      // the same, but a new line is older than those of the latest hit, and of the one
                   // before
  kFifo,           // the one that came longest ago
  kRandom,         // any, with the same odds
  kTreePlru,       // follows a tree of bits that point away from what was used last
  kNotMostRecent,  // any but the one used last, with the same odds
  kUneven,         // any; way 1 as often as all others together (Mei and Chu, arXiv 1509.02308:
                   // 1/6, 1/2, 1/6, 1/6 in the L1 of a GTX 560 Ti)
  kPlainLru,       // as kLru, and in an L2 whether it is dirty or not: a stack algorithm
};
const std::vector<std::string>& replacement_names();

// Whether a hit makes a line the youngest.
constexpr bool reorders(Replacement policy) { return policy != Replacement::kFifo; }

// The bits of a tree of ways, after one of them was used.
std::uint64_t tree_after(std::uint64_t tree, std::uint32_t way, std::uint32_t ways);
// The way that they point to.
std::uint32_t tree_victim(std::uint64_t tree, std::uint32_t ways);

// A number below `below`, other with each draw.
inline std::uint32_t draw_below(std::uint64_t& draws, std::uint32_t below) {
  std::uint64_t x = ++draws * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>((x ^ x >> 31) % below);
}

// Where in a full set's order the victim stands. `way_of(i)`: the way of the i-th youngest.
template <class WayOf>
std::size_t victim(Replacement policy, std::size_t lines, std::uint64_t tree, std::uint64_t& draws,
                   WayOf&& way_of) {
  const auto n = static_cast<std::uint32_t>(lines);
  const auto at = [&](std::uint32_t way) {
    for (std::size_t i = 0; i < lines; ++i)
      if (way_of(i) == way) return i;
    return lines - 1;  // its way holds nothing
  };
  switch (policy) {
    case Replacement::kRandom: return draw_below(draws, n);
    case Replacement::kNotMostRecent: return n > 1 ? 1 + draw_below(draws, n - 1) : 0;
    case Replacement::kTreePlru: return at(tree_victim(tree, n));
    case Replacement::kUneven: {
      if (n == 1) return 0;
      const std::uint32_t drawn = draw_below(draws, 2 * (n - 1));
      return at(drawn >= n - 1 ? 1 : drawn == 0 ? 0 : drawn + 1);
    }
    case Replacement::kLru:
    case Replacement::kPlainLru:
    case Replacement::kAfterHits:
    case Replacement::kFifo: break;
  }
  return lines - 1;
}

// The lowest way that none of the lines of a set lies in.
template <class WayOf>
std::uint32_t free_way(std::size_t lines, WayOf&& way_of) {
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < lines; ++i) taken |= std::uint64_t{1} << way_of(i);
  std::uint32_t way = 0;
  while (taken >> way & 1) ++way;
  return way;
}

}  // namespace warpmem::model
