#include "sim/placement.hpp"

#include <algorithm>

namespace warpmem::sim {

std::vector<int> first_placement(const model::Card& card, std::uint32_t per_sm, std::uint64_t limit) {
  const model::CardNumbers& n = card.numbers();
  std::vector<std::vector<int>> group;  // SMs of each turn
  std::size_t at = 0;
  for (std::uint64_t size : n.cta_turns) {
    group.emplace_back();
    for (std::uint64_t k = 0; k < size; ++k) group.back().push_back(static_cast<int>(n.cta_order[at++]));
  }
  std::vector<std::uint32_t> given(group.size(), 0);
  std::vector<int> out;
  const std::uint64_t all = std::min<std::uint64_t>(limit, n.sm_count * per_sm);
  const auto serve = [&](std::size_t g) {
    if (given[g] == per_sm) return;
    ++given[g];
    for (int sm : group[g])
      if (out.size() < all) out.push_back(sm);
  };
  const std::size_t small = n.cta_small_groups;
  const auto serve_small = [&] {
    for (std::size_t g = 0; g < small; ++g) serve(g);
  };
  serve_small();
  // A grid that gives each SM one CTA at most is served once around.
  std::uint64_t others = 0, next_small = limit > n.sm_count ? n.cta_small_first : ~std::uint64_t{0};
  while (out.size() < all) {
    for (std::size_t g = small; g < group.size() && out.size() < all; ++g) {
      serve(g);
      if (small > 0 && ++others == next_small) {
        serve_small();
        next_small += n.cta_small_every;
      }
    }
    // Once the large groups are full only the small ones can have room.
    if (std::all_of(given.begin() + static_cast<std::ptrdiff_t>(small), given.end(), [&](std::uint32_t k) { return k == per_sm; }))
      serve_small();
  }
  return out;
}

}  // namespace warpmem::sim
