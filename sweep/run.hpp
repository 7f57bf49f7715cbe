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
#include "sim/engine/decoded_trace.hpp"
#include "sim/replay.hpp"
#include "sweep/machine.hpp"
#include "sweep/space.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sweep {

struct Task {
  std::vector<const trace::TraceReader*> traces;
  std::vector<const sim::DecodedTrace*>
      decoded;  // by trace; nullptr: each replay decodes for itself
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

// Replays a point's traces. A point that is no possible GPU, or one on which a kernel finds no
// room, is left out, with the reason.
Result<SweepPoint> run_point(const Task& task, const Space& space, std::uint64_t number,
                             unsigned threads);

// Points on `threads` threads; `done` gets each as it is finished, one at a time, and may end the
// run with an error. Points that have been begun when one fails are finished.
Result<void> run_points(const Task& task, const Space& space,
                        const std::vector<std::uint64_t>& numbers, std::size_t threads,
                        const std::function<Result<void>(SweepPoint)>& done);

// How many records a second this machine replays on the task's own card: of a part of the first
// trace, for about `seconds`.
Result<double> measured_rate(const Task& task, double seconds);
// Records of all launches that are replayed at one point.
std::uint64_t records_of(const Task& task);

}  // namespace warpmem::sweep
