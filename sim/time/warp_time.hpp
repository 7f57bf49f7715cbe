// A warp's turn: it goes on with its records, one after the other, for as long as what they need is
// there within the calendar's window.
#pragma once

#include "sim/engine/launch_run.hpp"
#include "sim/engine/texture_fetch.hpp"
#include "sim/time/access_time.hpp"
#include "sim/time/barrier_time.hpp"
#include "sim/time/constant_time.hpp"
#include "sim/time/lane_paths.hpp"
#include "sim/time/paths.hpp"
#include "sim/time/warp_steps.hpp"

namespace warpmem::sim {

class WarpTime {
 public:
  WarpTime(const LaunchRun& run, const std::vector<AccessPlan>& plans, WindowCalendar& calendar,
           Waits& waits, BarrierTime& barriers, ListedLines& listed);

  Result<void> run(const WarpTurn& turn);

  const AccessTime& accesses() const { return accesses_; }
  const ConstantTime& constants() const { return constants_; }
  // Loops without records of which nobody knows how often they went round (TimeResult).
  const std::vector<std::uint32_t>& taken_once() const { return paths_.taken_once(); }

 private:
  // Has the warp's next record at hand; false: it has no more.
  Result<bool> next_records(const WarpTurn& turn) {
    return turn.cta.next_records(cache_, turn.cta.warps.data(), turn.number);
  }
  // What it does between two records is looked up; false: the record leads nowhere.
  bool begin_segment(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan);
  const Segment* segment_to(TimedWarp& warp, const trace::Record& r, const AccessPlan& plan);
  bool issue_access(const WarpTurn& turn, const AccessPlan& plan, Issued& issued);
  void begin_rounds(TimedWarp& warp, const trace::Record& r, const Issued& issued);
  void access(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
              const Issued& issued);
  void load_constants(const WarpTurn& turn, const trace::Record& r, const AccessPlan& plan,
                      const Issued& issued);
  Result<bool> run_texture(const WarpTurn& turn, const AccessPlan& plan, const Issued& issued);
  void end(const WarpTurn& turn);

  model::MemorySystem& memory_;
  BlockCache& cache_;
  const std::vector<AccessPlan>& plans_;
  WindowCalendar& calendar_;
  BarrierTime& barriers_;
  Paths paths_;
  LanePaths lane_paths_;
  ConstantTime constants_;
  WarpSteps steps_;
  AccessTime accesses_;
  TextureFetch fetch_;  // the latest one
};

}  // namespace warpmem::sim
