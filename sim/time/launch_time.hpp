// One launch in time: its CTAs come to SMs and go, and their warps take their turns by the
// calendar.
#pragma once

#include <vector>

#include "sim/engine/launch_run.hpp"
#include "sim/engine/resident_ctas.hpp"
#include "sim/engine/waiting_ctas.hpp"
#include "sim/time/barrier_time.hpp"
#include "sim/time/cta_rate.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/listed_lines.hpp"
#include "sim/time/timed_sm.hpp"
#include "sim/time/warp_time.hpp"
#include "sim/time/window_calendar.hpp"

namespace warpmem::sim {

class LaunchTime {
 public:
  // `stays`: where each CTA was, and when, is part of the result.
  LaunchTime(const LaunchRun& run, bool stays);
  Result<TimeResult> run(const Tick& tick);

 private:
  using Due = WindowCalendar::Due;

  Result<void> run_windows(const Tick& tick);
  Result<void> place_first();
  // Starts the next clusters, as many as there is room for.
  Result<void> start_clusters();
  // Puts the next CTA, given out in this cycle, on the SM.
  Result<void> start(TimedSm& sm, std::uint64_t cycle, std::shared_ptr<TimedCluster> cluster);
  Result<void> end_cta(TimedSm& sm, TimedCta& cta);
  // Barriers open whoever is missing, as nobody can go on; fails if nobody can go on then either.
  Result<void> force_barriers();
  std::string barrier_waits() const;

  Result<void> run_window();
  Result<void> run_due(const Due& due);
  // Those that are due again in this window before a warp of the SM in this cycle.
  Result<void> run_again(std::uint32_t sm, std::uint64_t before);
  void fetch_state(const Due& due);
  void look_ahead(std::size_t turn, const Due& due);

  TimedSm& sm_of(int id) { return sms_[place_of_[static_cast<std::size_t>(id)]]; }
  TimedCta& cta_of(const Due& due) {
    return ctas_.at(due.sm, due.slot / run_.occupancy.warps_per_cta);
  }
  TimedWarp& warp_of(const Due& due) {
    return cta_of(due).warps[due.slot % run_.occupancy.warps_per_cta];
  }
  std::uint64_t cycles();

  // How many turns ahead a warp's needs are asked for.
  static constexpr std::size_t kCtaAhead = 23, kStateAhead = 19, kRecordAhead = 11, kLanesAhead = 7;

  LaunchRun run_;
  bool stays_;
  std::vector<AccessPlan> plans_;
  std::vector<TimedSm> sms_;             // in the order in which they get CTAs
  std::vector<std::uint32_t> place_of_;  // in sms_, by SM
  WaitingCtas waiting_;
  ResidentCtas<TimedCta> ctas_;  // SMs as in sms_
  CtaRate rate_;
  std::uint64_t shared_out_ = 0;  // cycles before the first CTA started
  WindowCalendar calendar_;
  Waits waits_;
  BarrierTime barriers_;
  ListedLines listed_;
  WarpTime warps_;
  TimeResult result_;
};

}  // namespace warpmem::sim
