// Runs the instructions of a warp from one record of its trace to the next: when each issues, and
// what the warp waits for meanwhile.
//
// Models: a scheduler's issue slots; pipes; scoreboards; code and constants that are not there yet;
// the driver's functions. A turn ends where the warp has to wait beyond the calendar's window.
#pragma once

#include <array>

#include "model/card/card.hpp"
#include "sim/time/barrier_time.hpp"
#include "sim/time/constant_time.hpp"
#include "sim/time/timed_sm.hpp"
#include "sim/time/window_calendar.hpp"

namespace warpmem::sim {

// An instruction that has issued.
struct Issued {
  std::uint64_t cycle = 0;
  const Step* step = nullptr;  // that it was in
};

class WarpSteps {
 public:
  WarpSteps(const model::CardNumbers& card, WindowCalendar& calendar, Waits& waits,
            BarrierTime& barriers, ConstantTime& constants);

  // The rest of the warp's segment, the loops on its path included; false: it is due again later.
  bool run_segment(const WarpTurn& turn, Issued& issued);
  // The rest of its rounds; false: it is due again later.
  bool go_round(const WarpTurn& turn);

 private:
  // The cycle from which a step's first instruction has all it waits for.
  static std::uint64_t cleared(const TimedCta& cta, const TimedWarp& warp, const Step& step,
                               Wait& cause);
  // Whether the step may issue in this window; false: the warp is due again later.
  bool gets_ready(const WarpTurn& turn, const Step& step);
  // Issues a step's instructions; the cycle in which the last one issues. The warp is ready for its
  // next step afterwards.
  template <class N>
  std::uint64_t issue(const WarpTurn& turn, const Work<N>& work);
  // One step after the other from `step` on up to `until`; false: it is due again later.
  bool run_steps(const WarpTurn& turn, const Segment& segment, std::uint32_t& step,
                 std::uint32_t until, Issued& issued);
  // What the last instruction of a step leaves, when it has issued.
  void leave_results(const WarpTurn& turn, const Step& step, std::uint64_t issued);
  // Several rounds of a short body at a time, or as many as this turn takes.
  void issue_rounds(const WarpTurn& turn, const Round& round, std::uint64_t issues);
  // A call of the driver whose instruction issues at `issued`.
  void call_driver(DriverCall call, const WarpTurn& turn, std::uint64_t issued);

  const model::CardNumbers& card_;
  WindowCalendar& calendar_;
  Waits& waits_;
  BarrierTime& barriers_;
  ConstantTime& constants_;
  std::uint32_t last_scheduler_;                // of an SM, from 0: warp slots go round them
  std::array<std::uint64_t, 4> driver_free_{};  // by DriverCall: cycle from which it takes another
};

}  // namespace warpmem::sim
