// When CTAs are given out: one after the other, at the rate that was measured.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/card/card.hpp"

namespace warpmem::sim {

class CtaRate {
 public:
  explicit CtaRate(const model::CardNumbers& card) : card_(card) {}

  // One of the launch's first CTAs starts in this cycle.
  void starts_at(std::uint64_t cycle) { given_ = taken_ = std::max(given_, cycle * 1000); }
  // When the next CTA is given out, `cycle` at the earliest.
  std::uint64_t give(std::uint64_t cycle) {
    taken_ += card_.time_cta_millicycles;
    given_ = std::max(given_ + card_.time_cta_millicycles, cycle * 1000);
    return given_ / 1000;
  }
  // A cluster is given out, in front of its CTAs.
  void give_cluster() {
    given_ += card_.time_cluster_millicycles;
    taken_ += card_.time_cluster_millicycles;
  }
  // The cycle from which the place of a CTA that is gone by `end` can be given to another.
  std::uint64_t room_from(std::uint64_t end) const {
    return end + card_.time_turn_cycles - std::min(card_.time_turn_cycles, card_.time_cta_cycles);
  }
  // Cycles that giving CTAs out took.
  double taken() const { return static_cast<double>(taken_) / 1000; }

 private:
  const model::CardNumbers& card_;
  std::uint64_t given_ = 0;  // thousandths of a cycle: the last CTA was given out
  std::uint64_t taken_ = 0;  // … that it took
};

}  // namespace warpmem::sim
