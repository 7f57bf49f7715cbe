#include "command/predict.hpp"

#include <fmt/format.h>

#include "command/card_input.hpp"
#include "command/metric_values.hpp"
#include "sim/replay.hpp"

namespace warpmem::command {

Result<Prediction> predict(const trace::TraceReader& reader, const model::Card& card, bool time,
                           metrics::Vocabulary words) {
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
      }
      out.launches.push_back(std::move(launch.metrics));
    } else {
      out.notes.push_back(fmt::format("launch {} ({}) is not whole in the trace and is left out",
                                      launch.metrics.launch, launch.metrics.kernel));
    }
  }
  return out;
}

}  // namespace warpmem::command
