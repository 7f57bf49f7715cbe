// A replay's counters as people and programs read them.
#pragma once

#include <string>

#include "metrics/metric.hpp"
#include "model/card/card.hpp"
#include "sim/replay.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::command {

struct ReplayView {
  const trace::TraceReader& reader;
  const model::Card& card;
  const sim::ReplayResult& result;
  bool all = false;          // every counter of every launch, zeros too
  bool time = true;          // the time engine's counters, not the counts engine's
  bool keep_caches = false;  // from launch to launch
  metrics::Vocabulary vocabulary = metrics::Vocabulary::kNcu;
};

// One launch: its counters. Several: a line each, with the figures people look at first.
std::string replay_text(const ReplayView& view, bool colour);
// {"schema":1,"gpu":…,"engine":…,"vocabulary":…,"card":{…},"trace":{…},"accuracy":{…},"kernels":[{…,"metrics":{…}}]}
std::string replay_json(const ReplayView& view);
// Long form: launch, kernel, metric, unit, value, engine, accuracy.
std::string replay_csv(const ReplayView& view);

}  // namespace warpmem::command
