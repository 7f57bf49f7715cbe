// A replay's counters as people and programs read them.
#pragma once

#include <string>

#include "metrics/metric.hpp"
#include "model/card/card.hpp"
#include "sim/replay.hpp"
#include "traces/format/reader.hpp"
#include "views/style.hpp"

namespace warpmem::command {

struct ReplayView {
  const trace::TraceReader& reader;
  const model::Card& card;
  const sim::ReplayResult& result;
  bool all = false;          // every counter of every launch, zeros too
  bool time = true;          // the time engine's counters, not the counts engine's
  bool keep_caches = false;  // from launch to launch
  metrics::Vocabulary vocabulary = metrics::Vocabulary::kNcu;
  bool counters = false;  // those that are not zero, below the first screen
  std::string caution{};  // what stands in front of the numbers (command/inputs/trace_card.hpp);
                          // empty: nothing
};

// One launch: its memory hierarchy on a screen, and its counters if their words were asked for;
// `all`: every counter, by level. Several: a line each.
std::string replay_text(const ReplayView& view, const views::Terminal& terminal);
// {"schema":1,"gpu":…,"engine":…,"vocabulary":…,"card":{…},"trace":{…},"accuracy":{…},"kernels":[{…,"metrics":{…}}]}
std::string replay_json(const ReplayView& view);
// Long form: launch, kernel, metric, unit, value, engine, accuracy, quality.
std::string replay_csv(const ReplayView& view);

}  // namespace warpmem::command
