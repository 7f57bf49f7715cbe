// The CTAs of a launch that have not started yet, in the order in which they do, and the SMs that
// the next ones go to. When they start there is the engine's to say.
//
// CTAs that come alone: first() says where the launch's first ones go; a later one takes the place
// of one that ended. CTAs of clusters: next_cluster() says where the next cluster goes, when one
// GPC has room for all of it, and learns of each CTA that ends by free().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "model/card/card.hpp"
#include "sim/engine/cluster_placement.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/engine/placement.hpp"
#include "sim/engine/rewrite.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

class WaitingCtas {
 public:
  WaitingCtas(const trace::TraceReader& reader, std::uint32_t launch, const model::Card& card,
              const Occupancy& occupancy);

  // Asks the trace which CTAs there are. `rewrite`: what becomes of them (nullptr: nothing).
  Result<void> read(const Rewrite* rewrite);

  // All of the launch's that have records, in their order, those that have started included.
  const std::vector<std::uint64_t>& all() const { return all_; }
  bool empty() const { return next_ == all_.size(); }
  // The number of the next one, which starts now.
  std::uint64_t take() { return all_[next_++]; }

  // CTAs of clusters of more than one.
  bool in_clusters() const { return placement_ != nullptr; }

  // Where the first ones go that come alone, and when.
  struct First {
    std::vector<int> sms;  // by number, a CTA each
    FirstStarts starts;
  };
  First first() const;

  // The SMs of the next cluster's CTAs, by rank, which start now; empty: none is left, or none has
  // room.
  const std::vector<int>& next_cluster();
  // A CTA of a cluster has ended on this SM.
  void free(int sm) { placement_->free(sm); }

 private:
  const trace::TraceReader& reader_;
  std::uint32_t launch_;
  const model::Card& card_;
  Occupancy occupancy_;
  std::vector<std::uint64_t> all_;
  std::size_t next_ = 0;
  std::unique_ptr<ClusterPlacement> placement_;  // nullptr: CTAs come alone
};

}  // namespace warpmem::sim
