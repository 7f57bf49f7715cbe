#include "sim/engine/waiting_ctas.hpp"

#include <utility>

#include "sim/engine/lacking.hpp"
#include "sim/records/clusters.hpp"

namespace warpmem::sim {

WaitingCtas::WaitingCtas(const trace::TraceReader& reader, std::uint32_t launch,
                         const model::Card& card, const Occupancy& occupancy)
    : reader_(reader), launch_(launch), card_(card), occupancy_(occupancy) {
  const std::uint64_t cluster = cluster_size(reader.launches()[launch].launch, card);
  if (cluster > 1) placement_ = std::make_unique<ClusterPlacement>(card, cluster, occupancy.ctas);
}

Result<void> WaitingCtas::read(const Rewrite* rewrite) {
  const trace::Launch& launch = reader_.launches()[launch_].launch;
  auto ctas = reader_.ctas(launch_);
  if (!ctas) return ctas.error();
  all_ = std::move(ctas).value();
  if (rewrite) rewrite->apply(launch, all_);
  if (in_clusters()) order_by_cluster(launch, all_);
  return {};
}

WaitingCtas::First WaitingCtas::first() const {
  First out;
  out.sms = first_placement(card_, occupancy_.ctas, all_.size());
  const bool whole = out.sms.size() == all_.size();
  out.starts = first_starts(card_, out.sms, occupancy_.warps_per_cta, whole);
  return out;
}

const std::vector<int>& WaitingCtas::next_cluster() {
  static const std::vector<int> kNone;
  if (empty()) return kNone;
  const trace::Launch& launch = reader_.launches()[launch_].launch;
  const std::uint64_t number = cluster_of(launch, all_[next_]);
  std::size_t ctas = 1;  // of the cluster, that the trace has
  while (next_ + ctas < all_.size() && cluster_of(launch, all_[next_ + ctas]) == number) ++ctas;
  return placement_->place(ctas);
}

}  // namespace warpmem::sim
