// When warps that wait for each other go on: at barriers of their CTA, and at their cluster's.
#pragma once

#include "model/card/card.hpp"
#include "sim/engine/barrier_waits.hpp"
#include "sim/time/timed_sm.hpp"
#include "sim/time/window_calendar.hpp"

namespace warpmem::sim {

class BarrierTime {
 public:
  BarrierTime(const model::CardNumbers& card, WindowCalendar& calendar, Waits& waits)
      : card_(card), calendar_(calendar), waits_(waits) {}

  // A warp whose barrier instruction has issued waits at one of its CTA's, which waits for
  // `expected` warps; 0: for all.
  void wait(const WarpTurn& turn, std::uint64_t issued, std::uint32_t barrier,
            std::uint32_t expected);
  // A warp has ended.
  void end_warp(const WarpTurn& turn);
  // A warp arrives at its cluster's barrier.
  void arrive_at_cluster(const WarpTurn& turn, std::uint64_t cycle);
  // A warp comes to wait at it; false: it waits there until the barrier opens.
  bool wait_at_cluster(const WarpTurn& turn);

  // Opens all that warps of the CTA wait at, whoever is missing; so many.
  std::uint64_t force(TimedCta& cta);
  // Where its warps wait, for a person.
  static BarrierWaits where(const TimedCta& cta);

 private:
  // What CtaBarriers ask of this engine.
  struct OfCta;
  void open_cluster(TimedCluster& cluster);

  const model::CardNumbers& card_;
  WindowCalendar& calendar_;
  Waits& waits_;
};

}  // namespace warpmem::sim
