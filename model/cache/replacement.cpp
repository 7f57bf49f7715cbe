#include "model/cache/replacement.hpp"

#include <bit>

namespace warpmem::model {

const std::vector<std::string>& replacement_names() {
  static const std::vector<std::string> kNames{
      "lru", "after_hits", "fifo", "random", "tree_plru", "not_most_recent", "uneven", "plain_lru"};
  return kNames;
}

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

}  // namespace warpmem::model
