#include "command/counters/predict.hpp"

#include <fmt/format.h>

#include "command/counters/metric_values.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_card.hpp"
#include "sim/replay.hpp"
#include "traces/record/unrecorded.hpp"

namespace warpmem::command {

namespace {

bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (matches(name.substr(at), rest)) return true;
  return false;
}

// What a recording cannot see is no zero: counters with such accesses in them are not predicted.
void take_out_unrecorded(const trace::TraceReader& reader, LaunchMetrics& launch) {
  if (reader.origin().level != trace::Level::kSass || is_emulated(reader.origin())) return;
  for (const trace::LaunchSummary& l : reader.launches()) {
    if (l.launch.id != launch.launch || l.launch.program >= reader.programs().size()) continue;
    // Whose traffic is missing, its time is too.
    for (const auto& gap : record::unrecorded_counters(reader.code(l.launch.program)->lines()))
      for (auto& [name, value] : launch.metrics)
        for (const std::string_view pattern : gap.counters)
          if (value.known() && (matches(name, pattern) ||
                                (pattern == "dram__*" && name == "sm__cycles_elapsed.max")))
            value = {0, fmt::format("the recording has no {}", gap.what)};
  }
}

}  // namespace

Result<Prediction> predict(const trace::TraceReader& reader, const model::Card& card, bool time,
                           metrics::Vocabulary words, const std::set<std::string>& wanted) {
  if (auto ok = require_features(card, reader); !ok) return ok.error();
  // Profilers flush the caches before each launch, and so does replay unless told otherwise.
  sim::ReplayOptions options;
  options.time = time;
  auto result = sim::replay(reader, card, options);
  if (!result) return result.error();
  Prediction out{card.name(), card.compute_capability(), {}, std::move(result->notes)};
  for (auto& launch : result->details) {
    if (launch.complete) {
      if (words != metrics::Vocabulary::kNcu) {
        const auto shown = metrics_of(launch, card, words);
        launch.metrics.metrics.clear();
        for (const ShownMetric& m : shown)
          launch.metrics.metrics.emplace(std::string(m.metric->name), m.value);
      } else if (!wanted.empty()) {
        for (const ShownMetric& m : metrics_of(launch, card, words))
          if (wanted.contains(std::string(m.metric->name)))
            launch.metrics.metrics.emplace(std::string(m.metric->name), m.value);
      }
      take_out_unrecorded(reader, launch.metrics);
      out.launches.push_back(std::move(launch.metrics));
    } else {
      out.notes.push_back(fmt::format("launch {} ({}) is not whole in the trace and is left out",
                                      launch.metrics.launch, launch.metrics.kernel));
    }
  }
  return out;
}

}  // namespace warpmem::command
