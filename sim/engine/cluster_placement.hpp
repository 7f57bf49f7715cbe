// Which SMs a cluster's CTAs get. A cluster starts when one GPC has room for all of it, a CTA on an
// SM of its own each. GPCs take turns, those in which the busiest of the SMs would be least busy
// first; in a GPC the least busy SMs go first, lower numbers before higher ones (measured: all
// 248 clusters of four that fit an H200 at first,
// validate/reference/h200-sizes/cluster_read.l2.wmt, whose CTAs say on which SM they ran).
//
// SMs of topology.lone_sms take part in no cluster of more than two.
#pragma once

#include <cstdint>
#include <vector>

#include "model/card/card.hpp"
#include "sim/records/clusters.hpp"

namespace warpmem::sim {

// By group, its SMs that can be of one cluster of so many CTAs, ascending.
std::vector<std::vector<int>> cluster_rooms(const model::Card& card, std::uint64_t cluster);

class ClusterPlacement {
 public:
  // Clusters of so many CTAs; `per_sm`: CTAs that are resident on an SM at most.
  ClusterPlacement(const model::Card& card, std::uint64_t cluster, std::uint32_t per_sm);

  // SMs for the next cluster's `ctas` CTAs, by rank; empty: none has room now.
  const std::vector<int>& place(std::size_t ctas);
  // A CTA on the SM has ended.
  void free(int sm) { --load_[static_cast<std::size_t>(sm)]; }
  // CTAs of the largest cluster that an idle GPU of this kind has room for.
  std::size_t most() const;

 private:
  // The load that its busiest SM would have with so many CTAs more; more than per_sm_: no room.
  std::uint32_t level(const std::vector<int>& group, std::size_t ctas);

  std::uint32_t per_sm_;
  std::vector<std::vector<int>> groups_;  // cluster_rooms
  std::vector<std::uint32_t> load_;       // by SM: resident CTAs
  std::size_t turn_ = 0;                  // group
  std::vector<int> chosen_;
  std::vector<std::uint32_t> loads_;  // scratch
};

}  // namespace warpmem::sim
