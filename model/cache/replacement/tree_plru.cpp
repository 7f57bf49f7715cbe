// Follows a tree of bits that point away from what was used last.
#include "model/cache/replacement/tree_plru.hpp"

#include <algorithm>
#include <bit>

#include "model/cache/replacement/replacement.hpp"

namespace warpmem::model {

// Node 1 is the root, 2n and 2n + 1 are the children of n; bit n set: the victim is to the right.
std::uint64_t tree_after(std::uint64_t tree, std::uint32_t way, std::uint32_t ways) {
  const std::uint32_t leaves = std::bit_ceil(ways);
  std::uint32_t node = 1;
  for (std::uint32_t half = leaves / 2; half > 0; half /= 2) {
    const bool right = (way & half) != 0;
    const std::uint64_t bit = std::uint64_t{1} << node;
    tree = right ? tree & ~bit : tree | bit;
    node = 2 * node + right;
  }
  return tree;
}

std::uint32_t tree_victim(std::uint64_t tree, std::uint32_t ways) {
  const std::uint32_t leaves = std::bit_ceil(ways);
  std::uint32_t node = 1, way = 0;
  for (std::uint32_t half = leaves / 2; half > 0; half /= 2) {
    // Where the number of ways is no power of two, some leaves are none.
    const bool right = (tree >> node & 1) != 0 && way + half < ways;
    way += right ? half : 0;
    node = 2 * node + right;
  }
  return way;
}

namespace replacement {
namespace {

void comes(const SetView& set, std::uint32_t way) {
  set.kept.tree = tree_after(set.kept.tree, way, set.ways);
}

void hit(const SetView& set, std::size_t at) { comes(set, set.way_of[at]); }

std::size_t victim(const SetView& set) {
  const auto lines = static_cast<std::uint32_t>(set.lines);
  const auto* const at =
      std::find(set.way_of, set.way_of + lines, tree_victim(set.kept.tree, lines));
  // Its way may hold nothing.
  return at == set.way_of + lines ? lines - 1 : static_cast<std::size_t>(at - set.way_of);
}

}  // namespace

extern const ReplacementPolicy tree_plru;
const ReplacementPolicy tree_plru{.knows_ways = true, .hit = hit, .comes = comes, .victim = victim};

}  // namespace replacement
}  // namespace warpmem::model
