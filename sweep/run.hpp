// Replays of many points at once: each on a GPU of its own, all from one decoded copy of each
// trace.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "results/sweep.hpp"
#include "sim/replay.hpp"
#include "sweep/machine.hpp"
#include "sweep/space.hpp"
#include "sweep/trace_set.hpp"

namespace warpmem::sweep {

struct Task {
  std::shared_ptr<TraceSource> traces;
  std::vector<std::string> no_card;  // keys that change the program alone
  std::string gpu;
  std::vector<model::CardSetting> settings;
  LoadCard load;
  bool time = true;
  bool keep_caches = false;
  std::function<bool(std::uint64_t launch)> only;  // none: all
  // What is kept of a replay, in the order of SweepResult::metrics.
  std::function<std::vector<MetricValue>(const sim::ReplayedLaunch& total, const model::Card&)>
      metrics;
};

// All launches of a replay as if they were one: counters, cycles and instructions added up.
sim::ReplayedLaunch total_of(const sim::ReplayResult& replayed);

// What a point's values say, and the part of it that says which GPU it is.
Changes changes_of(const Space& space, std::uint64_t number);
Changes machine_changes(const Task& task, const Changes& point);

// Replays a point's traces. A point that is no possible GPU, or one on which a kernel finds no
// room, is left out, with the reason.
Result<SweepPoint> run_point(const Task& task, const Space& space, std::uint64_t number,
                             unsigned threads);

// Points on `threads` threads; `done` gets each as it is finished, one at a time, and may end the
// run with an error. Points that have been begun when one fails are finished.
Result<void> run_points(const Task& task, const Space& space,
                        const std::vector<std::uint64_t>& numbers, std::size_t threads,
                        const std::function<Result<void>(SweepPoint)>& done);

// The traces of some point, to see how long points take; nullptr where none could be made of the
// first few programs.
Result<TraceSource::Traces> some_traces(const Task& task, const Space& space);
// How many records a second this machine replays on the task's own card: of a part of the first
// trace, for about `seconds`.
Result<double> measured_rate(const Task& task, const TraceSet& traces, double seconds);
// Records of all launches that are replayed at a point.
std::uint64_t records_of(const Task& task, const TraceSet& traces);

}  // namespace warpmem::sweep
