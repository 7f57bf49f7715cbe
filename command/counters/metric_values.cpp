#include "command/counters/metric_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "validate/accuracy.hpp"
#include "validate/published.hpp"

namespace warpmem::command {
namespace {

using metrics::Vocabulary;

constexpr std::string_view kCycles = "sm__cycles_elapsed.max";

}  // namespace

std::string accuracy(const ReplayedAs& replay, const model::Card& card, Vocabulary vocabulary,
                     const metrics::Metric& metric) {
  const validate::Accuracy* worst = nullptr;
  bool any = false;
  const auto counters = metrics::counters_of(vocabulary, metric, card.capability());
  // Other profilers' words for what Nsight Compute calls cycles.
  if (std::ranges::all_of(counters,
                          [](const std::string& c) { return c == "cycles" || c == "time_us"; }) &&
      !counters.empty())
    return accuracy(replay, kCycles);
  for (const std::string& counter : counters) {
    if (counter.starts_with("card.") || !validate::find_rule(counter)) continue;
    any = true;
    if (!replay.unlike.empty()) return "not measured";
    const validate::Accuracy* const found =
        validate::measured_accuracy(replay.gpu, replay.level, replay.engine, counter);
    if (!found && counter == kCycles)
      if (const std::string band = validate::time_band_text(replay.gpu); !band.empty()) return band;
    if (!found) return "not measured";
    if (!worst || found->p90 > worst->p90) worst = found;
  }
  if (!any) return card.built_in() && card.capability() >= 70 ? "" : "not measured";
  return validate::accuracy_text(*worst);
}

std::string vocabulary_note(const model::Card& card, Vocabulary vocabulary) {
  const unsigned capability = card.capability();
  const char* ran = nullptr;
  if (vocabulary == Vocabulary::kNvprof && (capability < 20 || capability > 72)) ran = "2.0 to 7.2";
  if (vocabulary == Vocabulary::kVisualProfiler && capability > 21) ran = "1.0 to 2.1";
  if (vocabulary == Vocabulary::kNcu && capability < 70) ran = "7.0 and later";
  if (!ran) return {};
  return fmt::format("{} ran on GPUs of compute capability {}, and {} is of {}: {}",
                     metrics::full_name_of(vocabulary), ran, card.name(), card.compute_capability(),
                     vocabulary == Vocabulary::kNcu ? "its words for what the model counts there"
                     : vocabulary == Vocabulary::kNvprof && capability > 72
                         ? "its words for what Nsight Compute counts there"
                         : "no GPU has counted so");
}

}  // namespace warpmem::command
