// The clusters that a launch's CTAs are in.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/format/launch.hpp"

namespace warpmem::sim {

// CTAs of a cluster of the launch.
inline std::uint64_t cluster_size(const trace::Launch& l) {
  return std::uint64_t{l.cluster[0]} * l.cluster[1] * l.cluster[2];
}
// Number of the cluster that a CTA belongs to.
std::uint64_t cluster_of(const trace::Launch& launch, std::uint64_t cta);
// The CTAs cluster by cluster, each cluster's by rank.
void order_by_cluster(const trace::Launch& launch, std::vector<std::uint64_t>& ctas);

}  // namespace warpmem::sim
