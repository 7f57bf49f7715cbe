#include "sim/engine/cluster_placement.hpp"

#include <algorithm>

namespace warpmem::sim {

std::vector<std::vector<int>> cluster_rooms(const model::Card& card, std::uint64_t cluster) {
  const model::CardNumbers& n = card.numbers();
  const auto alone = [&](int sm) {
    return std::find(n.lone_sms.begin(), n.lone_sms.end(), static_cast<std::uint64_t>(sm)) !=
           n.lone_sms.end();
  };
  const auto sms = static_cast<int>(n.sm_count);
  const std::uint64_t gpcs = *std::max_element(n.sm_gpc.begin(), n.sm_gpc.end()) + 1;
  std::vector<std::vector<int>> rooms(gpcs);
  for (int sm = 0; sm < sms; ++sm)
    if (!alone(sm)) rooms[n.sm_gpc[static_cast<std::size_t>(sm)]].push_back(sm);
  // The two SMs of a TPC have numbers that differ in the last bit.
  for (int sm = 0; sm + 1 < sms; sm += 2)
    if (cluster <= 2 && alone(sm) && alone(sm + 1)) rooms.push_back({sm, sm + 1});
  return rooms;
}

ClusterPlacement::ClusterPlacement(const model::Card& card, std::uint64_t cluster,
                                   std::uint32_t per_sm)
    : per_sm_(per_sm), groups_(cluster_rooms(card, cluster)), load_(card.numbers().sm_count, 0) {}

std::size_t ClusterPlacement::most() const {
  std::size_t most = 0;
  for (const auto& g : groups_) most = std::max(most, g.size());
  return most;
}

std::uint32_t ClusterPlacement::level(const std::vector<int>& group, std::size_t ctas) {
  if (group.size() < ctas) return per_sm_ + 1;
  loads_.clear();
  for (int sm : group) loads_.push_back(load_[static_cast<std::size_t>(sm)]);
  const auto last = loads_.begin() + static_cast<std::ptrdiff_t>(ctas) - 1;
  std::nth_element(loads_.begin(), last, loads_.end());
  return *last + 1;
}

const std::vector<int>& ClusterPlacement::place(std::size_t ctas) {
  chosen_.clear();
  std::size_t best = groups_.size();
  std::uint32_t least = per_sm_ + 1;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const std::size_t g = (turn_ + k) % groups_.size();
    if (const std::uint32_t l = level(groups_[g], ctas); l < least) least = l, best = g;
  }
  if (best == groups_.size()) return chosen_;
  chosen_ = groups_[best];
  std::stable_sort(chosen_.begin(), chosen_.end(), [&](int a, int b) {
    return load_[static_cast<std::size_t>(a)] < load_[static_cast<std::size_t>(b)];
  });
  chosen_.resize(ctas);
  std::sort(chosen_.begin(), chosen_.end());
  for (int sm : chosen_) ++load_[static_cast<std::size_t>(sm)];
  turn_ = best + 1;
  return chosen_;
}

}  // namespace warpmem::sim
