#include "command/counters/metric_text.hpp"

#include <fmt/format.h>

#include "validate/accuracy.hpp"
#include "validate/published.hpp"

namespace warpmem::command {

std::string accepted(const validate::MetricRule& rule) {
  if (rule.match == validate::Match::kExact) return "equal";
  return fmt::format("within {:.3g} %", 100 * rule.band);
}

std::string accuracy(const ReplayedAs& replay, std::string_view metric) {
  if (!validate::find_rule(metric)) return {};
  if (!replay.unlike.empty()) return "not measured";
  const validate::Accuracy* found =
      validate::measured_accuracy(replay.gpu, replay.level, replay.engine, metric);
  if (found) return validate::accuracy_text(*found);
  const std::string band =
      metric == "sm__cycles_elapsed.max" ? validate::time_band_text(replay.gpu) : std::string();
  return band.empty() ? "not measured" : band;
}

}  // namespace warpmem::command
