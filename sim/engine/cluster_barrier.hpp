// The barrier of a cluster of CTAs. It opens when all warps of the cluster that have not ended have
// arrived. A warp may arrive (barrier.cluster.arrive) before it comes to wait, or do both at once.
//
// The engine says how long opening takes, and has the warps go on that wait: `opens` of the
// functions below is called when the barrier has opened.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpmem::sim {

// What a warp has done at its cluster's barrier.
struct AtClusterBarrier {
  std::uint32_t arrived = 0;  // times
  std::uint32_t waited = 0;   // … that it came to wait as well
  bool passed = false;        // may go on from where it waited
};

class ClusterBarrier {
 public:
  // `cycles`: from the last arrival until its warps go on.
  explicit ClusterBarrier(std::uint64_t cycles) : cycles_(cycles) {}

  // So many warps are of the cluster as well.
  void add(std::uint32_t warps) { left_ += warps; }
  bool anybody_arrived() const { return arrived_ > 0; }
  // Cycle in which it opened last.
  std::uint64_t opened_at() const { return opened_at_; }

  template <class Opens>
  void arrive(AtClusterBarrier& warp, std::uint64_t cycle, Opens&& opens) {
    if (warp.arrived > opened_) return;  // twice for one opening
    ++warp.arrived;
    ++arrived_;
    last_ = std::max(last_, cycle);
    if (arrived_ == left_) open(opens);
  }

  // A warp comes to wait, in this cycle; false: it waits until the barrier opens.
  template <class Opens>
  bool wait(AtClusterBarrier& warp, std::uint64_t cycle, Opens&& opens) {
    // Who was not seen to arrive does so here.
    if (warp.arrived == warp.waited) arrive(warp, cycle, opens);
    warp.waited = warp.arrived;
    return warp.arrived <= opened_;
  }

  // A warp has ended, in this cycle.
  template <class Opens>
  void leave(const AtClusterBarrier& warp, std::uint64_t cycle, Opens&& opens) {
    --left_;
    if (warp.arrived > opened_) --arrived_;
    last_ = std::max(last_, cycle);
    if (arrived_ > 0 && arrived_ == left_) open(opens);
  }

  // Opens, whoever is missing.
  template <class Opens>
  void open(Opens&& opens) {
    ++opened_;
    arrived_ = 0;
    opened_at_ = last_ + cycles_;
    opens();
  }

 private:
  std::uint64_t cycles_;
  std::uint32_t left_ = 0;     // warps not ended
  std::uint32_t arrived_ = 0;  // of them, at the barrier
  std::uint32_t opened_ = 0;   // times
  std::uint64_t last_ = 0;     // cycle of the last arrival
  std::uint64_t opened_at_ = 0;
};

}  // namespace warpmem::sim
