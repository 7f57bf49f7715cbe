#include "sim/records/clusters.hpp"

#include <algorithm>

namespace warpmem::sim {

std::uint64_t cluster_of(const trace::Launch& launch, std::uint64_t cta) {
  const std::uint64_t x = cta % launch.grid[0], y = cta / launch.grid[0] % launch.grid[1],
                      z = cta / launch.grid[0] / launch.grid[1];
  const auto across = [&](std::size_t axis) {
    return (std::uint64_t{launch.grid[axis]} + launch.cluster[axis] - 1) / launch.cluster[axis];
  };
  return x / launch.cluster[0] +
         across(0) * (y / launch.cluster[1] + across(1) * (z / launch.cluster[2]));
}

void order_by_cluster(const trace::Launch& launch, std::vector<std::uint64_t>& ctas) {
  // Ranks ascend with the numbers of a cluster's CTAs.
  std::stable_sort(ctas.begin(), ctas.end(), [&](std::uint64_t a, std::uint64_t b) {
    return cluster_of(launch, a) < cluster_of(launch, b);
  });
}

}  // namespace warpmem::sim
