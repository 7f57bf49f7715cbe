// The model's counters of a trace, as `validate` needs them: the one place where that subcommand
// meets the simulator.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "metrics/metric.hpp"
#include "model/card/card.hpp"
#include "results/launch_metrics.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::command {

struct Prediction {
  std::string card;                     // "h200"
  std::string compute_capability;       // "9.0", as profilers print it
  std::vector<LaunchMetrics> launches;  // complete launches only
  std::vector<std::string> notes;       // launches left out, and why
};

// `time`: the time engine's counters, cycles among them, and not the counts engine's.
// In whose `words` the launches' metrics are.
// In Nsight Compute's words these are its counters, and of its ratios those that are `wanted`.
Result<Prediction> predict(const trace::TraceReader& reader, const model::Card& card, bool time,
                           metrics::Vocabulary words = metrics::Vocabulary::kNcu,
                           const std::set<std::string>& wanted = {});

}  // namespace warpmem::command
