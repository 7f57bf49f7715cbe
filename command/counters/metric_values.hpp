// A launch's metrics in the words of one profiler: counters by name from a replay, and what the
// list of metrics (metrics/metric.hpp) makes of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command/counters/metric_text.hpp"
#include "metrics/metric.hpp"
#include "model/card/card.hpp"
#include "results/launch_metrics.hpp"
#include "sim/named_metrics.hpp"

namespace warpmem::command {

using ShownMetric = sim::NamedMetric;
using sim::metrics_of;

// How close it was to hardware's: what was measured of its counters, the worst of them.
std::string accuracy(const ReplayedAs& replay, const model::Card& card,
                     metrics::Vocabulary vocabulary, const metrics::Metric& metric);

// What is to be said of a vocabulary on a card: that its profiler never ran there. Empty: nothing.
std::string vocabulary_note(const model::Card& card, metrics::Vocabulary vocabulary);

}  // namespace warpmem::command
